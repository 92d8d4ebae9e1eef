/** Refunds that a buyer asks a seller for: what is signed for them, where they are sent, and what counts. */
import {
  encodeHeader,
  hasSigned,
  headerNames,
  splitSignature,
  voucherDigest,
  xdc,
} from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { payer, startSeller, transaction, type Answer } from "../scripted-seller.testing.ts";
import { wrapFetch } from "../wrap-fetch.ts";
import { channelNode } from "./channel-node.testing.ts";
import { channelSeller, totalsOf } from "./channel-seller.testing.ts";

const call = 1_000n;

/** The answer to a refund; of all but 300 base units of ten calls when nothing else is said. */
function refunded(over: object = {}): Answer {
  const amount = `${10n * call - 300n}`;
  const receipt = { success: true, transaction, network: xdc.id, amount, extra: {}, ...over };
  return { status: 200, headers: { [headerNames.paymentResponse]: encodeHeader(receipt) } };
}

test("a refund asks for all that is left, with a voucher of exactly what was charged", async () => {
  const shop = channelSeller({
    cost: () => 300n,
    lie: ({ payload }) => (payload.type === "refund" ? refunded() : undefined),
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const id = channel?.channelId ?? "0x";
  expect(await pay.channels.refund(id)).toMatchObject({
    state: "refunded",
    amount: `${10n * call - 300n}`,
    left: "0",
  });
  expect(shop.known.vouchers[1]).toMatchObject({
    type: "refund",
    voucher: { maxClaimableAmount: 300n },
  });
  const refundVoucher = shop.known.vouchers[1];
  if (refundVoucher?.type !== "refund") throw new Error("The second message is the refund.");
  const { signature } = refundVoucher.voucher;
  const digest = voucherDigest(xdc.chainId, { channelId: id, maxClaimableAmount: 300n });
  const parts = splitSignature(signature);
  expect(parts && hasSigned(payer, digest, parts)).toBe(true);
  expect((await paymentErrorOf(pay.channels.refund(id))).code).toBe("channel_limit");
});

test.each([
  ["names another network", { network: "eip155:51" }],
  ["names no transaction", { transaction: "" }],
  ["names no amount", { amount: undefined }],
])("a refund whose receipt %s is not believed", async (_, over) => {
  const shop = channelSeller({
    lie: ({ payload }) => (payload.type === "refund" ? refunded(over) : undefined),
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const id = channel?.channelId ?? "0x";
  expect(await pay.channels.refund(id)).toMatchObject({ state: "unconfirmed" });
  expect(await pay.channels.list()).toMatchObject([{ balanceUnits: 10n * call }]);
});

test("after a refund the chain counts where a node answers, not the receipt", async () => {
  const shop = channelSeller({
    lie: ({ payload }) => (payload.type === "refund" ? refunded() : undefined),
  });
  await using seller = await startSeller(shop.script);
  const { signer, clock, ledger } = buyerBench();
  const options = { signer, ledger, runtime: clock, rpcUrl: "http://node.example" };
  let totalClaimed = 0n;
  const node = channelNode(() => ({ balance: shop.known.balance, totalClaimed }));
  const pay = wrapFetch(fetch, options, node);
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const id = channel?.channelId ?? "0x";
  totalClaimed = call;
  expect(await pay.channels.refund(id)).toMatchObject({ state: "refunded", left: `${9n * call}` });
});

test("nothing is signed for more than is left, at a host that is not allowed, or for another channel", async () => {
  const shop = channelSeller();
  const other = channelSeller({ extra: { withdrawDelay: 1_800 } });
  let asked = shop;
  const unpaid = () => asked.challenge();
  await using seller = await startSeller({ ...shop.script, unpaid });
  await using elsewhere = await startSeller(channelSeller().script);
  const { pay, signer } = buyerBench({ allow: { hosts: [new URL(seller.url).host] } });
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const id = channel?.channelId ?? "0x";
  const signatures = signer.count;
  const codeOf = async (request: Parameters<typeof pay.channels.refund>[1]) =>
    (await paymentErrorOf(pay.channels.refund(id, request))).code;
  expect(await codeOf({ amountUnits: 9n * call + 1n })).toBe("channel_limit");
  expect(await codeOf({ url: elsewhere.url })).toBe("host_not_allowed");
  asked = other;
  expect(await codeOf({})).toBe("channel_unusable");
  expect([signer.count, shop.known.vouchers.length]).toEqual([signatures, 1]);
  expect(elsewhere.requests).toHaveLength(1);
});

test("a refund goes on from the total of another ledger's call, once the seller has proved it", async () => {
  const shop = channelSeller({
    lie({ payload }) {
      const isDue = payload.voucher.maxClaimableAmount === shop.known.charged;
      return payload.type === "refund" && isDue ? refunded() : undefined;
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  await buyerBench().pay(seller.url);
  expect(shop.known.charged).toBe(2n * call);
  const [channel] = await pay.channels.list();
  expect(await pay.channels.refund(channel?.channelId ?? "0x")).toMatchObject({
    state: "refunded",
  });
  const refunds = shop.known.vouchers.filter(({ type }) => type === "refund");
  expect(totalsOf(refunds)).toEqual([call, 2n * call]);
  expect(await pay.channels.list()).toMatchObject([{ chargedUnits: 2n * call }]);
});

test("a total without the buyer's signature stops the channel, and the refund is not repeated", async () => {
  const more = { chargedCumulativeAmount: `${5n * call}` };
  const shop = channelSeller({
    lie({ payload: { type, voucher } }) {
      if (type !== "refund") return undefined;
      const channelState = { channelId: voucher.channelId, balance: `${10n * call}`, ...more };
      const voucherState = { signedMaxClaimable: `${5n * call}`, signature: voucher.signature };
      return shop.challenge("invalid_batch_settlement_evm_cumulative_amount_mismatch", {
        channelState,
        voucherState,
      });
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay, signer } = buyerBench();
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const refund = pay.channels.refund(channel?.channelId ?? "0x");
  expect((await paymentErrorOf(refund)).code).toBe("channel_stopped");
  expect(totalsOf(shop.known.vouchers)).toEqual([call, call]);
  const signatures = signer.count;
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("channel_stopped");
  expect(signer.count).toBe(signatures);
});

test("a refund of a part names that part, which may be all that is left", async () => {
  const shop = channelSeller({
    lie: ({ payload }) =>
      payload.type === "refund" ? refunded({ amount: `${payload.amount}` }) : undefined,
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  const id = channel?.channelId ?? "0x";
  const part = await pay.channels.refund(id, { amountUnits: 4n * call });
  expect(part).toMatchObject({ amount: `${4n * call}`, left: `${5n * call}` });
  const rest = await pay.channels.refund(id, { amountUnits: 5n * call });
  expect(rest).toMatchObject({ amount: `${5n * call}`, left: "0" });
  expect(shop.known.vouchers.slice(1)).toMatchObject([
    { amount: 4n * call },
    { amount: 5n * call },
  ]);
});

test("a seller that says it gave back more than the channel held makes no later call dearer", async () => {
  const shop = channelSeller({
    lie({ payload }) {
      if (payload.type !== "refund") return undefined;
      shop.known.balance = 0n;
      return refunded({ amount: "1000000000" });
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const [channel] = await pay.channels.list();
  await pay.channels.refund(channel?.channelId ?? "0x");
  expect(await pay.channels.list()).toMatchObject([{ balanceUnits: 0n, claimedUnits: call }]);
  expect((await pay(seller.url)).payment).toMatchObject({ state: "charged" });
});

const unconfirmed: readonly (readonly [
  string,
  (seller: ReturnType<typeof channelSeller>, channelId: string) => Answer,
  { readonly sends: number; readonly error: string; readonly reason: string },
])[] = [
  [
    "proves the same total again and again",
    (shop, channelId) => shop.corrective(channelId),
    { sends: 2, error: "payment_refused", reason: "cumulative_amount_mismatch" },
  ],
  [
    "says without a proof that the channel is gone",
    (shop) => shop.challenge("invalid_batch_settlement_evm_channel_not_found"),
    { sends: 1, error: "payment_refused", reason: "channel_not_found" },
  ],
  [
    "refuses the refund",
    (shop) => shop.challenge("invalid_batch_settlement_evm_refund_transaction_failed"),
    { sends: 1, error: "payment_refused", reason: "refund_transaction_failed" },
  ],
  [
    "stays busy with another call",
    (shop) => shop.challenge("invalid_batch_settlement_evm_channel_busy"),
    { sends: 5, error: "payment_refused", reason: "the channel is busy" },
  ],
];

test.each(unconfirmed)(
  "a seller that %s leaves the refund unconfirmed, and the channel as it was",
  async (_, answer, { sends, error, reason }) => {
    const shop = channelSeller({
      lie: ({ payload: { type, voucher } }) =>
        type === "refund" ? answer(shop, voucher.channelId) : undefined,
    });
    await using seller = await startSeller(shop.script);
    const { pay } = buyerBench();
    await pay(seller.url);
    const [channel] = await pay.channels.list();
    expect(await pay.channels.refund(channel?.channelId ?? "0x")).toMatchObject({
      state: "unconfirmed",
      problem: { error, message: expect.stringContaining(reason), payment_state: "in_flight" },
    });
    expect(shop.known.vouchers).toHaveLength(1 + sends);
    expect(await pay.channels.list()).toMatchObject([{ balanceUnits: 10n * call }]);
    expect((await pay(seller.url)).payment).toMatchObject({ state: "charged" });
  },
);
