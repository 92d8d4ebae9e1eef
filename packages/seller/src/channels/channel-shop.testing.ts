/**
 * A seller of channels with a facilitator that keeps the channels of its chain in memory, and a buyer
 * who signs what a test asks for.
 */
import {
  addressOfKey,
  apothem,
  channelIdOf,
  claimBatchDigest,
  decodeHeader,
  defined,
  encodeHeader,
  headerNames,
  isObject,
  member,
  parseChannelConfig,
  parseChannelPayload,
  readReceipt,
  signDigest,
  toChannelEntry,
  toWireBuyerPayload,
  toWireChannelState,
  voucherDigest,
  wireChannelCode,
  type BuyerChannelPayload,
  type ChannelConfig,
  type ChannelState,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import type { RouteOptions, SellerOptions } from "../configuration.ts";
import type { SellerEvent } from "../events.ts";
import type { Serve } from "../exchange/paid-request.ts";
import type { Facilitator, SettleOutcome, VerifyOutcome, VouchersOutcome } from "../facilitator.ts";
import { createSeller } from "../seller.ts";
import { readKeptVouchers } from "./kept-vouchers.ts";
import { createVirtualTime } from "../virtual-time.testing.ts";

const buyerKey: Hex = `0x${"11".repeat(32)}`;
export const authorizerKey: Hex = `0x${"33".repeat(32)}`;
const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/** Base units of a call. */
export const callUnits = 1_000n;

export const channelConfig: ChannelConfig = {
  payer: addressOfKey(buyerKey),
  payerAuthorizer: addressOfKey(buyerKey),
  receiver: payTo,
  receiverAuthorizer: addressOfKey(authorizerKey),
  token: apothem.usdc,
  withdrawDelay: 86_400,
  salt: `0x${"07".repeat(32)}`,
};

export const channelId = channelIdOf(apothem, channelConfig);

const emptyState: ChannelState = {
  balance: 0n,
  totalClaimed: 0n,
  withdrawing: 0n,
  withdrawRequestedAt: 0,
  refundNonce: 0n,
};

/** A chain of channels that obeys its calls, and what the facilitator on it was asked. */
export function createChannelChain(id = channelId) {
  let state = emptyState;
  const calls: string[] = [];
  const failing: { verify?: VerifyOutcome; settle?: SettleOutcome } = {};

  const told = () => ({ channelState: toWireChannelState(id, state) });

  function settle(payload: JsonObject): SettleOutcome {
    const parsed = parseChannelPayload(payload);
    if (!parsed.ok) throw new Error(parsed.refusal.message);
    const sent = parsed.value;
    const done = { success: true, transaction: `0x${"cd".repeat(32)}`, network: apothem.id };
    if (sent.type === "deposit") state = { ...state, balance: state.balance + sent.deposit.amount };
    const rows =
      sent.type === "claim" ? sent.claims : sent.type === "refund" ? sent.completed?.claims : [];
    if (rows?.some(({ totalClaimed }) => totalClaimed > state.balance)) {
      const errorReason = wireChannelCode("claim_simulation_failed");
      const refused = { success: false, errorReason, transaction: "", network: apothem.id };
      return { kind: "settlement", settlement: refused };
    }
    for (const { totalClaimed } of rows ?? []) state = { ...state, totalClaimed };
    if (sent.type === "refund") {
      const { refundNonce, balance } = state;
      state = { ...state, refundNonce: refundNonce + 1n, balance: balance - (sent.amount ?? 0n) };
    }
    const amount =
      sent.type === "deposit" ? sent.deposit.amount : "amount" in sent ? sent.amount : undefined;
    return {
      kind: "settlement",
      settlement: { ...done, amount: `${amount ?? ""}`, extra: told() },
    };
  }

  const facilitator: Facilitator = {
    name: "chain",
    async verify({ paymentPayload }) {
      calls.push("verify");
      if (failing.verify) return failing.verify;
      const isMissing =
        state.balance === 0n && member(paymentPayload.payload, "type") !== "deposit";
      const invalidReason = isMissing ? wireChannelCode("channel_not_found") : undefined;
      const extra = toWireChannelState(id, state);
      return {
        kind: "verdict",
        verdict: { isValid: !isMissing, ...defined({ invalidReason }), extra },
      };
    },
    async settle({ paymentPayload: { payload } }) {
      calls.push(`settle ${String(member({ ...payload }, "type"))}`);
      return failing.settle ?? settle({ ...payload });
    },
    settlement: async () => ({ kind: "not_found" }),
  };
  return {
    facilitator,
    calls,
    failing,
    /** What happens on the chain without the facilitator. */
    set: (change: Partial<ChannelState>) => void (state = { ...state, ...change }),
    state: () => state,
  };
}

export type ChannelChain = ReturnType<typeof createChannelChain>;

export interface ShopOptions {
  readonly chain?: ChannelChain;
  readonly serve?: Serve;
  readonly seller?: Partial<SellerOptions>;
  readonly route?: RouteOptions;
}

/** Where a request goes, and its further headers. */
type Shown = Readonly<Record<string, string>> & { readonly path?: string };

export function openShop({ chain = createChannelChain(), serve, seller, route }: ShopOptions = {}) {
  const time = createVirtualTime();
  const events: SellerEvent[] = [];
  let served = 0;
  const made = createSeller(
    {
      facilitator: chain.facilitator,
      payTo,
      network: apothem.id,
      channels: { authorizerKey },
      onEvent: (event) => void events.push(event),
      ...seller,
    },
    time.clock,
  );
  const paid = made.route({ price: callUnits, channel: { minDeposit: 10_000n }, ...route });
  const content: Serve = serve ?? (() => new Response(`report ${++served}`));
  const send = async (header?: string, shown: Shown = {}): Promise<Response> => {
    const { path = "/report", ...more } = shown;
    const paying = header === undefined ? {} : { [headerNames.paymentSignature]: header };
    const request = new Request(new URL(path, "https://shop.example"), {
      headers: { ...paying, ...more },
    });
    return (await paid.charge(request, content)).response;
  };
  const pay = (sent: Sent, shown?: Shown) => send(headerOf(sent), shown);
  return { chain, time, events, seller: made, send, pay };
}

/** A vault that keeps what it is given, or answers as the test says. */
export function createVault() {
  const kept = new Map<unknown, { readonly charged: bigint; readonly row: JsonObject }>();
  const calls: unknown[][] = [];
  const answering: { reply?: VouchersOutcome; claimed?: string; isLost?: boolean } = {};
  const keepVouchers: NonNullable<Facilitator["keepVouchers"]> = async (sent) => {
    const vouchers = member({ ...sent }, "vouchers");
    const rows = Array.isArray(vouchers) ? vouchers.filter(isObject) : [];
    calls.push(rows.map((row) => row["charged"]));
    if (answering.reply) return answering.reply;
    const told = rows.map((row) => {
      const config = parseChannelConfig(row["channelConfig"]);
      if (!config.ok) throw new Error(config.refusal.message);
      const id = channelIdOf(apothem, config.value);
      const charged = BigInt(String(row["charged"]));
      const entry = {
        channelId: id,
        maxClaimableAmount: BigInt(String(row["maxClaimableAmount"])),
        totalClaimed: charged,
      };
      // The claim of exactly this row, signed by the seller's own key.
      const signature = signDigest(authorizerKey, claimBatchDigest(apothem.chainId, [entry]));
      if (row["claimSignature"] !== signature) throw new Error("The row's claim is not signed.");
      if (charged >= (kept.get(id)?.charged ?? 0n)) kept.set(id, { charged, row });
      return { ...kept.get(id)?.row, channelId: id, ...defined({ claimed: answering.claimed }) };
    });
    if (answering.isLost === true) {
      return { kind: "fault", reason: "unreachable", message: "the answer was lost" };
    }
    const read = readKeptVouchers({ kept: told, refused: [] });
    if (!read) throw new Error("The vault's own rows are unreadable.");
    return { kind: "kept", rows: read };
  };
  return {
    keepVouchers,
    calls,
    answering,
    /** Forgets what it was given, as a database does that is put back. */
    lose: () => kept.clear(),
    /** What it was told at last of what was sold. */
    sold: () => [...kept.values()].map(({ row }) => row["sold"]),
    totals: () => [...kept.values()].map(({ charged }) => charged),
  };
}

/** What a buyer sends, without what follows from it. */
export interface Sent {
  readonly type?: BuyerChannelPayload["type"];
  /** What the voucher is for in all, in base units. */
  readonly total: bigint;
  readonly config?: Partial<ChannelConfig>;
  readonly id?: Hex;
  readonly key?: Hex;
  /** The chain that the voucher is signed for. */
  readonly chainId?: 50 | 51;
  readonly deposit?: bigint;
  readonly refund?: bigint;
  /** Changes of the whole message. */
  readonly change?: (message: JsonObject) => unknown;
}

/** The payer's signature of a voucher for a total. */
export function signTotal(maxClaimableAmount: bigint): Hex {
  const voucher = { channelId, maxClaimableAmount };
  return signDigest(buyerKey, voucherDigest(apothem.chainId, voucher));
}

export function headerOf(sent: Sent): string {
  const {
    type = "voucher",
    total,
    key = buyerKey,
    chainId = apothem.chainId,
    deposit = 10_000n,
    change = (same) => same,
  } = sent;
  const config = { ...channelConfig, ...sent.config };
  const id = sent.id ?? channelIdOf(apothem, config);
  const signed = { channelId: id, maxClaimableAmount: total };
  const signature = signDigest(key, voucherDigest(chainId, signed));
  const base = { config, voucher: { ...signed, signature } };
  const authorization = { validAfter: 0n, validBefore: 9_999_999_999n, salt: 7n, signature };
  const payload: BuyerChannelPayload =
    type === "deposit"
      ? { type, ...base, deposit: { amount: deposit, ...authorization } }
      : { type, ...base, ...defined({ amount: type === "refund" ? sent.refund : undefined }) };
  const offer = {
    network: apothem,
    amount: callUnits,
    payTo: config.receiver,
    minDeposit: 10_000n,
  };
  const { receiverAuthorizer, withdrawDelay } = config;
  const terms = { ...offer, maxTimeoutSeconds: 120, receiverAuthorizer, withdrawDelay };
  const accepted = toChannelEntry(terms);
  const message = { x402Version: 2, accepted, payload: toWireBuyerPayload(payload) };
  const changed = change(message);
  return encodeHeader(isObject(changed) ? changed : {});
}

/** The error of a 402, and the entry of the channel in its challenge. */
export function challengeOf(response: Response): { error: unknown; extra: JsonObject } {
  const challenge = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  if (response.status !== 402 || !isObject(challenge)) {
    throw new Error(`There is no challenge: ${response.status}`);
  }
  const accepts = member(challenge, "accepts");
  const entries = Array.isArray(accepts) ? accepts.filter(isObject) : [];
  const extra = entries.find(({ scheme }) => scheme === "batch-settlement")?.["extra"];
  return { error: member(challenge, "error"), extra: isObject(extra) ? extra : {} };
}

/** What the receipt says was charged: for this call, and in all. */
export function chargedBy(response: Response): readonly unknown[] | undefined {
  const extra = readReceipt(response.headers)?.extra;
  const state = extra?.["channelState"];
  return extra && [extra["chargedAmount"], isObject(state) && state["chargedCumulativeAmount"]];
}
