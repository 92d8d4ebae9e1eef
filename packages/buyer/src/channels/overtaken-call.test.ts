/** A call that outlives its time while another program with the same ledger goes on. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { fileLedger } from "../ledger/file-ledger.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { dayMs } from "../ledger/limits.ts";
import { memoryLedger } from "../ledger/memory-ledger.ts";
import type { FetchFunction } from "../replayable-request.ts";
import { startSeller } from "../scripted-seller.testing.ts";
import { wrapFetch, type BuyerOptions } from "../wrap-fetch.ts";
import { channelNode } from "./channel-node.testing.ts";
import { heldUnits } from "./channel-record.ts";
import { channelSeller, stateOf, totalsOf } from "./channel-seller.testing.ts";

const call = 1_000n;
/** A call's time is over a minute after it began. */
const overMs = 61_000;

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-overtaken-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Two programs with one ledger; the answers to the first one's vouchers come when a test says so. */
function twoPrograms(ledgers: readonly [Ledger, Ledger], over: Partial<BuyerOptions> = {}) {
  const { clock, signer } = buyerBench();
  const held = { reached: gate(), answer: gate(), isOn: false };
  const holding: FetchFunction = async (input, init) => {
    const response = await fetch(input, init);
    const isPaid = new Headers(init?.headers).has("PAYMENT-SIGNATURE");
    if (!isPaid || !held.isOn) return response;
    held.reached.open();
    await held.answer.opened;
    return response;
  };
  const common = { signer, runtime: clock, rpcUrl: "none", ...over };
  const first = wrapFetch(holding, { ...common, ledger: ledgers[0] });
  const second = wrapFetch(fetch, { ...common, ledger: ledgers[1] });
  /** Starts a call of the first program; resolves once the seller has answered, and its time is over. */
  async function startLate(url: string) {
    Object.assign(held, { reached: gate(), answer: gate(), isOn: true });
    const ended = first(url);
    await Promise.race([held.reached.opened, ended]);
    held.isOn = false;
    clock.time += overMs;
    return {
      /** Lets the answer through. */
      end: () => {
        held.answer.open();
        return ended;
      },
    };
  }
  return { first, second, clock, startLate };
}

function gate() {
  const { promise: opened, resolve: open } = Promise.withResolvers<void>();
  return { open, opened };
}

async function oneChannel(ledger: Ledger) {
  const [record, ...more] = (await ledger.listChannels?.()) ?? [];
  if (!record || more.length > 0) throw new Error("There is one channel.");
  const { config, network } = record;
  const scope = { wallet: config.payer, network, asset: config.token };
  return { record, ...(await ledger.usage(scope, record.openedAt - dayMs)) };
}

function filePrograms(name: string, over: Partial<BuyerOptions> = {}) {
  const path = join(folder, name);
  return { path, ...twoPrograms([fileLedger(path), fileLedger(path)], over) };
}

test.each([
  { calls: "the first call of a channel", before: 0n },
  { calls: "a later call", before: 2n },
])("$calls that another program recovers is counted once", async ({ before }) => {
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const { path, first, second, startLate } = filePrograms(`once-${before}.jsonl`);
  for (let calls = 0n; calls < before; calls++) await first(seller.url);
  const late = await startLate(seller.url);
  expect(stateOf(await second(seller.url))).toBe("charged");
  expect(stateOf(await late.end())).toBe("charged");
  const total = (before + 2n) * call;
  const { record, spentUnits } = await oneChannel(fileLedger(path));
  expect([shop.known.charged, record.chargedUnits, spentUnits]).toEqual([total, total, total]);
  const sent = shop.known.vouchers.length;
  expect(stateOf(await first(seller.url))).toBe("charged");
  expect(totalsOf(shop.known.vouchers.slice(sent))).toEqual([total + call]);
});

test("a late answer does not end the call that another program has under way", async () => {
  const ledger = memoryLedger();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const { first, startLate } = twoPrograms([ledger, ledger]);
  const other = twoPrograms([ledger, ledger]);
  await first(seller.url);
  const late = await startLate(seller.url);
  other.clock.time += overMs;
  shop.known.charged -= call;
  const others = await other.startLate(seller.url);
  other.clock.time -= overMs;
  await late.end();
  expect((await paymentErrorOf(first(seller.url))).code).toBe("channel_busy");
  await others.end();
});

test("an approver who says no too late takes nothing from another program's call", async () => {
  const asked = gate();
  const answer = gate();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const ledger = memoryLedger();
  const { startLate, second, clock } = twoPrograms([ledger, ledger]);
  const slow = buyerBench({
    ledger,
    runtime: clock,
    limits: { askAbove: "0.0001" },
    approve: async () => {
      asked.open();
      await answer.opened;
      return false;
    },
  });
  const refused = paymentErrorOf(slow.pay(seller.url));
  await asked.opened;
  clock.time += overMs;
  const others = await startLate(seller.url);
  clock.time -= overMs;
  answer.open();
  expect((await refused).code).toBe("approval_required");
  // The other one's call is still under way, and the deposit that it has signed is known.
  const { record } = await oneChannel(ledger);
  const [voucher] = shop.known.vouchers;
  const salt = voucher?.type === "deposit" ? voucher.deposit.salt : 0n;
  expect(record.openDeposits.map((one) => BigInt(one.salt))).toContain(salt);
  expect((await paymentErrorOf(second(seller.url))).code).toBe("channel_busy");
  expect(stateOf(await others.end())).toBe("charged");
});

test("a deposit that the chain has told of is not added once more by its late answer", async () => {
  const ledger = memoryLedger();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const { clock, startLate } = twoPrograms([ledger, ledger]);
  const node = channelNode(() => ({ balance: shop.known.balance }));
  const { signer } = buyerBench();
  const options = { signer, ledger, runtime: clock, rpcUrl: "http://node.example" };
  const late = await startLate(seller.url);
  expect(stateOf(await wrapFetch(fetch, options, node)(seller.url))).toBe("charged");
  await late.end();
  const { record } = await oneChannel(ledger);
  expect(record).toMatchObject({ balanceUnits: shop.known.balance, openDeposits: [] });
  expect(heldUnits(record)).toBe(8n * call);
});

test("an honest seller is no liar by a record that another program has changed since", async () => {
  const ledger = memoryLedger();
  const { second, clock } = twoPrograms([ledger, ledger]);
  const options = { signer: buyerBench().signer, ledger, runtime: clock, rpcUrl: "none" };
  // The dear call cost little, so the ledger has signed more than later totals.
  const dear = channelSeller({ amount: 10n * call, cost: () => call });
  await using dearSeller = await startSeller(dear.script);
  await second(dearSeller.url);
  const shop = channelSeller();
  Object.assign(shop.known, dear.known);
  await using seller = await startSeller(shop.script);
  const goOn = gate();
  const delayed: FetchFunction = async (input, init) => {
    if (new Headers(init?.headers).has("PAYMENT-SIGNATURE")) await goOn.opened;
    return fetch(input, init);
  };
  const signed = gate();
  const first = wrapFetch(delayed, {
    ...options,
    onEvent: ({ type }) => type === "sent" && signed.open(),
  });
  const ended = first(seller.url);
  await signed.opened;
  clock.time += overMs;
  for (let calls = 0; calls < 5; calls++) expect(stateOf(await second(seller.url))).toBe("charged");
  goOn.open();
  expect(stateOf(await ended)).toBe("charged");
  const { record, spentUnits } = await oneChannel(ledger);
  const total = 7n * call;
  expect([shop.known.charged, record.chargedUnits, spentUnits]).toEqual([total, total, total]);
});

test("a refund waits for the call that another program has under way", async () => {
  const ledger = memoryLedger();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const { second, clock, startLate } = twoPrograms([ledger, ledger]);
  await second(seller.url);
  const others = await startLate(seller.url);
  clock.time -= overMs;
  const { record } = await oneChannel(ledger);
  const refund = second.channels.refund(record.channelId);
  expect((await paymentErrorOf(refund)).code).toBe("channel_busy");
  await others.end();
});

const overtaking = fc.record({
  cost: fc.bigInt({ min: 0n, max: call }),
  calls: fc.integer({ min: 0, max: 3 }),
});

test("whatever overtakes a call, ledger and seller agree, and limits count each charge once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(overtaking, { minLength: 1, maxLength: 6 }), async (rounds) => {
      let cost = call;
      const shop = channelSeller({ cost: () => cost });
      await using seller = await startSeller(shop.script);
      const ledger = memoryLedger();
      const { second, startLate } = twoPrograms([ledger, ledger], {
        channels: { depositMax: "0.05" },
      });
      for (const round of rounds) {
        ({ cost } = round);
        const late = await startLate(seller.url);
        for (let calls = 0; calls < round.calls; calls++) await second(seller.url);
        await late.end();
        const { record, spentUnits } = await oneChannel(ledger);
        const { charged } = shop.known;
        expect([record.stopped, record.chargedUnits]).toEqual([undefined, charged]);
        expect(spentUnits).toBe(charged);
      }
    }),
    { numRuns: 20 },
  );
});
