/** What a seller passes to the facilitator's vault, and what it serves while the vault does not answer. */
import { addressOfKey, apothem, member, xdc, type Network } from "@farthing/protocol";
import { expect, test, vi } from "vitest";
import type { Facilitator } from "../facilitator.ts";
import { createFacilitatorOrder } from "../facilitator-order.ts";
import { createMemoryGrants } from "../index.ts";
import { firstOf } from "../payment-records/channels/channels.ts";
import { opened } from "../payment-records/channels/new-channels.testing.ts";
import { createVirtualTime } from "../virtual-time.testing.ts";
import {
  authorizerKey,
  challengeOf,
  channelId,
  chargedBy,
  createChannelChain,
  createVault,
  openShop,
  signTotal,
  type Sent,
} from "./channel-shop.testing.ts";
import { readKeptVouchers } from "./kept-vouchers.ts";
import { createVoucherVault } from "./voucher-vault.ts";

const deposit: Sent = { type: "deposit", total: 1_000n, deposit: 1_000_000n };
const otherKey = `0x${"44".repeat(32)}`;
const noPlan = {
  kind: "account",
  code: "seller_plan_inactive",
  message: "The plan ended.",
} as const;
const down = { kind: "fault", reason: "unreachable", message: "refused" } as const;

function openVaulted(
  maxUnvaulted = "0.005",
  vault = createVault(),
  chain = createChannelChain(),
  grants = createMemoryGrants(),
  key: string = authorizerKey,
) {
  const { keepVouchers } = vault;
  const facilitator = { ...chain.facilitator, keepVouchers };
  const channels = { authorizerKey: key, maxUnvaulted };
  const shop = openShop({ chain, seller: { facilitator, channels, grants } });
  const calls = async (from: bigint, to: bigint) => {
    for (let total = from; total <= to; total += 1_000n) {
      expect((await shop.pay({ total })).status).toBe(200);
    }
  };
  return { ...shop, vault, calls };
}

/** The records of a second shop stay behind, as those of a shop that were put back; the vault has 5,000. */
async function openBehind(grants = createMemoryGrants()) {
  const first = openVaulted("1");
  await first.pay(deposit);
  const behind = openVaulted("1", first.vault, first.chain, grants);
  expect(chargedBy(await behind.pay({ total: 1_000n }))).toEqual(["1000", "1000"]);
  await first.calls(2_000n, 5_000n);
  await first.time.pass(1_000);
  return { first, behind };
}

test("the newest voucher goes to the vault within a second, with one call for several charges", async () => {
  const shop = openVaulted("1");
  await shop.pay(deposit);
  await shop.calls(2_000n, 4_000n);
  expect(shop.vault.calls).toEqual([]);
  await shop.time.pass(1_000);
  expect(shop.vault.calls).toEqual([["4000"]]);
  await shop.time.pass(60_000);
  expect(shop.vault.calls).toHaveLength(1);
});

test("the vault is told what was sold, once more with newer charges where its answer was lost", async () => {
  const shop = openVaulted("1");
  await shop.pay(deposit);
  await shop.time.pass(1_000);
  const resource = "https://shop.example/report";
  expect(shop.vault.sold()).toEqual([[{ resource, units: "1000" }]]);
  shop.vault.answering.isLost = true;
  await shop.calls(2_000n, 3_000n);
  await shop.time.pass(1_000);
  shop.vault.answering.isLost = false;
  await shop.pay({ total: 4_000n }, { path: "/other" });
  await shop.time.pass(3_000);
  const all = [
    { resource, units: "2000" },
    { resource: "https://shop.example/other", units: "1000" },
  ];
  expect(shop.vault.sold()).toEqual([all]);
  await shop.calls(5_000n, 5_000n);
  await shop.time.pass(1_000);
  expect(shop.vault.sold()).toEqual([[{ resource, units: "1000" }]]);
});

test("each network's vouchers go by themselves, in calls of no more than the facilitator reads", async () => {
  const calls: { readonly network: unknown; readonly rows: number; readonly bytes: number }[] = [];
  const keepVouchers: Facilitator["keepVouchers"] = async (sent) => {
    const [network, rows] = [member({ ...sent }, "network"), member({ ...sent }, "vouchers")];
    const { length } = Array.isArray(rows) ? rows : [];
    calls.push({ network, rows: length, bytes: JSON.stringify(sent).length });
    return { kind: "kept", rows: new Map() };
  };
  const vault = createVoucherVault({
    facilitators: createFacilitatorOrder([{ ...createChannelChain().facilitator, keepVouchers }]),
    maxUnvaulted: 1_000_000n,
    clock: createVirtualTime().clock,
    channels: undefined,
  });
  const authority = { address: addressOfKey(authorizerKey), nth: 0, privateKey: authorizerKey };
  const sold = [{ resource: `https://shop.example/${"a".repeat(2_000)}`, units: 5n }];
  for (let nth = 1; nth <= 40; nth++) {
    const { id: network } = nth === 1 ? xdc : apothem;
    void vault.pass({ ...firstOf(opened(nth), 0), network, charged: 5n, sold }, authority);
  }
  await vault.drain();
  const rowsOn = ({ id }: Network) =>
    calls.reduce((sum, { network, rows }) => (network === id ? sum + rows : sum), 0);
  expect([rowsOn(xdc), rowsOn(apothem)]).toEqual([1, 39]);
  expect(Math.max(...calls.map(({ bytes }) => bytes))).toBeLessThanOrEqual(64 * 1024);
});

test("half of the bound ends the wait for more", async () => {
  const shop = openVaulted("0.006");
  await shop.pay(deposit);
  await shop.calls(2_000n, 3_000n);
  await vi.waitFor(() => expect(shop.vault.calls).toEqual([["3000"]]));
});

test("while the vault is away a channel is served up to the bound, and goes on once it is back", async () => {
  const shop = openVaulted("0.005");
  shop.vault.answering.reply = down;
  await shop.pay(deposit);
  await shop.calls(2_000n, 5_000n);
  shop.vault.answering.reply = noPlan;
  expect((await shop.pay({ total: 6_000n })).status).toBe(503);
  shop.vault.answering.reply = down;
  const refused = await shop.pay({ total: 6_000n });
  expect(refused.status).toBe(503);
  expect(await refused.text()).toContain("It was not taken");
  expect(shop.events.at(-1)).toMatchObject({ type: "facilitator_fault" });
  delete shop.vault.answering.reply;
  expect(chargedBy(await shop.pay({ total: 6_000n }))).toEqual(["1000", "6000"]);
});

test("a call waits for the vault no longer than for anything else", async () => {
  const timeouts: number[] = [];
  const chain = createChannelChain();
  const keepVouchers: Facilitator["keepVouchers"] = async (_, { timeoutMs }) => {
    timeouts.push(timeoutMs);
    return down;
  };
  const channels = { authorizerKey, maxUnvaulted: "0.000001" };
  const facilitator = { ...chain.facilitator, keepVouchers };
  const shop = openShop({ chain, seller: { facilitator, channels, waitMs: 4_000 } });
  await shop.pay(deposit);
  for (const total of [2_000n, 3_000n]) await shop.pay({ total });
  expect((await shop.pay({ total: 4_000n })).status).toBe(503);
  expect(timeouts.at(-1)).toBe(4_000);
});

test("a voucher that the vault refuses counts as not passed", async () => {
  const shop = openVaulted("0.003");
  await shop.pay(deposit);
  const refusal = { errorReason: "receiver_mismatch", errorMessage: "another account" };
  const rows = readKeptVouchers({ kept: [], refused: [{ channelId, ...refusal }] });
  shop.vault.answering.reply = { kind: "kept", rows: rows ?? new Map() };
  await shop.calls(2_000n, 3_000n);
  expect((await shop.pay({ total: 4_000n })).status).toBe(503);
  const message = expect.stringContaining("receiver_mismatch: another account");
  expect(shop.events.at(-1)).toMatchObject({ fault: { message } });
});

test("the bound is at least three calls; a facilitator that keeps no vouchers has none", async () => {
  const shop = openVaulted("0.000001");
  shop.vault.answering.reply = down;
  await shop.pay(deposit);
  await shop.calls(2_000n, 3_000n);
  expect((await shop.pay({ total: 4_000n })).status).toBe(503);
  shop.vault.answering.reply = { kind: "none" };
  await shop.calls(4_000n, 20_000n);
  const asked = shop.vault.calls.length;
  await shop.time.pass(60_000);
  expect(shop.vault.calls).toHaveLength(asked);
});

test("an unreachable vault is asked with growing pauses, and each minute anew until it is back", async () => {
  const shop = openVaulted("1");
  shop.vault.answering.reply = down;
  await shop.pay(deposit);
  const asked: number[] = [];
  for (let second = 0; second < 10; second++) {
    await shop.time.pass(1_000);
    asked.push(shop.vault.calls.length);
  }
  expect(asked).toEqual([1, 1, 2, 2, 2, 2, 3, 3, 3, 3]);
  await shop.time.pass(3_600_000);
  delete shop.vault.answering.reply;
  shop.vault.answering.claimed = "1000";
  await shop.time.pass(120_000);
  expect(shop.vault.calls.at(-1)).toEqual(["1000"]);
  const { length } = shop.vault.calls;
  expect(length).toBeLessThan(6 * 62);
  await shop.time.pass(3_600_000);
  expect(shop.vault.calls).toHaveLength(length);
});

test("what a process charged before it died is passed on by the next start, without a call", async () => {
  const grants = createMemoryGrants();
  const died = openVaulted("1", createVault(), createChannelChain(), grants);
  await died.pay(deposit);
  await died.calls(2_000n, 3_000n);
  expect(died.vault.calls).toEqual([]);
  const next = openVaulted("1", died.vault, died.chain, grants);
  // What it found waits as long as any charge.
  await vi.waitFor(() => expect(next.time.sleeping()).toBe(2));
  await next.time.pass(1_000);
  expect(next.vault.calls).toEqual([["3000"]]);
  died.vault.answering.claimed = "3000";
  await next.time.pass(301_000);
  // All is claimed, which the store tells to every process.
  await openVaulted("1", died.vault, died.chain, grants).time.pass(600_000);
  expect(next.vault.calls).toHaveLength(2);
});

test("what another process has left is passed on within a minute, also where a runtime has no timers", async () => {
  const grants = createMemoryGrants();
  const [one, other] = [
    openVaulted("1", createVault(), createChannelChain(), grants),
    openVaulted("1", createVault(), createChannelChain(), grants),
  ];
  await one.pay(deposit);
  await other.time.pass(60_000);
  await other.time.pass(1_000);
  expect(other.vault.calls).toEqual([["1000"]]);
  await one.calls(2_000n, 2_000n);
  other.time.skip(60_000);
  // The request of another channel, which is refused.
  await other.pay({ total: 9_000n });
  await other.time.pass(1_000);
  expect(other.vault.calls).toEqual([["1000"], ["2000"]]);
});

test("channels of another authorizer are left to the seller who has its key", async () => {
  const grants = createMemoryGrants();
  const one = openVaulted("1", createVault(), createChannelChain(), grants);
  await one.pay(deposit);
  const other = openVaulted("1", createVault(), createChannelChain(), grants, otherKey);
  await other.time.pass(120_000);
  expect(other.vault.calls).toEqual([]);
});

test("a seller that lost its records has the total of the vault, and the buyer the proof of it", async () => {
  const first = openVaulted("1");
  await first.pay(deposit);
  await first.calls(2_000n, 3_000n);
  await first.time.pass(1_000);
  const second = openVaulted("1", first.vault, first.chain);
  // By the chain alone, nothing was charged yet.
  const { extra } = challengeOf(await second.pay({ total: 1_000n }));
  expect(extra).toMatchObject({
    channelState: { chargedCumulativeAmount: "3000" },
    voucherState: { signedMaxClaimable: "3000" },
  });
  expect(chargedBy(await second.pay({ total: 4_000n }))).toEqual(["1000", "4000"]);
});

test("what the vault has told a seller that lost its records is not handed to it before the first call", async () => {
  const first = openVaulted();
  await first.pay(deposit);
  await first.calls(2_000n, 9_000n);
  await first.time.pass(1_000);
  const second = openVaulted("0.005", first.vault, first.chain);
  const { length } = second.vault.calls;
  expect(chargedBy(await second.pay({ total: 10_000n }))).toEqual(["1000", "10000"]);
  // The question about the channel, since 9,000 of it are kept already.
  expect(second.vault.calls.slice(length)).toEqual([["0"]]);
});

test.each([
  ["is away", down],
  ["refuses the account", noPlan],
])("a seller that lost its records serves no call while the vault %s", async (_, reply) => {
  const first = openVaulted("1");
  await first.pay(deposit);
  await first.time.pass(1_000);
  const second = openVaulted("1", first.vault, first.chain);
  first.vault.answering.reply = reply;
  expect((await second.pay({ total: 1_000n })).status).toBe(503);
  expect((await second.pay({ total: 2_000n })).status).toBe(503);
});

test("a vault that has lost vouchers has them again within minutes, and from the next start", async () => {
  const grants = createMemoryGrants();
  const shop = openVaulted("1", createVault(), createChannelChain(), grants);
  await shop.pay(deposit);
  await shop.calls(2_000n, 3_000n);
  await shop.time.pass(1_000);
  shop.vault.lose();
  await shop.time.pass(301_000);
  expect(shop.vault.totals()).toEqual([3_000n]);
  shop.vault.lose();
  const next = openVaulted("1", shop.vault, shop.chain, grants);
  await vi.waitFor(() => expect(next.time.sleeping()).toBe(2));
  await next.time.pass(1_000);
  expect(shop.vault.totals()).toEqual([3_000n]);
});

test("what the facilitator has claimed is not handed to it again", async () => {
  const shop = openVaulted("1");
  await shop.pay(deposit);
  await shop.time.pass(1_000);
  shop.vault.answering.claimed = "1000";
  await shop.time.pass(301_000);
  const { length } = shop.vault.calls;
  await shop.time.pass(3_600_000);
  expect(shop.vault.calls).toHaveLength(length);
});

test("records that have lost charges take the vault's higher total over", async () => {
  const { behind } = await openBehind();
  await behind.time.pass(1_000);
  expect(chargedBy(await behind.pay({ total: 6_000n }))).toEqual(["1000", "6000"]);
});

test.each([
  ["no voucher of the payer", { max: 900_000n, signature: `0x${"11".repeat(64)}1b` as const }],
  ["the payer's voucher for less", { max: 3_000n, signature: signTotal(3_000n) }],
])("a total for which the facilitator shows %s is not taken over", async (_, shown) => {
  const shop = openVaulted("1");
  await shop.pay(deposit);
  await shop.calls(2_000n, 3_000n);
  const { max, signature } = shown;
  const told = { channelId, charged: "900000", maxClaimableAmount: `${max}`, signature };
  const rows = readKeptVouchers({ kept: [told], refused: [] });
  shop.vault.answering.reply = { kind: "kept", rows: rows ?? new Map() };
  await shop.time.pass(1_000);
  delete shop.vault.answering.reply;
  expect(chargedBy(await shop.pay({ total: 4_000n }))).toEqual(["1000", "4000"]);
  // The payer's own voucher is still the one that is claimed.
  const { claims } = await shop.seller.channels.claim();
  expect(claims).toMatchObject([{ outcome: "done", units: 4_000n }]);
});

test("a refund by records that have lost charges gives back nothing of what the vault keeps", async () => {
  const { first, behind } = await openBehind();
  behind.vault.answering.reply = down;
  expect(await behind.seller.channels.refund(channelId)).toMatchObject({ outcome: "open" });
  delete behind.vault.answering.reply;
  // Its buyer asks by the old total, which the records of the second shop have as well.
  const { extra } = challengeOf(await behind.pay({ type: "refund", total: 1_000n }));
  expect(extra).toMatchObject({ channelState: { chargedCumulativeAmount: "5000" } });
  expect(await behind.seller.channels.refund(channelId)).toMatchObject({ units: 995_000n });
  expect(first.chain.state()).toMatchObject({ balance: 5_000n, totalClaimed: 5_000n });
});

const cannotRecord = async () => Promise.reject(new Error("The store is full."));

test("records that cannot take the vault's higher total over refund nothing", async () => {
  const grants = createMemoryGrants();
  const { channels } = grants;
  if (!channels) throw new Error("There are no channels.");
  const { first, behind } = await openBehind({
    ...grants,
    channels: { ...channels, vaulted: cannotRecord },
  });
  expect((await behind.pay({ type: "refund", total: 1_000n })).status).toBe(409);
  expect(await behind.seller.channels.refund(channelId)).toEqual({ outcome: "busy" });
  expect(first.chain.state()).toMatchObject({ balance: 1_000_000n, totalClaimed: 0n });
});

test("two shops of one key with records of their own both serve one total, which is paid once", async () => {
  const first = openVaulted("1");
  await first.pay(deposit);
  const second = openVaulted("1", first.vault, first.chain);
  // What one of them charges, the other one gives away: nobody can tell it from a repeated handing-over.
  expect(chargedBy(await second.pay({ total: 1_000n }))).toEqual(["1000", "1000"]);
  await first.time.pass(1_000);
  await second.time.pass(1_000);
  expect(first.vault.totals()).toEqual([1_000n]);
  // One that was not called for a second learns of the other's total with the next voucher it passes on.
  await first.calls(2_000n, 5_000n);
  await first.time.pass(1_000);
  await second.calls(2_000n, 2_000n);
  await second.time.pass(1_000);
  expect((await second.pay({ total: 3_000n })).status).toBe(402);
  expect(chargedBy(await second.pay({ total: 6_000n }))).toEqual(["1000", "6000"]);
});
