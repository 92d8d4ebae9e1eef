/**
 * The cooperative refund: the seller claims what was charged and sends the rest back, with its gas.
 * Nothing new is signed for it but a voucher of exactly what was charged.
 */
import { defined, encodeHeader, shortUsdc, type Hex } from "@farthing/protocol";
import { checkRequestUrl } from "../offer/check-offer.ts";
import { PaymentError, refusedPayment, type PaymentProblem } from "../payment-error.ts";
import { readReplayable } from "../replayable-request.ts";
import { randomHex } from "../runtime.ts";
import { sendUnpaid } from "../send-with-token.ts";
import { nodesFor } from "../chain/nodes.ts";
import { heldUnits, type ChannelRecord } from "./channel-record.ts";
import { recordChainState, recordRead } from "./channel-rules.ts";
import { openCall } from "./channel-summary.ts";
import { readChannelOffer, type ChannelOffer } from "./check-channel.ts";
import { busyElsewhere, stoppedMessage, type ChannelTools } from "./choose-channel.ts";
import { endCorrected } from "./end-call.ts";
import { readOfferedChannels, type OfferedChannels } from "./find-channel-offer.ts";
import { readChain } from "./look-up-channel.ts";
import { readRefundAnswer, type ChannelAnswer } from "./read-channel-answer.ts";
import { evaluateCorrective } from "./recover-channel.ts";
import { sendVoucher, type SentVoucher } from "./send-voucher.ts";
import { signVoucher, wireChannelPayment } from "./sign-channel.ts";

export interface RefundRequest {
  /** Base units; all that is left when absent. */
  readonly amountUnits?: bigint;
  /** Where the seller sells over this channel; the address of the last call when absent. */
  readonly url?: string;
  /** What is sent with the request, where the seller validates requests before it names a price. */
  readonly body?: string;
}

/** `unconfirmed`: nothing proves the refund; the chain shows it when it comes. */
export type ChannelRefund =
  | {
      readonly state: "refunded";
      readonly channelId: Hex;
      /** Base units, as decimal digits. */
      readonly amount: string;
      readonly transaction: Hex;
      /** What the channel holds afterwards, in base units. */
      readonly left: string;
    }
  | { readonly state: "unconfirmed"; readonly channelId: Hex; readonly problem: PaymentProblem };

/** Rejects with a PaymentError where nothing was sent: an unknown channel, nothing left, no seller. */
export async function refundChannel(
  tools: ChannelTools,
  channelId: Hex,
  request: RefundRequest,
): Promise<ChannelRefund> {
  return tools.channels.inTurn(channelId, async () => {
    const requestId = `refund_${randomHex(tools.runtime, 16)}`;
    const asked = { requestId, channelId, request };
    const result = await refundOnce(tools, asked, false);
    return result === "again" ? demandResult(await refundOnce(tools, asked, true)) : result;
  });
}

function demandResult(result: ChannelRefund | "again"): ChannelRefund {
  if (result === "again") throw new Error("A repeated refund is not repeated again.");
  return result;
}

interface AskedRefund {
  readonly requestId: string;
  readonly channelId: Hex;
  readonly request: RefundRequest;
}

async function refundOnce(
  given: ChannelTools,
  asked: AskedRefund,
  isRepeat: boolean,
): Promise<ChannelRefund | "again"> {
  const { channelId, request, requestId } = asked;
  const record = await findRefundable(given, asked);
  const tools = { ...given, nodesOf: nodesFor(given.nodesOf, record.host) };
  const url = request.url ?? record.url;
  const init = { method: record.method, ...defined({ body: request.body }) };
  const unpaid = await readReplayable(url, init, requestId);
  const challenge = await sendUnpaid(tools, unpaid);
  challenge.body?.cancel().catch(() => {});
  const { offer, offered } = readOffer(tools, asked, record, challenge);
  const isUnsafe = checkRequestUrl(url, challenge, tools.allow, record.method, tools.runtime.now());
  const failed = isUnsafe.find(({ verdict }) => verdict === "fail");
  if (failed) throw refusedPayment(failed.code ?? "insecure_url", failed.message, requestId);
  const header = await signRefund(tools, record, offer, offered, request);
  const read = (response: Response) => readRefundAnswer(response, offer);
  const sent = await sendVoucher(tools, unpaid, { header, url: unpaid.url, read });
  sent.response?.body?.cancel().catch(() => {});
  if (sent.answer?.kind === "refunded") return recordRefund(tools, record, offer, sent.answer);
  if (sent.answer?.kind === "corrective") {
    const chain = await readChain(tools, offer);
    const { answer } = sent;
    const recovery = await endCorrected(tools, record, (newest) =>
      evaluateCorrective(newest, offer, answer, chain?.state),
    );
    if (recovery.kind === "lie") {
      const message = stoppedMessage(channelId, recovery.reason);
      throw new PaymentError(openCall("channel_stopped", offer, message), requestId);
    }
    if (recovery.kind !== "unproven" && !isRepeat) return "again";
  }
  return { state: "unconfirmed", channelId, problem: problemOf(sent) };
}

async function findRefundable(
  { ledger, runtime, channels }: ChannelTools,
  { channelId, request, requestId }: AskedRefund,
): Promise<ChannelRecord> {
  const record = (await ledger.listChannels()).find((one) => one.channelId === channelId);
  if (!record) {
    const message = `The ledger has no channel ${channelId}.`;
    throw refusedPayment("request_unknown", message, requestId);
  }
  const { call } = record;
  if (call && call.until > runtime.now() && call.holder !== channels.holder) {
    throw refusedPayment("channel_busy", busyElsewhere, requestId);
  }
  const left = heldUnits(record);
  if (left > 0n && (request.amountUnits ?? 1n) <= left) return record;
  const message = `The channel has ${shortUsdc(left)} USDC left to refund.`;
  throw refusedPayment("channel_limit", message, requestId);
}

function readOffer(
  tools: ChannelTools,
  { channelId, requestId }: AskedRefund,
  { url }: ChannelRecord,
  challenge: Response,
): { readonly offer: ChannelOffer; readonly offered: OfferedChannels } {
  const { signer: payer, channels } = tools;
  const offered = readOfferedChannels(challenge);
  for (const raw of offered?.entries ?? []) {
    const reading = readChannelOffer({ payer, policy: channels.policy }, raw);
    if (offered && reading.ok && reading.offer.channelId === channelId) {
      return { offer: reading.offer, offered };
    }
  }
  const message = `${url} does not offer the channel ${channelId} to this wallet any more. Withdraw what is left from the chain, or name an address that offers it.`;
  throw refusedPayment("channel_unusable", message, requestId);
}

async function signRefund(
  { signer: payer, channels }: ChannelTools,
  { chargedUnits, lastVoucher }: ChannelRecord,
  { channelId, config, raw, requirements }: ChannelOffer,
  { resource, extensions }: OfferedChannels,
  { amountUnits }: RefundRequest,
): Promise<string> {
  const signers = { payer, policy: channels.policy };
  // The last voucher says so already where the call has cost its price.
  const voucher =
    lastVoucher?.units === chargedUnits
      ? { channelId, maxClaimableAmount: chargedUnits, signature: lastVoucher.signature }
      : await signVoucher(signers, requirements.network, channelId, chargedUnits);
  const envelope = { accepted: raw, ...defined({ resource, extensions }) };
  const amount = amountUnits?.toString();
  const payload = { type: "refund", ...defined({ amount }) } as const;
  return encodeHeader(wireChannelPayment(envelope, config, voucher, payload));
}

/** The chain counts where a node answers, else the receipt. */
async function recordRefund(
  tools: ChannelTools,
  record: ChannelRecord,
  offer: ChannelOffer,
  { units, transaction }: ChannelAnswer & { readonly kind: "refunded" },
): Promise<ChannelRefund> {
  const { channelId } = record;
  const read = await readChain(tools, offer);
  const next = await tools.ledger.changeChannels((view) => {
    if (read) return recordRead(view, channelId, read);
    const { balanceUnits, chargedUnits, withdrawRequestedAt } = view.find(channelId) ?? record;
    const told = {
      balanceUnits: balanceUnits > units ? balanceUnits - units : 0n,
      claimedUnits: chargedUnits,
      withdrawRequestedAt,
    };
    return recordChainState(view, channelId, told, 0);
  });
  const left = heldUnits(next ?? record).toString();
  return { state: "refunded", channelId, amount: units.toString(), transaction, left };
}

function problemOf({ answer }: SentVoucher): PaymentProblem {
  const reason = reasonOf(answer);
  const why = reason === undefined || reason === "" ? "" : ` (${reason})`;
  const code = answer?.kind === "open" ? answer.code : "payment_refused";
  return {
    error: answer === undefined ? "no_answer" : code,
    message: `The seller has not confirmed the refund${why}. Nothing is lost by asking again; without the seller, withdraw from the chain.`,
    retryable: true,
    retry_action: "wait_and_retry",
    payment_state: "in_flight",
  };
}

function reasonOf(answer: ChannelAnswer | undefined): string | undefined {
  if (answer?.kind === "open" || answer?.kind === "lie") return answer.reason;
  if (answer?.kind === "busy") return "the channel is busy";
  return answer?.kind === "corrective" ? answer.code : undefined;
}
