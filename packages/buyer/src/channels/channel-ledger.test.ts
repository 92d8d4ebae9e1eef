/** A channel's record outlives crashes: what was signed is on the disk before it leaves. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Hex } from "@farthing/protocol";
import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { ChannelBook } from "../ledger/channel-book.ts";
import { fileLedger } from "../ledger/file-ledger.ts";
import { readLine, writeLine } from "../ledger/ledger-lines.ts";
import type { Ledger } from "../ledger/ledger.ts";
import { dayMs } from "../ledger/limits.ts";
import { memoryLedger } from "../ledger/memory-ledger.ts";
import { startSeller } from "../scripted-seller.testing.ts";
import { heldUnits, type ChannelRecord } from "./channel-record.ts";
import { beginCall, endCall, recordChainState } from "./channel-rules.ts";
import { channelSeller } from "./channel-seller.testing.ts";

let folder = "";
let count = 0;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "farthing-channels-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const newPath = () => join(folder, `${++count}.jsonl`);
const call = 1_000n;

async function onlyChannel(ledger: Ledger): Promise<ChannelRecord> {
  const [record] = (await ledger.listChannels?.()) ?? [];
  if (!record) throw new Error("There is one channel.");
  return record;
}

test("the total of every voucher is on the disk before the seller sees it", async () => {
  const path = newPath();
  const written: boolean[] = [];
  const shop = channelSeller({
    lie: ({ payload }) => {
      const lines = readFileSync(path, "utf8").split("\n");
      const newest = lines.findLast((line) => line.startsWith('{"channel"'));
      const total = `"signedUnits":"${payload.voucher.maxClaimableAmount}"`;
      written.push(newest?.includes(total) === true);
      return undefined;
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench({ ledger: fileLedger(path), channels: { use: "always" } });
  for (let calls = 0; calls < 12; calls++) await pay(seller.url);
  expect(written).toEqual(Array.from({ length: 12 }, () => true));
});

test("what one process has written the next one goes on with", async () => {
  const path = newPath();
  const shop = channelSeller({ cost: () => 400n });
  await using seller = await startSeller(shop.script);
  for (let calls = 1n; calls <= 3n; calls++) {
    const { payment } = await buyerBench({ ledger: fileLedger(path) }).pay(seller.url);
    expect(payment).toMatchObject({ state: "charged", chargedTotal: `${400n * calls}` });
  }
  expect(shop.known.balance).toBe(10n * call);
});

test("a file that was replaced by a shorter one still has its channels, and their spending", async () => {
  const path = newPath();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench({ ledger: fileLedger(path, { spareLinesMax: 5 }) });
  for (let calls = 0; calls < 20; calls++) await pay(seller.url);
  expect(readFileSync(path, "utf8").split("\n").length).toBeLessThan(14);
  expect(await onlyChannel(fileLedger(path))).toMatchObject({ chargedUnits: 20n * call });
});

class CrashError extends Error {}

/** Fails for good after a number of writes, which are on the disk. */
function crashing(ledger: Ledger, writes: number): Ledger {
  let left = writes;
  return {
    ...ledger,
    async changeChannels(decide) {
      if (left <= 0) throw new CrashError();
      const result = await ledger.changeChannels?.(decide);
      left -= 1;
      if (result === undefined) throw new CrashError();
      if (left <= 0) throw new CrashError();
      return result;
    },
  };
}

test.each([1, 2, 3, 4, 5, 6, 7])(
  "a crash after write %i: the next process adds up with the seller",
  async (writes) => {
    const path = newPath();
    const shop = channelSeller({ cost: () => 700n });
    await using seller = await startSeller(shop.script);
    const first = buyerBench({ ledger: crashing(fileLedger(path), writes) });
    for (let calls = 0; calls < 5; calls++) {
      await first
        .pay(seller.url)
        .catch((error: unknown) => expect(error).toBeInstanceOf(CrashError));
    }
    const ledger = fileLedger(path);
    const next = buyerBench({ ledger });
    // Until then the first one may still be at work.
    next.clock.time += 61_000;
    const { payment } = await next.pay(seller.url);
    expect(payment).toMatchObject({ state: "charged", chargedTotal: `${shop.known.charged}` });
    const record = await onlyChannel(ledger);
    expect(record).toMatchObject({ chargedUnits: shop.known.charged, unansweredUnits: 0n });
    expect(record.signedUnits).toBeLessThanOrEqual(shop.known.charged + call);
  },
);

test("while another program may be at work on a channel, nothing is signed on it", async () => {
  const path = newPath();
  const shop = channelSeller();
  await using seller = await startSeller(shop.script);
  const first = buyerBench({ ledger: crashing(fileLedger(path), 1) });
  await expect(first.pay(seller.url)).rejects.toThrow(CrashError);
  const next = buyerBench({ ledger: fileLedger(path) });
  expect((await paymentErrorOf(next.pay(seller.url))).code).toBe("channel_busy");
  expect([next.signer.count, shop.known.vouchers]).toEqual([0, []]);
});

test("a host whose payee another program has pinned meanwhile gets no voucher for another one", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  await buyerBench({ ledger }).pay(seller.url);
  const { config, ...record } = await onlyChannel(ledger);
  const salt = `0x${"05".repeat(32)}` as const;
  const times = { now: record.usedAt, until: record.usedAt, validBefore: 0 };
  const named = { requestId: "other", isNamed: false, holder: "other", amountUnits: call };
  const moved = { ...config, receiver: config.payer };
  const order = { ...record, ...named, ...times, salt, channelId: salt, config: moved };
  const most = { depositMaxUnits: 100n * call, depositTotalMaxUnits: 100n * call };
  const rules = { ...most, perDayUnits: undefined, windowMs: dayMs, payeePin: "keep" } as const;
  const outcome = await ledger.changeChannels?.((view) => beginCall(view, order, rules));
  expect(outcome).toMatchObject({ ok: false, reason: "payee_changed" });
  expect(await onlyChannel(ledger)).toMatchObject({ config });
});

test("a call that another one follows without its answer stays signed, and may have been charged", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  await buyerBench({ ledger }).pay(seller.url);
  const record = await onlyChannel(ledger);
  const { channelId, usedAt: now } = record;
  const most = { depositMaxUnits: 100n * call, depositTotalMaxUnits: 100n * call };
  const rules = { ...most, perDayUnits: undefined, windowMs: dayMs, payeePin: "keep" } as const;
  const times = { now, until: now, validBefore: 0, salt: channelId };
  const order = { ...record, ...times, requestId: "r", isNamed: false, amountUnits: call };
  const begin = (holder: string) =>
    ledger.changeChannels?.((view) => beginCall(view, { ...order, holder }, rules));
  await begin("ended");
  await begin("next");
  const [signedUnits, unansweredUnits] = [2n * call, 2n * call];
  expect(await onlyChannel(ledger)).toMatchObject({ signedUnits, unansweredUnits });
  // The seller has proved less: what was signed can be claimed all the same.
  const end = { kind: "recovered", base: { chargedUnits: 0n } } as const;
  const begun = await onlyChannel(ledger);
  await ledger.changeChannels?.((view) => endCall(view, begun, end, now));
  await begin("after");
  expect(await onlyChannel(ledger)).toMatchObject({ signedUnits, unansweredUnits });
});

test("of two deposits of one amount, a balance that rises by it has the older one alone", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  await buyerBench({ ledger }).pay(seller.url);
  const record = await onlyChannel(ledger);
  const depositOf = (validBefore: number) => {
    const salt: Hex = `0x${`${validBefore}`.padStart(64, "0")}`;
    return { units: 7n * call, validBefore, salt };
  };
  const [older, newer] = [depositOf(1_000), depositOf(2_000)];
  const openAfter = async (gain: bigint) => {
    const { balanceUnits, claimedUnits, withdrawRequestedAt } = await onlyChannel(ledger);
    const read = { balanceUnits: balanceUnits + gain, claimedUnits, withdrawRequestedAt };
    await ledger.changeChannels?.((view) => recordChainState(view, record.channelId, read, 0));
    return (await onlyChannel(ledger)).openDeposits;
  };
  const put = { ...record, openDeposits: [older, newer] };
  await ledger.changeChannels?.(() => ({ put, result: undefined }));
  // The deposit of another account: what is signed here may still arrive.
  expect(await openAfter(8n * call)).toEqual([older, newer]);
  expect(await openAfter(7n * call)).toEqual([newer]);
});

test("what a wallet has spent over channels is its own, on each network", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  const { pay, clock } = buyerBench({ ledger });
  await pay(seller.url);
  const { network, config } = await onlyChannel(ledger);
  const scope = { wallet: config.payer, network, asset: config.token };
  const spent = async (over: Partial<typeof scope>) =>
    (await ledger.usage({ ...scope, ...over }, clock.time - dayMs)).spentUnits;
  expect(await spent({})).toBe(call);
  expect(await spent({ wallet: config.receiver })).toBe(0n);
  expect(await spent({ network: "eip155:51" })).toBe(0n);
});

test("a channel is forgotten a day after it was given back, but for a lie or a voucher above its claims", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  await buyerBench({ ledger }).pay(seller.url);
  const paid = await onlyChannel(ledger);
  const book = new ChannelBook();
  const back = { balanceUnits: call, claimedUnits: call, signedUnits: call };
  const kept = [
    { signedUnits: call + 1n },
    { stopped: "it has lied" },
    { balanceUnits: 2n * call },
  ];
  for (const [nth, over] of [{}, ...kept].entries()) {
    const channelId = `0x${`a${nth}`.repeat(32)}` as const;
    book.put({ ...paid, ...back, channelId, ...over });
  }
  book.forget(paid.usedAt + dayMs + 1);
  // The seller can still claim by that voucher, and is found out only by who knows of it.
  expect(book.list()).toMatchObject(kept);
});

/** Digits of a uint128 at most. */
const units = fc.bigInt({ min: 0n, max: 10n ** 30n });
const at = fc.integer({ min: 0, max: 2_000_000_000_000 });
const bytes32 = fc.constantFrom<`0x${string}`>(`0x${"a1".repeat(32)}`, `0x${"00".repeat(32)}`);

test("every record is read as it was written, and half of a line is refused", async () => {
  const ledger = memoryLedger();
  await using seller = await startSeller(channelSeller().script);
  await buyerBench({ ledger }).pay(seller.url);
  const paid = await onlyChannel(ledger);
  const more = fc.record({
    chargedUnits: units,
    signedUnits: units,
    unansweredUnits: units,
    openDeposits: fc.array(fc.record({ units, validBefore: at, salt: bytes32 }), { maxLength: 3 }),
    spent: fc.array(fc.record({ until: at, units }), { maxLength: 3 }),
    namedCalls: fc.array(fc.string(), { maxLength: 3 }),
  });
  fc.assert(
    fc.property(more, fc.option(fc.string(), { nil: undefined }), (change, stopped) => {
      const channel = { ...paid, ...change, ...(stopped === undefined ? {} : { stopped }) };
      const text = writeLine({ channel }).trimEnd();
      expect(readLine(text, "ledger", 2)).toEqual({ channel });
    }),
  );
  const text = writeLine({ channel: paid });
  for (const name of ["signedUnits", "config", "openDeposits", "spent", "unexplained"]) {
    expect(() => readLine(text.replace(`"${name}"`, '"other"'), "ledger", 2)).toThrow("line 2");
  }
});

/** What happens to a call: what it costs, and whether its answer or the request is lost. */
const fate = fc.record({
  cost: fc.bigInt({ min: 0n, max: call }),
  lost: fc.constantFrom("nothing", "nothing", "answer", "request", "work"),
});

test("whatever is lost, nothing is signed beyond one call above what the seller has charged", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fate, { minLength: 1, maxLength: 25 }), async (fates) => {
      let current: (typeof fates)[number] = { cost: call, lost: "nothing" };
      const ledger = memoryLedger();
      const beyond: bigint[] = [];
      const shop = channelSeller({
        cost: () => current.cost,
        lie: ({ payload, honest }) => {
          beyond.push(payload.voucher.maxClaimableAmount - shop.known.charged);
          if (current.lost === "request") return { cut: "before" };
          if (current.lost === "work") return { status: 500 };
          const answer = honest();
          return current.lost === "answer" && answer.status === 200
            ? { ...answer, cut: "before" }
            : answer;
        },
      });
      await using seller = await startSeller(shop.script);
      const { pay } = buyerBench({ ledger, channels: { depositMax: "0.02" } });
      for (const one of fates) {
        current = one;
        await pay(seller.url).catch(() => {});
        const record = await onlyChannel(ledger);
        expect(record.stopped).toBeUndefined();
        expect(record.chargedUnits).toBeLessThanOrEqual(shop.known.charged);
        expect(heldUnits(record)).toBeLessThanOrEqual(20n * call);
      }
      current = { cost: call, lost: "nothing" };
      const { payment } = await pay(seller.url);
      expect(payment).toMatchObject({ state: "charged", chargedTotal: `${shop.known.charged}` });
      expect(beyond.every((units) => units <= call)).toBe(true);
    }),
    { numRuns: 25 },
  );
});
