/**
 * Pays one call over a channel: the call's total is written, the voucher signed and sent, and its
 * answer checked. One call of a channel is under way at a time.
 */
import { defined, encodeHeader } from "@farthing/protocol";
import { checkBalanceAt } from "../chain/read-balance.ts";
import { declaredBy, extendOffer, runBuyerHooks } from "../extensions.ts";
import { dayMs } from "../ledger/limits.ts";
import type { Offer } from "../offer/read-challenge.ts";
import { askApprover, ledgerSentences, payeePinOf } from "../pay-once.ts";
import { PaymentError, refusedPayment } from "../payment-error.ts";
import { withPayment, type PaidResponse } from "../payment-summary.ts";
import { randomHex } from "../runtime.ts";
import type { UnpaidCall } from "../send-with-token.ts";
import { echoExtensions, validitySecondsMax } from "../sign-payment.ts";
import { end, endCorrected, stopChannel } from "./end-call.ts";
import {
  busyElsewhere,
  chooseChannel,
  stoppedMessage,
  type ChannelTools,
  type ChosenChannel,
} from "./choose-channel.ts";
import type { ChannelRecord } from "./channel-record.ts";
import {
  beginCall,
  type BeginOutcome,
  type CallOrder,
  type CallPlan,
  type CallRules,
} from "./channel-rules.ts";
import type { OfferedChannels } from "./find-channel-offer.ts";
import { findChannel, readChain } from "./look-up-channel.ts";
import { readChannelAnswer } from "./read-channel-answer.ts";
import { evaluateCorrective } from "./recover-channel.ts";
import { sendVoucher, type SentVoucher } from "./send-voucher.ts";
import { signDeposit, signVoucher, wireChannelPayment } from "./sign-channel.ts";
import { openCall, summarizeCharge, summarizeOpen } from "./channel-summary.ts";

/** Undefined where the request is to be paid by a single payment. Throws a PaymentError. */
export async function payByChannel(
  tools: ChannelTools,
  call: UnpaidCall,
  response: Response,
  offered: OfferedChannels,
): Promise<PaidResponse | undefined> {
  const chosen = await chooseChannel(tools, call, response, offered);
  if (!chosen) return undefined;
  const { channelId } = chosen.offer;
  return tools.channels.inTurn(channelId, async () => {
    // The caller may have stopped while other calls had their turn.
    call.request.signal?.throwIfAborted();
    for (let isRepeat = false; ; isRepeat = true) {
      const outcome = await payOnTurn(tools, call, chosen, isRepeat);
      if (outcome !== "again") return outcome;
    }
  });
}

/** `again` after the seller has proved another total. */
async function payOnTurn(
  tools: ChannelTools,
  call: UnpaidCall,
  chosen: ChosenChannel,
  isRepeat: boolean,
): Promise<PaidResponse | "again" | undefined> {
  const begun = await begin(tools, call, chosen, isRepeat);
  if (!begun) return undefined;
  const { record, plan } = begun;
  const message = await signCall(tools, chosen, begun);
  if (!message) return undefined;
  const { quote } = chosen;
  tools.emit({ type: "sent", requestId: quote.requestId });
  const { chargedUnits } = record;
  const hasDeposit = plan.deposit !== undefined;
  const expected = { offer: chosen.offer, chargedUnits, hasDeposit };
  const sent = await sendVoucher(tools, call.request, {
    header: message.header,
    url: quote.url,
    read: (response) => readChannelAnswer(response, expected),
  });
  return conclude(tools, { chosen, record, plan, sent, isRepeat, voucher: message.voucher });
}

type Begun = BeginOutcome & { readonly ok: true };

/** Writes the call's total. Undefined where a single payment is the better way. */
async function begin(
  tools: ChannelTools,
  call: UnpaidCall,
  chosen: ChosenChannel,
  isRepeat: boolean,
): Promise<Begun | undefined> {
  const order = await orderOf(tools, call, chosen, isRepeat);
  const { ledger, channels, limits } = tools;
  const { quote, hasOthers } = chosen;
  const rules: CallRules = {
    depositMaxUnits: channels.policy.depositMaxUnits,
    depositTotalMaxUnits: channels.policy.depositTotalMaxUnits,
    perDayUnits: limits.perDayUnits,
    windowMs: dayMs,
    payeePin: payeePinOf(tools, quote),
  };
  const outcome = await ledger.changeChannels((view) => beginCall(view, order, rules));
  if (outcome.ok) return outcome;
  const { reason } = outcome;
  const { requestId } = quote;
  if (reason === "cumulative_cap" || reason === "payee_changed") {
    throw refusedPayment(reason, ledgerSentences[reason], requestId);
  }
  if (reason === "stopped") {
    const message = stoppedMessage(order.channelId, outcome.record?.stopped);
    throw refusedPayment("channel_stopped", message, requestId);
  }
  if (reason === "already_called") {
    const message =
      "A call with this request id was sent over a channel; its response cannot be had again. Choose a new id.";
    throw refusedPayment("request_id_conflict", message, requestId);
  }
  if (hasOthers) return undefined;
  throw refusedPayment(
    reason === "busy" ? "channel_busy" : "channel_limit",
    beginSentences[reason],
    requestId,
  );
}

const beginSentences = {
  busy: busyElsewhere,
  deposit_limit:
    "The channel needs a deposit above what sellers may hold; raise it (`farthing ledger limits set --deposit-per-seller` or `--deposit-total`; in code, channels.depositMax or channels.depositTotalMax), or refund another channel.",
} as const;

async function orderOf(
  tools: ChannelTools,
  { request, terms, isNamed }: UnpaidCall,
  { offer, quote }: ChosenChannel,
  isRepeat: boolean,
): Promise<CallOrder> {
  const { runtime, channels, answerTimeoutMs } = tools;
  const { requirements, channelId, config, maxTimeoutSeconds } = offer;
  const found = await findChannel(tools, offer);
  const now = runtime.now();
  const url = new URL(quote.url);
  return {
    channelId,
    config,
    network: requirements.network.id,
    host: url.host,
    url: `${url.origin === "null" ? `${url.protocol}//${url.host}` : url.origin}${url.pathname}`,
    method: request.method,
    requestId: terms.requestId,
    isNamed: isNamed && !isRepeat,
    amountUnits: requirements.amount,
    ...defined({ minDepositUnits: requirements.minDeposit, found }),
    holder: channels.holder,
    now,
    until: now + answerTimeoutMs,
    validBefore: Math.floor(now / 1000) + Math.min(maxTimeoutSeconds, validitySecondsMax),
    salt: `0x${randomHex(runtime, 32)}`,
  };
}

interface CallMessage {
  readonly header: string;
  readonly voucher: NonNullable<ChannelRecord["lastVoucher"]>;
}

/** Undefined where the payer lacks the deposit and a single payment is offered. */
async function signCall(
  tools: ChannelTools,
  chosen: ChosenChannel,
  { record, plan }: Begun,
): Promise<CallMessage | undefined> {
  try {
    const poor = plan.deposit && (await depositProblem(tools, chosen, plan.deposit.units));
    if (poor !== undefined && chosen.hasOthers) {
      await end(tools, record, { kind: "unsigned" });
      return undefined;
    }
    const { requestId } = chosen.quote;
    if (poor !== undefined) throw refusedPayment("insufficient_balance", poor, requestId);
    const single = await agree(tools, chosen, plan);
    return await signMessage(tools, chosen, single, plan);
  } catch (error) {
    await end(tools, record, { kind: "unsigned" });
    throw error;
  }
}

async function depositProblem(
  tools: ChannelTools,
  { offer, single }: ChosenChannel,
  amount: bigint,
): Promise<string | undefined> {
  const { nodeFetch = tools.fetch, nodesOf, signer } = tools;
  if (!single.requirements) return undefined;
  const requirements = { ...single.requirements, amount };
  const nodes = nodesOf(offer.requirements.network);
  const { verdict, message } = await checkBalanceAt(nodeFetch, nodes, signer, requirements);
  return verdict === "fail" ? message : undefined;
}

/** Asks the approver and the extensions, as before a single payment. */
async function agree(tools: ChannelTools, chosen: ChosenChannel, plan: CallPlan): Promise<Offer> {
  const { extensions } = tools;
  const quote = withDepositCheck(tools, chosen, plan);
  const { requestId } = quote;
  tools.emit({ type: "quote", requestId, quote });
  const contextOf = (key: string) => ({ quote, declared: declaredBy(chosen.single, key) });
  await runBuyerHooks(extensions, "afterVerify", contextOf, requestId);
  await askApprover(tools, quote);
  await runBuyerHooks(extensions, "beforeSettle", contextOf, requestId);
  return extendOffer(extensions, chosen.single, quote);
}

/** A deposit above the approver's limit needs consent like a price. */
function withDepositCheck(
  { approve, limits }: ChannelTools,
  { quote }: ChosenChannel,
  { deposit }: CallPlan,
): ChosenChannel["quote"] {
  if (!deposit) return quote;
  const usdc = `${Number(deposit.units) / 1e6}`;
  const isAsked = approve !== undefined && deposit.units > limits.askAboveUnits;
  const check = {
    name: "deposit",
    verdict: isAsked ? "ask" : "pass",
    message: `A deposit of ${usdc} USDC, of which the seller gets what calls cost.`,
  } as const;
  return { ...quote, checks: [...quote.checks, check] };
}

async function signMessage(
  tools: ChannelTools,
  { offer, quote }: ChosenChannel,
  single: Offer,
  { totalUnits, deposit }: CallPlan,
): Promise<CallMessage> {
  const { signer: payer, channels, runtime } = tools;
  const signers = { payer, policy: channels.policy };
  const { network } = offer.requirements;
  const { requestId } = quote;
  try {
    const payload = deposit
      ? ({
          type: "deposit",
          deposit: await signDeposit(signers, network, offer.channelId, deposit),
        } as const)
      : ({ type: "voucher" } as const);
    const voucher = await signVoucher(signers, network, offer.channelId, totalUnits);
    const { resource } = single;
    const extensions = echoExtensions(single.extensions, requestId, runtime);
    const envelope = { accepted: offer.raw, ...defined({ resource, extensions }) };
    const { signature } = voucher;
    return {
      header: encodeHeader(wireChannelPayment(envelope, offer.config, voucher, payload)),
      voucher: { units: totalUnits, signature },
    };
  } catch (cause) {
    const message = "The wallet did not sign; nothing was paid.";
    throw refusedPayment("signing_failed", message, requestId, { cause });
  }
}

interface Conclusion {
  readonly chosen: ChosenChannel;
  /** As written before the call. */
  readonly record: ChannelRecord;
  readonly plan: CallPlan;
  readonly voucher: CallMessage["voucher"];
  readonly sent: SentVoucher;
  readonly isRepeat: boolean;
}

/** Writes what the answer proves, and returns the response with it. */
async function conclude(
  tools: ChannelTools,
  conclusion: Conclusion,
): Promise<PaidResponse | "again"> {
  const { chosen, record, plan, voucher, sent } = conclusion;
  const { channelId } = record;
  const { requestId } = chosen.quote;
  if (!sent.response) {
    await end(tools, record, { kind: "unanswered" });
    throw new PaymentError(openCall("no_answer", chosen.offer), requestId, sent.cause);
  }
  const { response, answer } = sent;
  if (answer.kind === "charged") {
    const { chargedUnits, stated } = answer;
    const { claimedUnits, withdrawRequestedAt } = stated;
    const state = defined({ claimedUnits, withdrawRequestedAt });
    const charge = { chargedUnits, voucher, state, ...defined({ deposit: plan.deposit }) };
    const now = await end(tools, record, { kind: "charged", ...charge });
    const payment = summarizeCharge(chosen, now ?? record, plan, answer);
    tools.emit({ type: "charged", requestId, payment });
    return withPayment(response, payment);
  }
  if (answer.kind === "lie") {
    await stopChannel(tools, record, answer.reason);
    const problem = openCall(
      "receipt_mismatch",
      chosen.offer,
      stoppedMessage(channelId, answer.reason),
    );
    return withPayment(response, summarizeOpen(chosen, record, problem, answer.receipt));
  }
  if (answer.kind === "corrective") return recover(tools, conclusion, response);
  await end(tools, record, { kind: "unanswered" });
  const open = answer.kind === "open" ? answer : busyAnswer;
  const { code, reason, receipt } = open;
  const problem = openCall(code, chosen.offer, reason);
  return withPayment(response, summarizeOpen(chosen, record, problem, receipt));
}

const busyAnswer = {
  code: "seller_unavailable",
  reason: "the channel is busy",
  receipt: undefined,
} as const;

/** Takes another total where it is proved, and then pays once more; a proved lie ends the channel. */
async function recover(
  tools: ChannelTools,
  { chosen, record, sent, isRepeat }: Conclusion,
  response: Response,
): Promise<PaidResponse | "again"> {
  const { channelId } = record;
  const { answer } = sent;
  if (answer?.kind !== "corrective") throw new Error("Only a corrective answer is recovered from.");
  const read = await readChain(tools, chosen.offer);
  const recovery = await endCorrected(tools, record, (newest) =>
    evaluateCorrective(newest, chosen.offer, answer, read?.state),
  );
  if (recovery.kind === "lie") {
    const message = stoppedMessage(channelId, recovery.reason);
    throw new PaymentError(
      openCall("channel_stopped", chosen.offer, message),
      chosen.quote.requestId,
    );
  }
  if (recovery.kind !== "unproven" && !isRepeat) {
    // Unread bodies hold their connection.
    response.body?.cancel().catch(() => {});
    return "again";
  }
  const reason = recovery.kind === "unproven" ? recovery.reason : answer.code;
  const problem = openCall("payment_refused", chosen.offer, reason);
  return withPayment(response, summarizeOpen(chosen, record, problem));
}
