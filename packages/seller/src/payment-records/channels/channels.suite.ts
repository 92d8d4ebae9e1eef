/** What every store promises about channels: one request at a time, and no charge is lost or made twice. */
import type { SoldNames } from "@farthing/protocol";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { maxReplayMs } from "../retention.ts";
import type { PaymentRecords } from "../rules/payment-records.ts";
import type { StoreKind } from "../rules/payment-records.suite.ts";
import {
  binding,
  buyer,
  leaseOf,
  receipt,
  response,
  showing,
} from "../rules/payment-records.testing.ts";
import type { Channels, HeldChannel, NewChannel } from "./channels.ts";
import { opened, state, voucherOf } from "./new-channels.testing.ts";

function keptOf({ id }: NewChannel, charged: bigint, claimed = 0n) {
  return { charged, claimed, voucher: voucherOf(id, charged) };
}

function channelsOf({ channels }: PaymentRecords): Channels {
  if (!channels) throw new Error("The store keeps no channels.");
  return channels;
}

/** Runs these promises against one store. */
export function channelsSuite(name: string, kind: StoreKind): void {
  // The hooks are for these tests alone, beside whatever else a file has.
  describe("channels", () => {
    let nowMs: number;
    let stage: Awaited<ReturnType<StoreKind["open"]>>;
    let records: PaymentRecords;
    let channels: Channels;
    const create = (bounds: { entriesMax?: number; leaseMs?: number } = {}): Channels =>
      channelsOf(stage.create({ now: () => nowMs, ...bounds }));
    beforeEach(async () => {
      nowMs = 1_000;
      stage = await kind.open();
      records = stage.create({ now: () => nowMs });
      channels = channelsOf(records);
    });
    afterEach(() => stage.close());

    async function held(of = opened(), by = channels): Promise<HeldChannel> {
      const holding = await by.hold(of.id, of);
      if (holding.kind !== "held") throw new Error(`The channel is ${holding.kind}.`);
      return holding.held;
    }

    async function charge(cost: bigint, of = opened()): Promise<void> {
      const holder = await held(of);
      const total = holder.channel.charged + cost;
      await holder.charge({ cost, voucher: voucherOf(of.id, total) });
    }

    describe(`${name}: a channel`, () => {
      test("is stored once it is opened, with what was claimed as charged", async () => {
        const channel = opened(1, { totalClaimed: 300n });
        expect(await channels.hold(channel.id)).toEqual({ kind: "unknown" });
        await (await held(channel)).release();
        const found = await channels.find(channel.id);
        expect(found).toMatchObject({ ...channel, charged: 300n, vaulted: 0n, readAtMs: 1_000 });
        expect(found?.openRefund).toBeUndefined();
      });

      test("serves one request at a time, and each charge counts once", async () => {
        const first = await held();
        expect(await channels.hold(opened().id)).toEqual({ kind: "busy" });
        await first.charge({ cost: 400n, voucher: voucherOf(opened().id, 1_000n) });
        expect(await first.charge({ cost: 400n, voucher: opened().voucher })).toBeUndefined();
        await charge(250n);
        const found = await channels.find(opened().id);
        expect(found).toMatchObject({ charged: 650n, voucher: { maxClaimableAmount: 650n } });
      });

      test("works for one of the requests that come at once, when it is new and later", async () => {
        const processes = kind.isShared ? [channels, create()] : [channels];
        for (const nth of [1, 2, 3]) {
          const holdings = await Promise.all(
            Array.from({ length: 8 }, async (_one, at) =>
              processes[at % processes.length]?.hold(opened().id, opened()),
            ),
          );
          const [first, ...others] = holdings.flatMap((one) =>
            one?.kind === "held" ? one.held : [],
          );
          expect(others).toEqual([]);
          expect(holdings.filter((one) => one?.kind === "busy")).toHaveLength(7);
          expect(first?.channel.charged).toBe(BigInt(nth - 1));
          await first?.charge({ cost: 1n, voucher: voucherOf(opened().id, 1_000n) });
        }
      });

      test("keeps the highest claimed total, also while a request works", async () => {
        const holder = await held();
        await channels.claimed(opened().id, 500n);
        await channels.claimed(opened().id, 200n);
        const after = await holder.charge({ cost: 1n, voucher: opened().voucher });
        expect(after).toMatchObject({ charged: 501n, state: { totalClaimed: 500n } });
      });

      test("is charged no more than its voucher is for, whatever is told of claims meanwhile", async () => {
        const holder = await held();
        await channels.claimed(opened().id, 5_000n);
        const after = await holder.charge({ cost: 1n, voucher: opened().voucher });
        expect(after).toMatchObject({ charged: 1n, state: { totalClaimed: 5_000n } });
      });

      test("that nothing came of is forgotten; one that was released stays", async () => {
        await (await held()).release(true);
        expect(await channels.find(opened().id)).toBeUndefined();
        await (await held()).release();
        expect(await channels.find(opened().id)).toBeDefined();
      });

      test("remembers a refund under way until the chain has passed its nonce", async () => {
        const holder = await held();
        await holder.refunding({ nonce: 0n, amount: 9_000n });
        expect(await holder.mirror(state)).toMatchObject({
          openRefund: { nonce: 0n, amount: 9_000n },
        });
        const over = await holder.mirror({ ...state, balance: 1_000n, refundNonce: 1n });
        expect(over?.openRefund).toBeUndefined();
      });

      test("with charges is kept unclaimed for any time, while others come", async () => {
        await charge(100n, opened(1));
        nowMs += 40 * 24 * 60 * 60 * 1000;
        await charge(1n, opened(2));
        expect(await channels.find(opened(1).id)).toMatchObject({ charged: 100n });
      });

      test("is listed while something of it is unclaimed, page by page", async () => {
        for (const nth of [1, 2, 3]) await charge(100n, opened(nth));
        await charge(0n, opened(4));
        await channels.claimed(opened(2).id, 100n);
        const [first] = await channels.list("unclaimed", "", 1);
        const rest = await channels.list("unclaimed", first?.id ?? "", 10);
        const ids = [first, ...rest].map((channel) => channel?.id);
        expect(ids).toEqual([opened(1).id, opened(3).id].toSorted());
      });

      test("is listed while the facilitator keeps less than was charged and not claimed", async () => {
        for (const nth of [1, 2, 3]) await charge(100n, opened(nth));
        await channels.vaulted(opened(1).id, keptOf(opened(1), 100n));
        await channels.vaulted(opened(1).id, keptOf(opened(1), 40n));
        await channels.vaulted(opened(2).id, keptOf(opened(2), 99n));
        await channels.claimed(opened(3).id, 100n);
        const listed = async () =>
          (await channels.list("unvaulted", "", 10)).map(({ id, vaulted }) => `${id} ${vaulted}`);
        expect(await listed()).toEqual([`${opened(2).id} 99`]);
        await charge(1n, opened(1));
        const both = [`${opened(1).id} 100`, `${opened(2).id} 99`];
        expect(await listed()).toEqual(both.toSorted());
        expect(await channels.list("unclaimed", "", 10)).toHaveLength(2);
      });

      test("remembers what it sold until the facilitator keeps it", async () => {
        const [of, b] = [opened(), { route: "GET /b", resource: "https://shop.example/b" }];
        const sell = async (cost: bigint, names: SoldNames) => {
          const holder = await held(of);
          const voucher = voucherOf(of.id, holder.channel.charged + cost);
          return (await holder.charge({ cost, voucher, names }))?.sold;
        };
        await sell(100n, { route: "GET /a" });
        await sell(20n, b);
        const all = [
          { route: "GET /a", units: 100n },
          { ...b, units: 23n },
        ];
        expect(await sell(3n, b)).toEqual(all);
        expect((await channels.find(of.id))?.sold).toEqual(all);
        await channels.vaulted(of.id, keptOf(of, 110n));
        expect((await channels.find(of.id))?.sold).toEqual([{ ...b, units: 13n }]);
        await channels.vaulted(of.id, keptOf(of, 123n));
        expect((await channels.find(of.id))?.sold).toEqual([]);
      });

      test("takes over what the facilitator keeps more of, once nobody works on it", async () => {
        await charge(100n, opened());
        const holder = await held(opened());
        const more = keptOf(opened(), 300n, 200n);
        await channels.vaulted(opened().id, more);
        expect(await channels.find(opened().id)).toMatchObject({ charged: 100n, vaulted: 0n });
        await holder.release();
        await channels.vaulted(opened().id, more);
        const found = await channels.find(opened().id);
        expect(found).toMatchObject({ charged: 300n, vaulted: 300n, voucher: more.voucher });
        expect(found?.state.totalClaimed).toBe(200n);
      });

      test("keeps the response of a call with its charge, for who proves to be the same buyer", async () => {
        const [first, repeat] = [binding("channel/a"), showing({ token: "t" })];
        const kept = { receipt, response: response(300) };
        const recall = (by = records) => by.recall(first, repeat);
        const keep = () => records.toKeep(first, showing({ token: "t", cookie: "c" }), kept);
        const lost = await held();
        await lost.release();
        expect(await lost.charge({ cost: 1n, voucher: opened().voucher, keep })).toBeUndefined();
        expect(await recall()).toBeUndefined();
        await (await held()).charge({ cost: 1n, voucher: opened().voucher, keep });
        expect(await recall()).toEqual(kept);
        expect(await records.recall(first, showing({ cookie: "c" }))).toEqual(kept);
        for (const proof of [{}, { token: "u" }, { token: "t", isTokenShared: true }]) {
          expect(await records.recall(first, showing(proof, "anyone"))).toBeUndefined();
        }
        for (const change of [{ fingerprint: "g" }, { payload: "q" }]) {
          expect(await records.recall({ ...first, ...change }, repeat)).toBeUndefined();
        }
        // A later call with the same total replaces it.
        const newer = { receipt, response: response(3) };
        const again = () => records.toKeep(first, repeat, newer);
        await (await held()).charge({ cost: 0n, voucher: opened().voucher, keep: again });
        expect(await recall()).toEqual(newer);
        nowMs += maxReplayMs;
        expect(await recall()).toBeUndefined();
      });

      test("that was forgotten and comes again is another one for whoever had it before", async () => {
        const before = await held();
        await before.release(true);
        await (await held()).release();
        await before.release(true);
        expect(await before.charge({ cost: 9n, voucher: opened().voucher })).toBeUndefined();
        expect(await channels.find(opened().id)).toMatchObject({ charged: 0n });
      });
    });

    describe.runIf(kind.isBounded)(`${name}: a channel`, () => {
      test("keeps as many responses as there is room for, in place of the oldest of a call", async () => {
        const small = stage.create({ now: () => nowMs, entriesMax: 3, totalBytesMax: 10 });
        await (await leaseOf(small, binding("paid"))).complete(receipt, response(4));
        const call = async (nth: number, bytes: number) => {
          const kept = { receipt, response: response(bytes) };
          const keep = () => small.toKeep(binding(`channel/${nth}`), showing({ token: "t" }), kept);
          await (
            await held(opened(), small.channels)
          ).charge({
            cost: 1n,
            voucher: opened().voucher,
            keep,
          });
        };
        const bytesOf = async (nth: number) => {
          const call = await small.recall(binding(`channel/${nth}`), showing({ token: "t" }));
          return call?.response.body.byteLength;
        };
        for (const nth of [1, 2, 3]) await call(nth, 3);
        expect(await Promise.all([1, 2, 3].map(bytesOf))).toEqual([undefined, 3, 3]);
        await call(4, 6);
        expect(await Promise.all([2, 3, 4].map(bytesOf))).toEqual([undefined, undefined, 6]);
        // Too large for what payments leave: charged all the same.
        await call(5, 7);
        expect(await bytesOf(5)).toBeUndefined();
        expect(await small.channels?.find(opened().id)).toMatchObject({ charged: 5n });
        expect(await small.acquire(binding("paid"), buyer)).toMatchObject({ kind: "delivered" });
      });

      test("makes room for another one only where the chain knows as much of it", async () => {
        const small = create({ entriesMax: 2 });
        const first = await held(opened(1), small);
        await first.charge({ cost: 100n, voucher: opened(1).voucher });
        await (await held(opened(2), small)).release();
        await (await held(opened(3), small)).charge({ cost: 7n, voucher: opened(3).voucher });
        expect(await small.find(opened(2).id)).toBeUndefined();
        expect(await small.hold(opened(4).id, opened(4))).toEqual({ kind: "full" });
        expect(await small.find(opened(1).id)).toMatchObject({ charged: 100n });
      });

      test("makes no room while a request works on it, or while a refund of it is under way", async () => {
        const small = create({ entriesMax: 2 });
        const working = await held(opened(1), small);
        const refunded = await held(opened(2), small);
        await refunded.refunding({ nonce: 0n, amount: 9_000n });
        await refunded.release();
        expect(await small.hold(opened(3).id, opened(3))).toEqual({ kind: "full" });
        const after = await working.charge({ cost: 5n, voucher: opened(1).voucher });
        expect(after).toMatchObject({ charged: 5n });
      });
    });

    describe.runIf(kind.isShared)(`${name}: a channel of several processes`, () => {
      test("goes on after the lease of a process that died, which then charges nothing", async () => {
        const dead = await held();
        const other = create();
        expect(await other.hold(opened().id)).toEqual({ kind: "busy" });
        nowMs += 15_001;
        await (await held(opened(), other)).charge({ cost: 5n, voucher: opened().voucher });
        const [call, shown] = [binding("channel/late"), showing({ token: "t" })];
        const keep = () => records.toKeep(call, shown, { receipt, response: response(3) });
        expect(await dead.charge({ cost: 9n, voucher: opened().voucher, keep })).toBeUndefined();
        expect(await other.find(opened().id)).toMatchObject({ charged: 5n });
        expect(await records.recall(call, shown)).toBeUndefined();
      });

      test("is not forgotten by the process that opened it, once another has charged it", async () => {
        const slow = await held();
        nowMs += 15_001;
        const other = create();
        await (await held(opened(), other)).charge({ cost: 5n, voucher: opened().voucher });
        await slow.release(true);
        expect(await other.find(opened().id)).toMatchObject({ charged: 5n });
      });

      test("goes on from what another process has done, whatever it remembers itself", async () => {
        const other = create();
        await charge(1n);
        await (await held(opened(), other)).charge({ cost: 2n, voucher: opened().voucher });
        const holder = await held();
        expect(holder.channel.charged).toBe(3n);
        await other.claimed(opened().id, 2n);
        await holder.charge({ cost: 4n, voucher: opened().voucher });
        const working = await held(opened(), other);
        expect(await channels.hold(opened().id)).toEqual({ kind: "busy" });
        await working.release(true);
        expect(await channels.hold(opened().id)).toEqual({ kind: "unknown" });
        await charge(5n);
        expect(await other.find(opened().id)).toMatchObject({ charged: 5n });
      });

      test("is held by one of many requests that come at once, and charged by it alone", async () => {
        const both = [channels, create()] as const;
        const of = opened();
        for (const total of [1_000n, 2_000n]) {
          const tries = Array.from({ length: 10 }, async (_one, at) => {
            const holding = await both[at % 2 === 0 ? 0 : 1].hold(of.id, of);
            if (holding.kind !== "held") return holding.kind;
            const voucher = voucherOf(of.id, total);
            return (await holding.held.charge({ cost: 1_000n, voucher }))?.charged;
          });
          const ends = await Promise.all(tries);
          // One that came late may have held it as well, with the newer total.
          const charged = ends.filter((end) => typeof end === "bigint").map(Number);
          expect(charged).toHaveLength(new Set(charged).size);
          const found = await both[0].find(of.id);
          expect(Number(found?.charged)).toBe(Math.max(...charged));
        }
      });

      test("is charged while others note what was claimed and what is kept", async () => {
        const [other, of] = [create(), opened()];
        for (let nth = 1n; nth <= 5n; nth++) {
          const holder = await held(of);
          const voucher = voucherOf(of.id, nth * 100n);
          await Promise.all([
            holder.charge({ cost: 100n, voucher }),
            other.claimed(of.id, (nth - 1n) * 100n),
            other.vaulted(of.id, keptOf(of, (nth - 1n) * 100n)),
          ]);
        }
        const found = await other.find(of.id);
        expect(found).toMatchObject({ charged: 500n, vaulted: 400n, holder: "" });
        expect(found?.state.totalClaimed).toBe(400n);
      });
    });
  });
}
