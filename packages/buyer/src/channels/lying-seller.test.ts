/** Sellers that lie over a channel: no voucher is signed on their word, and a proved lie ends it. */
import {
  apothem,
  channelUnitsMax,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  member,
} from "@farthing/protocol";
import { expect, test } from "vitest";
import { buyerBench, paymentErrorOf } from "../buyer-bench.testing.ts";
import { otherPayee, startSeller, type Answer } from "../scripted-seller.testing.ts";
import { channelSeller, stateOf, totalsOf, type SeenVoucher } from "./channel-seller.testing.ts";

const call = 1_000n;
const sum = { chargedCumulativeAmount: `${2n * call}` };

const lies: readonly (readonly [
  string,
  (seen: SeenVoucher, seller: ReturnType<typeof channelSeller>) => Answer,
])[] = [
  [
    "charges more than the price",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call + 1n, "", {
        chargedCumulativeAmount: `${2n * call + 1n}`,
      }),
  ],
  [
    "says a total that does not add up",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call, "", { chargedCumulativeAmount: `${3n * call}` }),
  ],
  [
    "says a total below the last one",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call, "", { chargedCumulativeAmount: "0" }),
  ],
  [
    "answers for another channel",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call, "", {
        channelId: `0x${"ab".repeat(32)}`,
        chargedCumulativeAmount: `${2n * call}`,
      }),
  ],
  [
    "answers for another network",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call, "", sum, { network: "eip155:51" }),
  ],
  [
    "answers for another payer",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, call, "", sum, { payer: otherPayee }),
  ],
];

test.each(lies)(
  "a seller that %s gets no more vouchers, and the buyer learns how to withdraw",
  async (_, lie) => {
    const shop = channelSeller({
      lie: (seen) => (shop.known.vouchers.length === 2 ? lie(seen, shop) : undefined),
    });
    await using seller = await startSeller(shop.script);
    const { pay, signer } = buyerBench();
    await pay(seller.url);
    const { payment } = await pay(seller.url);
    expect(payment).toMatchObject({
      state: "unconfirmed",
      problem: {
        error: "receipt_mismatch",
        message: expect.stringContaining("farthing channels withdraw"),
      },
    });
    const signatures = signer.count;
    const error = await paymentErrorOf(pay(seller.url));
    expect([error.code, signer.count]).toEqual(["channel_stopped", signatures]);
    expect(error.message).toContain("farthing channels withdraw");
    expect(shop.known.vouchers).toHaveLength(2);
  },
);

test("a call that waits while another one finds the lie signs nothing", async () => {
  const shop = channelSeller({
    lie: ({ payload: { voucher } }) => shop.charge(voucher.channelId, call + 1n, ""),
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  const results = await Promise.allSettled([pay(seller.url), pay(seller.url), pay(seller.url)]);
  const states = results.map(({ status }) => status).sort();
  expect(states).toEqual(["fulfilled", "rejected", "rejected"]);
  expect(shop.known.vouchers).toHaveLength(1);
});

test("a stopped seller gets no other channel by asking for another one", async () => {
  const extra: { withdrawDelay: number } = { withdrawDelay: 900 };
  const shop = channelSeller({
    lie: ({ payload: { voucher } }) => shop.charge(voucher.channelId, call + 1n, ""),
  });
  await using seller = await startSeller({
    ...shop.script,
    unpaid: () => shop.challenge("Payment required", extra),
  });
  const { pay, signer } = buyerBench();
  await pay(seller.url);
  const signatures = signer.count;
  extra.withdrawDelay = 1_800;
  const { code } = await paymentErrorOf(pay(seller.url));
  expect([code, signer.count]).toEqual(["channel_stopped", signatures]);
});

test("a deposit without a transaction is a lie", async () => {
  const shop = channelSeller({
    lie: ({ payload }) =>
      shop.charge(payload.voucher.channelId, call, "", { chargedCumulativeAmount: `${call}` }),
  });
  await using seller = await startSeller(shop.script);
  const { payment } = await buyerBench().pay(seller.url);
  expect(payment).toMatchObject({ state: "unconfirmed", problem: { error: "receipt_mismatch" } });
});

test("a redirect of a voucher is not followed", async () => {
  await using elsewhere = await startSeller(channelSeller().script);
  const shop = channelSeller({
    lie: () => ({ status: 307, headers: { Location: elsewhere.url } }),
  });
  await using seller = await startSeller(shop.script);
  const { payment } = await buyerBench().pay(seller.url);
  expect(payment).toMatchObject({ state: "unconfirmed", problem: { error: "redirected" } });
  expect(elsewhere.requests).toEqual([]);
});

test("a lost answer: the next call takes the seller's total by the buyer's own voucher", async () => {
  const shop = channelSeller({
    lie: ({ honest }) => {
      const answer = honest();
      return shop.known.vouchers.length === 2 ? { ...answer, cut: "before" } : answer;
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const error = await paymentErrorOf(pay(seller.url));
  expect([error.code, error.problem.payment_state]).toEqual(["no_answer", "in_flight"]);
  expect(await pay.channels.list()).toMatchObject([{ unansweredUnits: 2n * call }]);
  const { payment } = await pay(seller.url);
  expect(payment).toMatchObject({ state: "charged", chargedTotal: `${3n * call}` });
  expect(totalsOf(shop.known.vouchers)).toEqual([call, 2n * call, 2n * call, 3n * call]);
  // A lost answer explains the total, so nothing is held against the seller.
  expect(await pay.channels.list()).toMatchObject([{ unexplained: 0, unansweredUnits: 0n }]);
});

test("a total above every voucher without its answer is not believed, though a voucher covers it", async () => {
  const shop = channelSeller({
    lie: ({ payload }) => {
      if (shop.known.vouchers.length !== 3) return undefined;
      // The second call has cost 300 of 1000; its voucher would cover more.
      shop.known.charged = 1_900n;
      return shop.corrective(payload.voucher.channelId);
    },
    cost: () => 300n,
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  await pay(seller.url);
  expect((await paymentErrorOf(pay(seller.url))).code).toBe("channel_stopped");
  expect(totalsOf(shop.known.vouchers)).toEqual([1_000n, 1_300n, 1_600n]);
});

test("a seller that counts every call twice is stopped at the fourth", async () => {
  let isSecond = false;
  const shop = channelSeller({
    lie: ({ payload, honest }) => {
      isSecond = payload.type === "voucher" && !isSecond;
      if (!isSecond) return undefined;
      honest();
      return shop.corrective(payload.voucher.channelId);
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  const states: string[] = [];
  for (let count = 0; count < 6; count++) states.push(await pay(seller.url).then(stateOf, String));
  expect(states.slice(0, 4)).toEqual(["charged", "charged", "charged", "charged"]);
  expect(states.slice(4).every((state) => state.includes("stopped"))).toBe(true);
});

const forged: readonly (readonly [string, object])[] = [
  ["no voucher", {}],
  [
    "a voucher of somebody else",
    { voucherState: { signedMaxClaimable: "500000", signature: `0x${"11".repeat(64)}1b` } },
  ],
  [
    "a voucher that is no signature",
    { voucherState: { signedMaxClaimable: "500000", signature: "0x" } },
  ],
  [
    "a total beyond every number",
    {
      voucherState: {
        signedMaxClaimable: `${channelUnitsMax + 1n}`,
        signature: `0x${"11".repeat(65)}`,
      },
    },
  ],
];

test.each(forged)(
  "a seller that shows %s for another total gets no voucher for it",
  async (_, state) => {
    const shop = channelSeller({
      lie: ({ payload: { voucher } }) => {
        if (shop.known.vouchers.length < 2) return undefined;
        const channelState = {
          channelId: voucher.channelId,
          balance: "900000",
          chargedCumulativeAmount: "400000",
        };
        return shop.challenge("invalid_batch_settlement_evm_cumulative_amount_mismatch", {
          channelState,
          ...state,
        });
      },
    });
    await using seller = await startSeller(shop.script);
    const { pay } = buyerBench();
    await pay(seller.url);
    for (let count = 0; count < 3; count++) await pay(seller.url).catch(() => {});
    const highest = totalsOf(shop.known.vouchers).reduce((one, other) =>
      one > other ? one : other,
    );
    expect(highest).toBe(2n * call);
  },
);

type Lie = (seen: SeenVoucher, seller: ReturnType<typeof channelSeller>) => Answer;

/** A receipt of the call that says why it is not settled. */
function unsettled(errorReason: string): Lie {
  return ({ payload: { voucher } }, { charge }) =>
    charge(voucher.channelId, call, "", sum, { success: false, errorReason });
}

const openAnswers: readonly (readonly [string, Lie, string])[] = [
  [
    "names no charge in its receipt",
    ({ payload }, { charge }) => charge(payload.voucher.channelId, call, "", {}, { extra: {} }),
    "receipt_missing",
  ],
  [
    "names a charge of nothing without its total",
    ({ payload }, { charge }) =>
      charge(payload.voucher.channelId, 0n, "", {}, { extra: { chargedAmount: "0" } }),
    "receipt_missing",
  ],
  ["serves without a receipt", () => ({ status: 200, body: "content" }), "receipt_missing"],
  ["says that another request has this voucher", () => ({ status: 409 }), "request_conflict"],
  ["fails", () => ({ status: 500 }), "seller_unavailable"],
  ["says that the settlement is under way", unsettled("settlement_pending"), "settlement_pending"],
  ["says that the settlement has failed", unsettled("insufficient_funds"), "payment_refused"],
  [
    "refuses the voucher, and shows its total beside that",
    ({ payload: { voucher } }, { challenge }) =>
      challenge("invalid_batch_settlement_evm_voucher_signature", {
        channelState: { channelId: voucher.channelId, chargedCumulativeAmount: `${2n * call}` },
        voucherState: { signedMaxClaimable: `${2n * call}`, signature: voucher.signature },
      }),
    "payment_refused",
  ],
];

test.each(openAnswers)(
  "a seller that %s may have charged the call: it counts as spent, and is not made again",
  async (_, answer, error) => {
    const shop = channelSeller({
      lie: (seen) => (shop.known.vouchers.length === 2 ? answer(seen, shop) : undefined),
    });
    await using seller = await startSeller(shop.script);
    const { pay, signer } = buyerBench({ limits: { perDay: "0.002" } });
    await pay(seller.url);
    const signatures = signer.count;
    const { payment } = await pay(seller.url);
    expect(payment).toMatchObject({ state: "unconfirmed", amount: `${call}`, problem: { error } });
    expect([signer.count, shop.known.vouchers.length]).toEqual([signatures + 1, 2]);
    expect((await paymentErrorOf(pay(seller.url))).code).toBe("cumulative_cap");
  },
);

test("a seller that proves the same total again and again gets a call twice, and no more", async () => {
  const shop = channelSeller({
    lie: ({ payload: { voucher } }) => {
      const { length } = shop.known.vouchers;
      return length > 1 && length < 10 ? shop.corrective(voucher.channelId) : undefined;
    },
  });
  await using seller = await startSeller(shop.script);
  const { pay } = buyerBench();
  await pay(seller.url);
  const { payment } = await pay(seller.url);
  expect(payment).toMatchObject({ state: "unconfirmed", problem: { error: "payment_refused" } });
  expect(totalsOf(shop.known.vouchers)).toEqual([call, 2n * call, 2n * call]);
});

test("the total that counts is the one of the channel's own network", async () => {
  const shop = channelSeller({
    lie: ({ honest }) => {
      const answer = honest();
      return answer.status === 402 ? withOtherNetwork(answer) : answer;
    },
  });
  await using seller = await startSeller(shop.script);
  await buyerBench().pay(seller.url);
  // This ledger does not know of the first call.
  const { payment } = await buyerBench().pay(seller.url);
  expect(payment).toMatchObject({ state: "charged", chargedTotal: `${2n * call}` });
});

/** The challenge with an entry of another network before its own, whose voucher is not the buyer's. */
function withOtherNetwork({ headers, ...answer }: Answer): Answer {
  const header = String(headers?.[headerNames.paymentRequired]);
  const value = decodeHeader(header)?.value;
  const accepts: unknown = isObject(value) ? member(value, "accepts") : undefined;
  const [own]: unknown[] = Array.isArray(accepts) ? accepts : [];
  if (!isObject(value) || !isObject(own)) throw new Error("It is a challenge.");
  const voucherState = { signedMaxClaimable: "7", signature: `0x${"11".repeat(64)}1b` };
  const channelState = { chargedCumulativeAmount: "7" };
  const other = { ...own, network: apothem.id, extra: { voucherState, channelState } };
  const more = encodeHeader({ ...value, accepts: [other, own] });
  return { ...answer, headers: { ...headers, [headerNames.paymentRequired]: more } };
}
