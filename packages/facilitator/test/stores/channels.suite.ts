/** What every store promises about channels: what they sold, and whose money was not sent. */
import type { Address, SoldPart } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { NewVoucher } from "../../src/features/channels/model.ts";
import { monthOf } from "../../src/features/revenue/participant.ts";
import { namesMax } from "../../src/features/revenue/bounded-names.ts";
import { revenueBases } from "../../src/features/revenue/tables.ts";
import { voucherOf } from "./channel-scenario.testing.ts";
import { storeForEach } from "./store-benches.testing.ts";
import { chainId, next, type StoreBench } from "./store-values.testing.ts";

const now = Date.UTC(2026, 10, 3);
const price = { credits: 0, freeCredits: 0 };

/** Mainnet, where these accounts have no channels. */
const otherChainId = 50;

const newAccount = (): Address => `0x${next().toString(16).padStart(40, "5")}`;

/** The tests, on databases that `start` makes. */
export function channelsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  async function revenueOf(account: Address) {
    const { store } = at();
    const lists = await Promise.all(
      revenueBases.map(async (basis) => {
        const of = { chainId, basis, month: monthOf(now) };
        const { items } = await store.listRevenue(account, of, { limit: 9 });
        return [basis, items.map(({ name, units }) => [name, Number(units)])] as const;
      }),
    );
    return Object.fromEntries(lists);
  }

  test("what a channel was charged is revenue of its routes once, however often it is handed over", async () => {
    const { store } = at();
    const account = newAccount();
    const voucher = voucherOf(account, { balance: 100n, maxClaimableAmount: 100n, sold: [] });
    const keep = (charged: bigint, sold: readonly SoldPart[], changes: Partial<NewVoucher> = {}) =>
      store.keepVouchers([{ ...voucher, charged, sold, ...changes }], price, now);
    const [a, b] = [
      { resource: "https://shop.example/a", route: "GET /a", units: 5n },
      { route: "GET /b", units: 7n },
    ];
    await keep(5n, [a]);
    await keep(5n, [a]);
    // The seller did not get the answer, so it says the first part again.
    await keep(12n, [a, b]);
    await keep(12n, [a, b]);
    const payer = account.toLowerCase();
    expect(await revenueOf(account)).toEqual({
      resource: [["https://shop.example/a", 5]],
      route: [
        ["GET /b", 7],
        ["GET /a", 5],
      ],
      payer: [[payer, 12]],
    });
    // What it does not name, or names beyond what was charged, is in no route.
    await keep(20n, [{ ...a, units: 2n }]);
    await keep(21n, [{ ...b, units: 90n }]);
    expect(await revenueOf(account)).toMatchObject({
      route: [
        ["GET /b", 8],
        ["GET /a", 7],
      ],
      payer: [[payer, 21]],
    });
  });

  test("an account's channels add no names without end, and no unit is lost by that", async () => {
    const { store } = at();
    const account = newAccount();
    const many = BigInt(namesMax);
    const voucher = voucherOf(account, { balance: many * 2n, maxClaimableAmount: many * 2n });
    const keep = (charged: bigint, sold: readonly SoldPart[]) =>
      store.keepVouchers([{ ...voucher, charged, sold }], price, now);
    const parts = Array.from({ length: namesMax }, (_one, nth) => ({
      route: `r${nth}`,
      units: 1n,
    }));
    await keep(many, parts);
    await keep(many + 3n, [
      { route: "r7", units: 2n },
      { route: "one more", units: 1n },
    ]);
    const of = { chainId, month: monthOf(now) };
    const names = async (basis: "route" | "payer") =>
      (await store.listRevenue(account, { ...of, basis }, { limit: namesMax + 1 })).items.map(
        ({ name, units }) => [name, Number(units)],
      );
    const routes = await names("route");
    expect(routes[0]).toEqual(["r7", 3]);
    expect(routes).toHaveLength(namesMax);
    expect(await names("payer")).toEqual([[account.toLowerCase(), namesMax + 3]]);
  });

  test("a voucher that was checked before a look takes back nothing that the look has read", async () => {
    const { store } = at();
    const voucher = voucherOf(newAccount());
    const { channelId } = voucher;
    await store.keepVouchers([voucher], price, now);
    const seen = { balance: 8n, withdrawing: 1n, withdrawRequestedAt: 7, refundNonce: 0n };
    const states = [{ channelId, state: { ...seen, totalClaimed: 5n } }];
    await store.recordChannels(chainId, states, now);
    await store.keepVouchers([{ ...voucher, charged: 6n }], price, now + 1);
    expect((await store.findVouchers(chainId, [channelId])).get(channelId)).toMatchObject({
      charged: 6n,
      balance: 8n,
      claimed: 5n,
      withdrawRequestedAt: 7,
      readAt: now,
    });
    // Of a channel in which nothing is left there is nothing to claim, whatever else was charged.
    const empty = { ...seen, balance: 5n, totalClaimed: 5n };
    await store.recordChannels(chainId, [{ channelId, state: empty }], now);
    await store.keepVouchers([{ ...voucher, charged: 7n }], price, now + 1);
    const kept = await store.findVouchers(chainId, [channelId]);
    expect(kept.get(channelId)).toMatchObject({ charged: 7n, unclaimedSince: null });
  });

  test("unclaimed channels come with those of payers who withdraw first, then by when they are due", async () => {
    const { store } = at();
    const account = newAccount();
    const withDelay = (withdrawDelay: number, changes: Partial<NewVoucher> = {}) => {
      const voucher = voucherOf(account, changes);
      return { ...voucher, config: { ...voucher.config, withdrawDelay } };
    };
    const [late, soon, withdrawn] = [
      withDelay(86_400),
      withDelay(900),
      withDelay(2_592_000, { withdrawRequestedAt: 7 }),
    ];
    await store.keepVouchers([late], price, now);
    await store.keepVouchers([soon, withdrawn], price, now + 1);
    const wanted = [withdrawn, soon, late].map(({ channelId }) => channelId);
    const listed = await store.listUnclaimed(chainId, now + 1, 1_000);
    const own = listed.filter((row) => row.account.toLowerCase() === account.toLowerCase());
    expect(own.map(({ channelId }) => channelId)).toEqual(wanted);
    const of = await store.listUnclaimedOf(chainId, [account], { now: now + 1, limit: 9 });
    expect(of.map(({ channelId }) => channelId).toSorted()).toEqual(wanted.toSorted());
    const atRisk = await store.listAccountsAtRisk(chainId, 15n, 1_000);
    expect(atRisk.map((one) => one.toLowerCase())).toContain(account.toLowerCase());
    const higher = await store.listAccountsAtRisk(chainId, 16n, 1_000);
    expect(higher.map((one) => one.toLowerCase())).not.toContain(account.toLowerCase());
  });

  test("accounts whose claimed money was not sent come with the most first, and no others", async () => {
    const { store } = at();
    const units = [5n, 70n, 9n, 30n];
    const accounts: Address[] = [];
    for (const claimed of units) {
      const account = newAccount();
      accounts.push(account);
      const voucher = voucherOf(account, { charged: claimed, claimed, balance: 100n });
      await store.keepVouchers([voucher], price, now);
    }
    const [, most, , second] = accounts;
    const list = async (limit: number, left: readonly Address[] = []) =>
      (await store.listUnsent(chainId, 10n, { limit, left })).map((one) => one.toLowerCase());
    expect(await list(20)).toEqual([most, second]);
    expect(await list(1)).toEqual([most]);
    expect(await list(1, accounts.slice(1, 2))).toEqual([second]);
    if (most) await store.recordSettled(most, otherChainId, 65n);
    expect(await list(20)).toEqual([most, second]);
    if (most) await store.recordSettled(most, chainId, 65n);
    expect(await list(20)).toEqual([second]);
  });

  test("a channel is shown to its own account alone", async () => {
    const { store } = at();
    const voucher = voucherOf(newAccount());
    await store.keepVouchers([voucher], price, now);
    const { account, channelId } = voucher;
    expect(await store.findChannel(account, channelId)).toMatchObject({ channelId });
    expect(await store.findChannel(newAccount(), channelId)).toBe(undefined);
  });

  test("newer vouchers of a channel, and looks at it, do not put its claim off", async () => {
    const { store } = at();
    const voucher = voucherOf(newAccount());
    const { channelId } = voucher;
    const keep = (charged: bigint, at: number, claimed = 0n) =>
      store.keepVouchers([{ ...voucher, charged, claimed, readAt: at }], price, at);
    const since = async () =>
      (await store.findVouchers(chainId, [channelId])).get(channelId)?.unclaimedSince;
    await keep(5n, now);
    await keep(6n, now + 60_000);
    expect(await since()).toBe(now);
    // Nor does a look at the contract.
    const read = { balance: 9n, totalClaimed: 0n, withdrawing: 0n, refundNonce: 0n };
    const states = [{ channelId, state: { ...read, withdrawRequestedAt: 0 } }];
    await store.recordChannels(chainId, states, now + 70_000);
    expect(await since()).toBe(now);
    // What was claimed is over; the next charge waits anew.
    await keep(7n, now + 120_000, 7n);
    expect(await since()).toBeNull();
    await keep(8n, now + 180_000, 7n);
    expect(await since()).toBe(now + 180_000);
    // The account's sums say the same, once.
    const sums = await store.sumChannels(voucher.account, chainId);
    expect(sums).toMatchObject({ open: 1, charged: 8n, claimed: 7n });
  });

  test("one claim is reserved for, however many vouchers it comes to", async () => {
    const { store } = at();
    const account = newAccount();
    const voucher = voucherOf(account);
    await store.grantCredits({ account, kind: "grant", credits: 5, actor: "t", note: null }, now);
    for (const charged of [5n, 6n, 7n]) {
      await store.keepVouchers([{ ...voucher, charged }], { credits: 2, freeCredits: 0 }, now);
    }
    expect(await store.findCredits(account)).toMatchObject({ available: 3 });
    // Others have claimed it: what was reserved is given back once, however often that is seen.
    const { channelId } = voucher;
    const seen = { balance: 9n, withdrawing: 0n, withdrawRequestedAt: 0, refundNonce: 0n };
    for (const at of [now + 1, now + 2]) {
      await store.recordChannels(
        chainId,
        [{ channelId, state: { ...seen, totalClaimed: 7n } }],
        at,
      );
      expect(await store.findCredits(account)).toMatchObject({ available: 5 });
    }
    const dearer = { ...voucherOf(account), charged: 8n };
    const unpaid = await store.keepVouchers([dearer], { credits: 6, freeCredits: 0 }, now);
    expect([...unpaid]).toEqual([dearer.channelId]);
    expect(await store.findCredits(account)).toMatchObject({ available: 5 });
  });

  test("what was spent on a claim that was not sent is reserved again, or given back, once", async () => {
    const { store } = at();
    const account = newAccount();
    const voucher = voucherOf(account);
    const { channelId } = voucher;
    const terms = { credits: 2, freeCredits: 0 };
    await store.grantCredits({ account, kind: "grant", credits: 9, actor: "t", note: null }, now);
    await store.keepVouchers([voucher], terms, now);
    const available = async () => (await store.findCredits(account)).available;
    const spend = () => store.spendReservations(chainId, [channelId]);
    const spent = await spend();
    expect(spent).toEqual([{ channelId, account, credits: 2 }]);
    expect(await spend()).toEqual([]);
    await store.restoreReservations(chainId, spent, now);
    expect([await spend(), await available()]).toEqual([spent, 7]);
    // Another voucher has reserved its own claim meanwhile.
    await store.keepVouchers([{ ...voucher, charged: 6n }], terms, now);
    expect(await available()).toBe(5);
    await store.restoreReservations(chainId, spent, now);
    expect([await available(), await store.auditCredits(10)]).toEqual([7, []]);
  });

  test("of several vouchers of a channel in one call the highest total is kept, in any order", async () => {
    const { store } = at();
    for (const totals of [
      [5n, 7n, 6n],
      [7n, 5n],
    ]) {
      const voucher = voucherOf(newAccount());
      const { channelId } = voucher;
      const vouchers = totals.map((charged) => ({ ...voucher, charged }));
      await store.keepVouchers(vouchers, price, now);
      const kept = (await store.findVouchers(chainId, [channelId])).get(channelId);
      expect(kept?.charged).toBe(7n);
    }
  });

  test("a channel is claimed by one process at a time, until it is given back or the time is over", async () => {
    const { store } = at();
    const voucher = voucherOf(newAccount());
    await store.keepVouchers([voucher], price, now);
    const ids = [voucher.channelId];
    const take = (from: number) =>
      store.takeForClaim(chainId, ids, { now: from, until: from + 60 });
    expect(await take(now)).toEqual(ids);
    expect(await take(now + 59)).toEqual([]);
    expect(await take(now + 60)).toEqual(ids);
    // The first process comes too late to give it back.
    await store.giveBack(chainId, ids, now + 60);
    expect(await take(now + 61)).toEqual([]);
    await store.giveBack(chainId, ids, now + 120);
    expect(await take(now + 62)).toEqual(ids);
  });
}
