/**
 * POST /settle of a channel's message: a deposit, which is a settlement like any other, or a claim, a
 * sweep or a refund, which are calls of the contract. What a call has done is read from the chain.
 */
import {
  parseChannelRequest,
  refuseChannel,
  type ChannelPayload,
  type ChannelRequirements,
  type SettleResponse,
} from "@farthing/protocol";
import { depositRequest, type SettleResult } from "@farthing/engine";
import { checkKey } from "../../http/access/authenticate.ts";
import { refundJunk } from "../../http/access/limits.ts";
import type { Surface } from "../../http/access/surface.ts";
import type { PaymentContext } from "../context.ts";
import type { PaymentCall } from "../payment-call.ts";
import { denialProblem, outcomeWaitMs } from "../settle-terms.ts";
import { gasProblem, isPaying, keylessTerms } from "../keyless/terms.ts";
import { isGasRefusal } from "@farthing/engine";
import { checkMessage, refuseDeposit } from "./check-channel.ts";
import { pendingChannel, refusedChannel, settledChannel } from "./channel-responses.ts";
import { claimChannels, refundChannel, sweepReceiver } from "./call-channel.ts";
import { paidCalls } from "./paid-calls.ts";
import { channelOptions, isChannelServed } from "./surface.ts";

/** A call whose body is a channel's message. */
export interface ChannelCall extends Pick<PaymentCall, "request" | "asked"> {
  readonly context: PaymentContext;
  readonly surface: Surface;
}

export async function settleChannel(call: ChannelCall): Promise<SettleResponse> {
  const { context, surface, request, asked } = call;
  const parsed = parseChannelRequest(asked.body);
  if (!parsed.ok) return refusedChannel(parsed.refusal, "");
  const { payload, requirements } = parsed.value;
  const { network } = requirements;
  if (!(await isChannelServed(context, surface, network))) {
    const why = refuseChannel("network_mismatch", "Channels of this network are not served here.");
    return refusedChannel(why.refusal, network.id);
  }
  checkKey(request.apiKey, requirements);
  const calling = paidCalls(context, request, payload, requirements);
  switch (payload.type) {
    case "deposit":
      return settleDeposit(call, payload, requirements);
    case "voucher": {
      const why = refuseChannel("payload_type", "A voucher is claimed, not settled.");
      return refusedChannel(why.refusal, network.id);
    }
    case "claim":
      return claimChannels(calling, payload, requirements, request.apiKey);
    case "settle":
      return sweepReceiver(calling, payload, requirements);
    case "refund":
      return refundChannel(calling, payload, requirements, request.apiKey);
    default:
      return payload satisfies never;
  }
}

async function settleDeposit(
  { context, surface, request }: ChannelCall,
  payload: Extract<ChannelPayload, { type: "deposit" }>,
  requirements: ChannelRequirements,
): Promise<SettleResponse> {
  const { network } = requirements;
  const { payer } = payload.config;
  const message = checkMessage(payload, requirements);
  if (!message.ok) {
    refundJunk(request, message.refusal);
    return refusedChannel(message.refusal, network.id, { payer });
  }
  const deposit = depositRequest(network, payload.config, payload.deposit);
  const options = channelOptions(context, surface);
  const isPaid = isPaying(context, request.apiKey);
  const result = await context.settle(deposit, {
    ...options,
    unitsMin: surface.auth === "none" ? context.limits.unitsMinRecently() : 0n,
    keyId: request.apiKey?.id ?? null,
    owner: request.apiKey?.account ?? null,
    priority: request.apiKey ? "keyed" : "open",
    credits: isPaid ? context.fee() : 0,
    requestId: request.id,
    terms: isPaid ? { freeCredits: context.freeCredits } : keylessTerms(context, request, deposit),
    exchange: null,
    goal: "outcome",
    timeoutMs: outcomeWaitMs,
    repeatTimeoutMs: outcomeWaitMs,
  });
  if (result.kind === "refused") refundJunk(request, result.refusal);
  return respondToDeposit(context, payload, requirements, result);
}

async function respondToDeposit(
  context: PaymentContext,
  payload: Extract<ChannelPayload, { type: "deposit" }>,
  { network }: ChannelRequirements,
  result: SettleResult,
): Promise<SettleResponse> {
  const { config, voucher, deposit } = payload;
  const { payer } = config;
  if (result.kind === "denied") {
    if (isGasRefusal(result.code)) throw gasProblem(context, result.code);
    throw denialProblem(result.code, context.fee());
  }
  if (result.kind === "refused" && result.transaction === undefined) {
    return refusedChannel(refuseDeposit(result.refusal).refusal, network.id, { payer });
  }
  const made =
    result.kind === "settlement"
      ? result.settlement
      : { state: "confirmed", transaction: result.transaction ?? null, blockNumber: null };
  if (made.state === "failed") {
    const why = refuseChannel("deposit_transaction_failed", "The deposit failed; nothing moved.");
    return refusedChannel(why.refusal, network.id, { payer });
  }
  if (made.state !== "confirmed") return pendingChannel(network.id, made.transaction, payer);
  // At or above the deposit's block, so that the balance contains it.
  const [state] = await context.channels.chain.read(
    network.chainId,
    [voucher.channelId],
    made.blockNumber ?? 0,
  );
  return settledChannel({
    transaction: made.transaction ?? "",
    network: network.id,
    amount: `${deposit.amount}`,
    payer,
    ...(state && { channel: { channelId: voucher.channelId, state } }),
  });
}
