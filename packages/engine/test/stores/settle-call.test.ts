/**
 * Which call tells a success while the claiming call of another process is being answered: two
 * processes that share a database, and a clock that the test moves.
 */
import { describe, expect, test } from "vitest";
import { type Exchanges, type SettleCallTerms, type Settlement } from "../../src/index.ts";
import { createExchanges } from "../../src/settlement/exchanges.ts";
import { type Clock, silentLog } from "../../src/base.ts";
import { bothEngines, storeForEach } from "./store-benches.testing.ts";
import { claimOf, minedIn, next, type StoreBench, type TestStore } from "./store-values.testing.ts";

const caller = "network:192.0.2.1";

/** Where the clock starts, Unix milliseconds. */
const startMs = 1_800_000_000_000;

/** A clock that stands still until somebody sleeps: each sleep moves it, once the test allows. */
class SteppedClock implements Clock {
  ms = startMs;
  /** What happens beside the sleeps, at its time; in order. */
  readonly #events: { readonly atMs: number; readonly happen: () => Promise<unknown> }[] = [];

  nowMs(): number {
    return this.ms;
  }

  at(afterMs: number, happen: () => Promise<unknown>): void {
    this.#events.push({ atMs: startMs + afterMs, happen });
  }

  async sleep(ms: number, signal?: AbortSignal): Promise<void> {
    const endMs = this.ms + ms;
    // What is settled already comes first.
    await new Promise(setImmediate);
    for (;;) {
      const [event] = this.#events;
      if (signal?.aborted || !event || event.atMs > endMs) break;
      this.#events.shift();
      this.ms = Math.max(this.ms, event.atMs);
      await event.happen();
    }
    this.ms = Math.max(this.ms, endMs);
  }
}

/** A call whose response the test ends. */
function callOf(changes: Partial<SettleCallTerms> = {}) {
  const { promise: delivered, resolve } = Promise.withResolvers<boolean>();
  const terms = { caller, idempotencyKey: null, isUpfront: true, waitsForOutcome: true };
  return { terms: { ...terms, writer: `req_${next()}`, delivered, ...changes }, end: resolve };
}

function processesOn(store: TestStore, clock: Clock): [Exchanges, Exchanges] {
  const make = () => createExchanges({ store, clock, log: silentLog, policy: "auto" });
  return [make(), make()];
}

async function claim(store: TestStore, exchanges: Exchanges, of: ReturnType<typeof callOf>) {
  const call = exchanges.beginSettle(of.terms);
  const claimed = claimOf({ claimingCall: call.claimingCall });
  const [result] = await store.claimSettlements([claimed], startMs);
  if (result?.kind !== "created") throw new Error("the claim is new");
  call.claimed(result.settlement.id);
  return { call, settlement: result.settlement };
}

async function confirm(store: TestStore, { id }: Settlement, afterMs: number): Promise<Settlement> {
  await store.recordConfirmed([{ id, mined: minedIn(100) }], startMs + afterMs);
  const confirmed = await store.findSettlement(id);
  if (!confirmed) throw new Error("there is no such settlement");
  return confirmed;
}

const factsOf = async (store: TestStore, settlement: Settlement) =>
  (await store.findExchangeFacts([{ settlement, caller, idempotencyKey: null }]))[0];

const isReleased = async (store: TestStore, settlement: Settlement) =>
  (await factsOf(store, settlement))?.successWriter === null;

const movedAt = async (store: TestStore, settlement: Settlement) =>
  (await factsOf(store, settlement))?.successMovedAt;

describe.each(bothEngines())("two processes on one %s", (_, start: () => Promise<StoreBench>) => {
  const at = storeForEach(start);

  function twoProcesses() {
    const { store } = at();
    const clock = new SteppedClock();
    const [first, second] = processesOn(store, clock);
    return { store, clock, first, second };
  }

  test("a response that is being written may be lost: a repeat waits, and is told the success", async () => {
    const { store, clock, first, second } = twoProcesses();
    const claiming = callOf();
    const { call, settlement } = await claim(store, first, claiming);
    const confirmed = await confirm(store, settlement, 100);
    clock.ms += 100;
    expect(await call.present(confirmed, false)).toMatchObject({ kind: "whole" });
    clock.at(500, async () => {
      claiming.end(false);
      await expect.poll(() => isReleased(store, settlement)).toBe(true);
    });
    const repeat = callOf();
    const told = await second.beginSettle(repeat.terms).present(confirmed, true);
    expect(told).toMatchObject({ kind: "whole", hasId: false });
  });

  test("a response that was written leaves a repeat the facts", async () => {
    const { store, first, second } = twoProcesses();
    const claiming = callOf();
    const { call, settlement } = await claim(store, first, claiming);
    const confirmed = await confirm(store, settlement, 100);
    await call.present(confirmed, false);
    claiming.end(true);
    for (const exchanges of [first, second]) {
      const told = await exchanges.beginSettle(callOf().terms).present(confirmed, true);
      expect(told).toEqual({ kind: "facts", isPending: false });
    }
  });

  test("a success of a clock that ran an hour ahead keeps no repeat waiting", async () => {
    const { store, first, second } = twoProcesses();
    const claiming = callOf();
    const { call, settlement } = await claim(store, first, claiming);
    const confirmed = await confirm(store, settlement, 3_600_000);
    await call.present(confirmed, false);
    claiming.end(true);
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: false });
  });

  test.each([
    ["that waited", true],
    ["that did not wait", false],
  ])("a call %s was answered pending: who begins to poll is told first", async (_name, waits) => {
    const { store, clock, first, second } = twoProcesses();
    const claiming = callOf({ waitsForOutcome: waits });
    const { call, settlement } = await claim(store, first, claiming);
    // Longer than a poll may take to begin, counted from the claim.
    clock.ms += 3_000;
    await call.present(settlement, false);
    claiming.end(true);
    const confirmed = await confirm(store, settlement, 3_100);
    clock.at(4_000, async () => {
      const { terms } = callOf();
      await first.looked(confirmed, terms);
    });
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: false });
  });

  test("after a poll whose response was lost one more poll is told, and no repeat is", async () => {
    const { store, clock, first, second } = twoProcesses();
    const claiming = callOf({ waitsForOutcome: false });
    const { call, settlement } = await claim(store, first, claiming);
    await call.present(settlement, false);
    claiming.end(true);
    const confirmed = await confirm(store, settlement, 2_000);
    clock.ms += 2_000;
    const [lost, heard] = [callOf(), callOf()];
    await first.looked(confirmed, lost.terms);
    lost.end(false);
    await expect.poll(() => isReleased(store, settlement)).toBe(true);
    await first.looked(confirmed, heard.terms);
    heard.end(true);
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: false });
  });

  test("a connection that closes while its success is recorded leaves it to a repeat", async () => {
    const { store } = at();
    const clock = new SteppedClock();
    const claiming = callOf({ waitsForOutcome: false });
    const ended = Promise.withResolvers<void>();
    const [first] = processesOn(
      {
        ...store,
        async takeSuccess(...asked) {
          claiming.end(false);
          await ended.promise;
          return store.takeSuccess(...asked);
        },
        async releaseSuccess(...asked) {
          await store.releaseSuccess(...asked);
          ended.resolve();
        },
      },
      clock,
    );
    const [, second] = processesOn(store, clock);
    const { call, settlement } = await claim(store, first, claiming);
    const confirmed = await confirm(store, settlement, 100);
    await call.present(confirmed, false);
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toMatchObject({ kind: "whole", hasId: false });
  });

  test("another caller is not told, also where the claiming one never was", async () => {
    const { store, first, second } = twoProcesses();
    const { settlement } = await claim(store, first, callOf({ waitsForOutcome: false }));
    const confirmed = await confirm(store, settlement, 2_000);
    const other = callOf({ caller: "network:192.0.2.2" });
    const told = await second.beginSettle(other.terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: false });
    expect(await isReleased(store, settlement)).toBe(true);
  });

  test("who polled before the call was answered, and again after it, is told alone", async () => {
    const { store, first, second } = twoProcesses();
    const claiming = callOf();
    const { call, settlement } = await claim(store, first, claiming);
    await first.looked(settlement, callOf().terms);
    await call.present(settlement, false);
    claiming.end(true);
    await first.looked(settlement, callOf().terms);
    const confirmed = await confirm(store, settlement, 2_000);
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: false });
  });

  test("while a response is written for long, a repeat at its process is told to ask again", async () => {
    const { store, first } = twoProcesses();
    const { call, settlement } = await claim(store, first, callOf());
    const confirmed = await confirm(store, settlement, 100);
    await call.present(confirmed, false);
    const told = await first.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toEqual({ kind: "facts", isPending: true });
  });

  test("where nobody polls, the repeat is told", async () => {
    const { store, clock, first, second } = twoProcesses();
    const claiming = callOf({ waitsForOutcome: false });
    const { call, settlement } = await claim(store, first, claiming);
    await call.present(settlement, false);
    claiming.end(true);
    // The end of the call is recorded: from then on a poll has little time to begin.
    await expect.poll(() => movedAt(store, settlement)).toBe(startMs);
    const confirmed = await confirm(store, settlement, 2_000);
    clock.ms += 2_000;
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toMatchObject({ kind: "whole", hasId: false });
    expect(clock.ms).toBe(startMs + 2_000);
  });

  test("a process that died before it answered leaves the success to a repeat", async () => {
    const { store, clock, first, second } = twoProcesses();
    const { settlement } = await claim(store, first, callOf({ waitsForOutcome: false }));
    const confirmed = await confirm(store, settlement, 2_000);
    const told = await second.beginSettle(callOf().terms).present(confirmed, true);
    expect(told).toMatchObject({ kind: "whole", hasId: false });
    expect(clock.ms).toBeLessThanOrEqual(startMs + 10_000);
  });
});
