/**
 * A request that pays by a channel. One of a channel works at a time; its voucher must be for what was
 * charged and this call. It is checked here while what the chain said is fresh, and by the facilitator
 * otherwise. A deposit is made before the work, and a call is charged after it, before its response.
 */
import {
  parseWireChannelState,
  wireChannelCode,
  type ChannelPayment,
  type ChannelState,
  type SettleResponse,
} from "@farthing/protocol";
import type { CostOf } from "../balance-options.ts";
import type { PaidRequest } from "../events.ts";
import { makeInTime } from "../exchange/after-success.ts";
import { cancelBody } from "../exchange/delivery.ts";
import { LeaseLostError } from "../exchange/lost-lease.ts";
import {
  accountProblemResult,
  ask,
  faultResult,
  later,
  storeFailed,
  uncheckedResult,
  undecided,
  whyInvalid,
} from "../exchange/open-responses.ts";
import type { ChargedRequest, ExchangeDeps, ExchangeResult } from "../exchange/paid-request.ts";
import { refuseOverLimit } from "../exchange/payer-limit.ts";
import { addReceipt, content, type ChallengeTerms } from "../responses.ts";
import type { FacilitatorFailure } from "../facilitator-order.ts";
import { countedTotal, type StoredChannel } from "../payment-records/channels/channel-store.ts";
import type { KeptCall } from "../payment-records/channels/kept-call.ts";
import {
  firstOf,
  type ChannelCharge,
  type ChannelHolding,
  type Channels,
  type HeldChannel,
  type NewChannel,
} from "../payment-records/channels/channels.ts";
import { requestOfBuyer, settleCall, verifyCall, type ChannelCallEnd } from "./ask-facilitator.ts";
import { keepCall, repeatCall, type BoundCall } from "./bound-call.ts";
import { costOf, withoutCost } from "./call-cost.ts";
import { refuseByHook, withholdByHook } from "./channel-hooks.ts";
import type { OfferedChannel } from "./channel-offers.ts";
import {
  channelBusy,
  channelLost,
  channelsFull,
  chargedReceipt,
  correctTotal,
  refundReceipt,
  refuseCall,
} from "./channel-responses.ts";
import { checkCall, checkExposure, expectedTotal, isCertain, isFresh } from "./channel-rules.ts";
import type { ChannelTurns } from "./channel-turns.ts";
import { refundHeld } from "./refund-channel.ts";
import { isBehindVault, totalBeforeRefund } from "./vault-total.ts";

type WorkRules = "serve" | "isStreamed" | "workMs" | "redirects";

/** A request with a channel's message. */
export interface ChannelCall extends Pick<ChargedRequest, WorkRules> {
  readonly payment: ChannelPayment;
  readonly offers: readonly OfferedChannel[];
  readonly terms: ChallengeTerms;
  readonly channels: Channels;
  readonly turns: ChannelTurns;
  readonly cost: CostOf | undefined;
  readonly costHeader: string;
  readonly names: ChannelCharge["names"];
  /** Binds the call to its request; undefined where no repeat could prove anything. */
  readonly bind: () => Promise<BoundCall | undefined>;
}

/** What the steps of one call share. */
interface Step extends ChannelCall {
  readonly deps: ExchangeDeps;
  readonly offer: OfferedChannel;
  readonly bound: BoundCall | undefined;
  /** When the call gives up waiting for others; the work has a limit of its own. */
  readonly deadlineMs: number;
}

/** A channel that this call may use, or the response where it may not. */
type Taken = {
  readonly held: HeldChannel;
  readonly channel: StoredChannel;
  readonly isNew: boolean;
};

/** Pause between two looks at a channel that another process works on. */
const heldPauseMs = 25;

export async function serveChannel(deps: ExchangeDeps, call: ChannelCall): Promise<ExchangeResult> {
  const { payment, offers, terms, turns } = call;
  const { network, payload } = payment;
  const offer = offers.find((one) => one.network === network);
  if (!offer) {
    const offered = offers.map((one) => one.network.id).join(", ");
    const message = `Channels of ${network.id} are not taken here; use ${offered || "none now"}.`;
    return refuseCall(terms, { code: "network_mismatch", message });
  }
  const checked = checkCall(payload, offer);
  if (!checked.ok) return refuseCall(terms, checked.refusal);
  const deadlineMs = deps.clock.now() + deps.waitMs;
  const end = await turns.take(payload.voucher.channelId, deps.waitMs);
  if (!end) return channelBusy();
  try {
    const bound = await call.bind();
    return await serveInTurn({ ...call, deps, offer, bound, deadlineMs });
  } catch (error) {
    return error instanceof LeaseLostError ? channelLost(error) : storeFailed(error);
  } finally {
    end();
  }
}

/** Asks the extensions about a call whose voucher is for `before` and the price. A refund is no call. */
async function refuseCallByHook(
  { deps, payment, offer, terms }: Step,
  name: "beforeVerify" | "afterVerify",
): Promise<ExchangeResult | undefined> {
  const { type, config, voucher } = payment.payload;
  if (type === "refund") return undefined;
  const total = voucher.maxClaimableAmount - offer.amount;
  const channel = { id: voucher.channelId, total: `${total > 0n ? total : 0n}` };
  const network = payment.network.id;
  const facts = { payer: config.payer, amount: `${offer.amount}`, network, channel };
  return refuseByHook(deps, { payment, terms }, name, facts);
}

async function serveInTurn(step: Step): Promise<ExchangeResult> {
  const taken = await take(step);
  if ("response" in taken) return taken;
  const { held, isNew } = taken;
  let isVoid = isNew;
  try {
    const invalid = await refuseCallByHook(step, "afterVerify");
    if (invalid) return invalid;
    const funded = await fund(step, taken);
    if ("response" in funded) return funded;
    isVoid = false;
    return step.payment.payload.type === "refund"
      ? await refund(step, held, funded.channel)
      : await work(step, held, funded);
  } finally {
    // A lease that cannot be ended now expires.
    await held.release(isVoid).catch(() => undefined);
  }
}

/** Takes the channel, with a state that is fresh enough and a voucher that fits. */
async function take(step: Step): Promise<Taken | ExchangeResult> {
  const { deps, payment, channels } = step;
  const { payload } = payment;
  const id = payload.voucher.channelId;
  const { offer, deadlineMs } = step;
  const question = { vault: deps.vault, authority: offer.authority, deadlineMs };
  const total = payload.type === "refund" ? await totalBeforeRefund(channels, id, question) : 0n;
  if (typeof total === "object") return failed(total);
  const holding = await holdInTime(step, () => channels.hold(id));
  if (holding.kind === "held") return takeKnown(step, holding.held, total);
  if (holding.kind !== "unknown") return holding.kind === "busy" ? channelBusy() : channelsFull();
  const hooked = await refuseCallByHook(step, "beforeVerify");
  if (hooked) return hooked;
  const read = await askChain(step);
  if ("response" in read) return read;
  const opened = await openedBy(step, read);
  if ("response" in opened) return opened;
  const channel = firstOf(opened, deps.clock.now());
  const refused = await refuseUnfit(step, channel, opened.charged !== undefined);
  if (refused) return refused;
  const opening = await holdInTime(step, () => channels.hold(id, opened));
  if (opening.kind !== "held") return opening.kind === "busy" ? channelBusy() : channelsFull();
  const { held } = opening;
  // Another process may have opened it first.
  const isNew = held.channel.charged === channel.charged;
  return isNew ? { held, channel: held.channel, isNew } : takeKnown(step, held);
}

/**
 * A channel that is not known here has the total that the vault keeps, never one that its buyer tells:
 * these records may be lost while the vault's are not.
 */
async function openedBy(step: Step, state: ChannelState): Promise<NewChannel | ExchangeResult> {
  const { deps, payment, offer, deadlineMs } = step;
  const { config, voucher } = payment.payload;
  const id = voucher.channelId;
  const opened = { id, network: payment.network.id, config, voucher, state };
  // Nothing was charged by a channel that has no deposit yet.
  if (state.balance === 0n) return opened;
  const row = { id, config, voucher, charged: state.totalClaimed, sold: [] };
  const kept = await deps.vault.find(row, payment.network, offer.authority, deadlineMs);
  if (!kept) return opened;
  if ("kind" in kept) return failed(kept);
  return kept.charged > state.totalClaimed ? { ...opened, ...kept } : opened;
}

/** The response where the facilitator could not be asked. */
function failed(failure: FacilitatorFailure): ExchangeResult {
  return failure.kind === "fault" ? uncheckedResult(failure) : accountProblemResult(failure, {});
}

async function holdInTime(
  { deps: { clock }, deadlineMs }: Step,
  hold: () => Promise<ChannelHolding>,
): Promise<ChannelHolding> {
  for (;;) {
    const holding = await hold();
    if (holding.kind !== "busy" || clock.now() + heldPauseMs >= deadlineMs) return holding;
    await clock.sleep(heldPauseMs);
  }
}

/** Releases the channel where it may not be used. */
async function takeKnown(step: Step, held: HeldChannel, total = 0n) {
  const result = await readKnown(step, held, total).catch(async (error: unknown) => {
    await held.release().catch(() => undefined);
    throw error;
  });
  if ("response" in result) await held.release();
  return result;
}

async function readKnown(
  step: Step,
  held: HeldChannel,
  total: bigint,
): Promise<Taken | ExchangeResult> {
  if (isBehindVault(held, total)) return channelBusy();
  const { payment } = step;
  const known = held.channel;
  const unfit = isCertain(known, held.takenAtMs) ? await refuseUnfit(step, known) : undefined;
  const refused = unfit ?? (await refuseCallByHook(step, "beforeVerify"));
  if (refused) return refused;
  const isPlain = payment.payload.type === "voucher";
  if (isPlain && isFresh(known, held.takenAtMs)) return { held, channel: known, isNew: false };
  const read = await askChain(step);
  if ("response" in read) return read;
  const channel = await held.mirror(read);
  if (!channel) throw new LeaseLostError();
  // Somebody may have claimed more than was charged here.
  return (await refuseUnfit(step, channel)) ?? { held, channel, isNew: false };
}

/** Whether the voucher is for the next total. */
function isFit({ payment: { payload }, offer }: Step, channel: StoredChannel): boolean {
  return payload.voucher.maxClaimableAmount === expectedTotal(channel, payload, offer);
}

/** Returns the response to a voucher that is for another total: of the call that it repeats, or a 402. */
async function refuseUnfit(step: Step, channel: StoredChannel, isKnown = true) {
  if (isFit(step, channel)) return undefined;
  const { deps, terms, offer, bound } = step;
  const repeated = bound && (await repeatCall(deps, bound));
  return repeated ?? correctTotal(terms, offer, channel, isKnown);
}

function clientOf({ deps, offer }: Step) {
  return (deps.facilitators[offer.authority.nth] ?? deps.facilitators[0]).client;
}

/** Asks the facilitator for the state; returns the response where the message is not good by it. */
async function askChain(step: Step) {
  const { deps, payment, offer, terms, deadlineMs } = step;
  const { payload } = payment;
  const timeoutMs = Math.max(1, deadlineMs - deps.clock.now());
  const outcome = await verifyCall(clientOf(step), payload, offer, timeoutMs);
  if (outcome.kind !== "verdict") return failed(outcome);
  const { verdict } = outcome;
  if (!verdict.isValid) return ask(terms, whyInvalid(verdict));
  const state = parseWireChannelState(payload.voucher.channelId, verdict.extra);
  if (state) return state;
  const message = "The facilitator's answer does not tell the state of the channel.";
  return uncheckedResult({ kind: "fault", reason: "unreadable", message });
}

/** A channel that holds what the call may cost, with what was said of its deposit. */
interface Funded {
  readonly channel: StoredChannel;
  readonly deposit: SettleResponse | undefined;
}

/** Makes the deposit where there is one, and checks that the call can be claimed. */
async function fund(step: Step, { held, channel }: Taken): Promise<Funded | ExchangeResult> {
  const { deps, payment, terms, offer, deadlineMs } = step;
  const { payload } = payment;
  const added = payload.type === "deposit" ? payload.deposit.amount : 0n;
  const covered = checkExposure(channel, payload, added);
  if (!covered.ok) return refuseCall(terms, covered.refusal);
  if (payload.type !== "deposit") return { channel, deposit: undefined };
  const calling = { client: clientOf(step), clock: deps.clock, deadlineMs, channelId: channel.id };
  const end = await settleCall(calling, requestOfBuyer(payload, offer));
  if (end.kind !== "done") return unpaid(step, end);
  const state = end.state ?? (await askChain(step));
  if ("response" in state) return state;
  const funded = await held.mirror(state);
  if (!funded) throw new LeaseLostError();
  const checked = isFit(step, funded) ? checkExposure(funded, payload) : undefined;
  if (checked?.ok === true) return { channel: funded, deposit: end.settlement };
  // The deposit is made even so, and its buyer has to learn of it.
  const refused = checked ? refuseCall(terms, checked.refusal) : correctTotal(terms, offer, funded);
  addReceipt(refused.response.headers, chargedReceipt(funded, 0n, end.settlement));
  return refused;
}

/** The response to a deposit or a refund that was not made, or is not known to be. */
function unpaid({ terms }: Step, end: Exclude<ChannelCallEnd, { kind: "done" }>): ExchangeResult {
  if (end.kind === "fault") return faultResult(end);
  if (end.kind === "account") return accountProblemResult(end, {});
  const { errorReason, errorMessage } = end.settlement;
  if (end.kind === "pending") {
    return undecided(later("settlement_pending", "The transaction is under way."));
  }
  const error = errorReason ?? wireChannelCode("deposit_transaction_failed");
  return ask(terms, { error, ...(errorMessage === undefined ? {} : { message: errorMessage }) });
}

async function work(step: Step, held: HeldChannel, funded: Funded): Promise<ExchangeResult> {
  const { deps, payment, offer, terms } = step;
  const { channel, deposit } = funded;
  const facts = factsOf(channel, offer.amount);
  const tell = (result: ExchangeResult): ExchangeResult => {
    if (deposit) addReceipt(result.response.headers, chargedReceipt(channel, 0n, deposit));
    return result;
  };
  const limited = refuseOverLimit(deps, facts);
  if (limited) return tell(limited);
  const vaulted = { amount: offer.amount, deadlineMs: step.deadlineMs };
  const unvaulted = await deps.vault.secure(channel, offer.authority, vaulted);
  if (unvaulted) return tell(failed(unvaulted));
  const made = await makeInTime(deps, step, facts);
  if ("outcome" in made) {
    if (step.cost) made.response.headers.delete(step.costHeader);
    return tell(made);
  }
  const { voucher } = payment.payload;
  const costed = { cost: step.cost, amount: offer.amount, url: terms.resource.url, payment: facts };
  const cost = await costOf(deps, costed, made);
  const refused = await refuseByHook(deps, step, "beforeSettle", factsOf(channel, cost));
  if (refused) {
    cancelBody(made);
    return tell(refused);
  }
  const shown = step.cost ? withoutCost(step.costHeader, made) : made;
  const keep = (charged: StoredChannel): KeptCall | undefined =>
    step.bound && keepCall(deps, step.bound, shown, chargedReceipt(charged, cost, deposit));
  const names = deps.vault.isThere ? step.names : undefined;
  const after = await held.charge({ cost, voucher, names, keep }).catch((error: unknown) => {
    cancelBody(made);
    throw error;
  });
  if (!after) {
    cancelBody(made);
    throw new LeaseLostError();
  }
  const passing = deps.vault.pass(after, offer.authority);
  deps.waitUntil?.(passing);
  const receipt = chargedReceipt(after, cost, deposit);
  const paid = { ...factsOf(after, cost), transaction: receipt.transaction };
  const withheld = await withholdByHook(deps, step, paid, receipt);
  if (withheld) {
    cancelBody(made);
    return withheld;
  }
  const response = content(shown.response, shown.body, receipt);
  return { response, outcome: { type: "delivered", payment: paid }, receipt };
}

function factsOf(channel: StoredChannel, amount: bigint): PaidRequest {
  const { id, config, network } = channel;
  const total = `${countedTotal(channel)}`;
  return { payer: config.payer, amount: `${amount}`, network, channel: { id, total } };
}

async function refund(
  step: Step,
  held: HeldChannel,
  channel: StoredChannel,
): Promise<ExchangeResult> {
  const { deps, payment, offer, terms, deadlineMs } = step;
  const { payload, network } = payment;
  const { privateKey } = offer.authority;
  const amount = payload.type === "refund" ? payload.amount : undefined;
  // The voucher of a refund is for exactly what was charged, so it can claim that as well.
  const proven = { ...channel, voucher: payload.voucher };
  const calling = { client: clientOf(step), clock: deps.clock, deadlineMs, network };
  const end = await refundHeld(held, proven, { ...calling, privateKey, amount });
  if (end.kind === "empty") return refuseCall(terms, end.refusal);
  if (end.kind !== "done") return unpaid(step, end);
  const receipt = refundReceipt(end.channel, end.settlement);
  const body = JSON.stringify({ message: "The channel is refunded.", channelId: channel.id });
  const headers = new Headers({ "Content-Type": "application/json" });
  const response = content({ status: 200, headers }, body, receipt);
  return { ...undecided(response), receipt };
}
