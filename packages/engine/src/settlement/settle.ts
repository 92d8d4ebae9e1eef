/**
 * Settles a payment: verifies, claims, enqueues it with the relayer and waits as long as requested. The
 * claim precedes every send, and each authorization has one; a repeated request gets the same
 * settlement.
 */
import {
  isRefusalCode,
  refusal,
  type ChainId,
  type Hex,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import type { Batcher } from "../base/batcher.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isRenewal } from "../model/refund.ts";
import {
  isSettled,
  type AuthorizationKey,
  type Claim,
  type Settlement,
} from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { BindResult, ClaimResult } from "../storage/engine-store.ts";
import type { ClaimRefusal } from "../storage/participant.ts";
import type { RefuseUsed } from "../verification/earlier-use.ts";
import {
  authorizationKeyOf,
  type VerifiedPayment,
  type Verifier,
  type VerifyOptions,
} from "../verification/verify.ts";
import { queueFull, revertedGasExhausted, type Admit } from "./admission.ts";
import type { ClaimingExchange } from "./exchange-calls.ts";
import type { OutcomeTracker } from "./outcome-tracker.ts";
import type { RefuseIdentifier } from "./payment-identifier.ts";
import type { FindLost } from "./lost-settlement.ts";
import type { LostTransfers } from "./lost-transfers.ts";
import type { Waiters, WaitGoal } from "./waiters.ts";

export interface SettleOptions
  extends
    VerifyOptions,
    Pick<Claim, "owner" | "priority" | "keyId" | "credits" | "terms" | "refund"> {
  /** Names the request in logs. */
  readonly requestId: string;
  /** The seller's call; null without a seller. */
  readonly exchange: ClaimingExchange | null;
  /** What the claiming caller waits for, at most for `timeoutMs`. */
  readonly goal: WaitGoal;
  readonly timeoutMs: number;
  /** The wait of a repeated request while the settlement is pending. */
  readonly repeatTimeoutMs: number;
}

export type SettleResult =
  | {
      readonly kind: "settlement";
      readonly settlement: Settlement;
      /** An earlier request claimed the settlement. */
      readonly isRepeat: boolean;
    }
  | {
      readonly kind: "refused";
      readonly refusal: Refusal;
      readonly existing?: Settlement;
      /** The transfer of a payment that no settlement here is known for. */
      readonly transaction?: Hex;
    }
  /** Not evaluated: a participant denied the claim, for a reason that its feature responds to. */
  | { readonly kind: "denied"; readonly code: string };

export interface SettleDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly verifier: Verifier;
  readonly waiters: Waiters;
  readonly claim: Batcher<Claim, ClaimResult>;
  findByKey(pair: ReturnType<typeof authorizationKeyOf>): Promise<Settlement | undefined>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  networkOf(chainId: ChainId):
    | {
        readonly relayer: Relayer;
        readonly outcomes: OutcomeTracker;
        readonly lost: Pick<LostTransfers, "refuseWhileBehind">;
      }
    | undefined;
  readonly admit: Admit;
  /** The gas that contract wallets may burn by reverting; undefined without a bound. */
  revertedGasOf(chainId: ChainId): Claim["revertedGas"];
  readonly refuseIdentifier: RefuseIdentifier;
  /** Notifies peers with wallets of a claim that this process cannot send. */
  publishUnassigned(settlement: Settlement): void;
  readonly findLost: FindLost;
  /** Gives a recovered settlement to its first caller. */
  bindClaim(claim: Claim): Promise<BindResult>;
  /** The id of a settlement that is claimed. */
  newId(key: AuthorizationKey): string;
  /** The refusal names the transaction that used the authorization, where one is found. */
  readonly refuseUsed: RefuseUsed;
}

/** How a payment is claimed. */
interface ClaimTerms {
  /** The failed settlement that a refund signs again. */
  readonly renewedId?: string | undefined;
  /** When the verification simulated the transfer; 0 where it is simulated before it is sent. */
  readonly simulatedAt?: number;
  readonly isRecovered?: boolean;
}

/** Settles a payment, or returns the settlement that it already has. */
export type Settle = (request: PaymentRequest, options: SettleOptions) => Promise<SettleResult>;

export function createSettle(deps: SettleDeps): Settle {
  return (request, options) => settle(deps, request, options);
}

async function settle(
  deps: SettleDeps,
  request: PaymentRequest,
  options: SettleOptions,
): Promise<SettleResult> {
  // Terms first: a settlement for one seller means nothing to another.
  const terms = deps.verifier.checkTerms(request, options);
  if (!terms.ok) return { kind: "refused", refusal: terms.refusal };
  await deps.networkOf(request.payment.network.chainId)?.lost.refuseWhileBehind();
  const conflict = await deps.refuseIdentifier(request);
  if (conflict) return { kind: "refused", refusal: conflict };
  const existing = await deps.findByKey(authorizationKeyOf(request));
  if (existing && !isRenewal(options.refund, existing)) {
    return checkAndRepeat(deps, request, existing, options);
  }
  const verified = await deps.verifier.verify(request, options);
  if (!verified.ok) return refuseOrRepeat(deps, request, verified.refusal, options);
  return claimAndWait(deps, verified.value, options, { renewedId: existing?.id });
}

/** A concurrent request may have been claimed, even mined, while this one was verified. */
async function refuseOrRepeat(
  deps: SettleDeps,
  request: PaymentRequest,
  why: Refusal,
  options: SettleOptions,
): Promise<SettleResult> {
  if (why.code !== "nonce_already_used") return { kind: "refused", refusal: why };
  const existing = await deps.findByKey(authorizationKeyOf(request));
  if (existing) return checkAndRepeat(deps, request, existing, options);
  const { refusal, paidBy } = await deps.refuseUsed(authorizationKeyOf(request), request);
  if (!paidBy) return { kind: "refused", refusal };
  const presentedAs = options.refund ? "refund" : "payment";
  const lost = await deps.findLost(request, paidBy, presentedAs);
  if (lost) return adopt(deps, lost, options);
  return { kind: "refused", refusal, transaction: paidBy.transaction };
}

/**
 * Claims a payment again that the database has lost. Its outcome is then read from the chain. No record
 * shows who received its success before, so it is reported once from now on, as for several exchanges.
 */
async function adopt(
  deps: SettleDeps,
  lost: VerifiedPayment,
  options: SettleOptions,
): Promise<SettleResult> {
  const signed = await deps.verifier.checkSignature(lost, { signatureHash: null }, options);
  if (!signed.ok) return { kind: "refused", refusal: signed.refusal };
  logRecovered(lost, deps.log);
  return claimAndWait(deps, lost, options, { simulatedAt: 0, isRecovered: true });
}

async function claimAndWait(
  deps: SettleDeps,
  verified: VerifiedPayment,
  options: SettleOptions,
  { renewedId, simulatedAt = deps.clock.nowMs(), isRecovered = false }: ClaimTerms,
): Promise<SettleResult> {
  const { chainId } = verified.payment.network;
  const network = deps.networkOf(chainId);
  const claim = {
    ...claimOf(verified, options, renewedId ?? deps.newId(authorizationKeyOf(verified))),
    revertedGas: deps.revertedGasOf(chainId),
    isRecovered,
  };
  const notAdmitted = await deps.admit(verified, options);
  if (notAdmitted) return { kind: "refused", refusal: notAdmitted };
  const release = network?.relayer.reserve(claim);
  if (!network || !release) throw queueFull();
  const waiting = deps.waiters.wait(claim.id, options.goal, options.timeoutMs);
  try {
    const result = await deps.claim(claim).finally(release);
    if (result.kind === "refused") return refusedClaim(result.reason, deps.clock);
    if (result.kind === "existing") {
      return await bindOrRepeat(deps, verified, result.settlement, options);
    }
    const { settlement } = result;
    options.exchange?.claimed(settlement.id);
    logQueued(settlement, options, deps.log);
    network.outcomes.observe(settlement);
    const isOurs = network.relayer.isWorking();
    // Enqueued in any case: claims of this process count against its bounds until they are sent.
    network.relayer.enqueue({ settlement, simulatedAt, isPossiblyTaken: !isOurs });
    if (!isOurs) deps.publishUnassigned(settlement);
    const current = (await waiting.done) ?? (await newest(deps, settlement));
    // The database lost the claim meanwhile, and the search has found the payment on the chain.
    if (current.recoveredAt !== settlement.recoveredAt) {
      return await bindOrRepeat(deps, verified, current, options);
    }
    return { kind: "settlement", settlement: current, isRepeat: false };
  } finally {
    waiting.cancel();
  }
}

async function checkAndRepeat(
  deps: SettleDeps,
  request: PaymentRequest,
  existing: Settlement,
  options: SettleOptions,
): Promise<SettleResult> {
  const signed = await deps.verifier.checkSignature(request, existing, options);
  return signed.ok
    ? bindOrRepeat(deps, request, existing, options)
    : { kind: "refused", refusal: signed.refusal };
}

/** A payment that the search has just recovered has no caller yet. */
async function bindOrRepeat(
  deps: SettleDeps,
  request: PaymentRequest,
  existing: Settlement,
  options: SettleOptions,
): Promise<SettleResult> {
  const bound = await bindRecovered(deps, request, existing, options);
  if (bound.kind === "refused") return refusedClaim(bound.reason, deps.clock);
  if (bound.kind === "existing") return repeat(deps, request, existing, options);
  options.exchange?.claimed(existing.id);
  const settlement = await outcomeOf(deps, bound.settlement, options);
  return { kind: "settlement", settlement, isRepeat: false };
}

async function repeat(
  deps: SettleDeps,
  request: PaymentRequest,
  existing: Settlement,
  options: SettleOptions,
): Promise<SettleResult> {
  if (existing.refundOf !== (options.refund?.of ?? null)) {
    const message = "A refund and a payment cannot share a nonce; sign a new authorization.";
    return { kind: "refused", refusal: refusal("nonce_already_used", message), existing };
  }
  if (!hasSameTerms(request, existing)) {
    const message = "This nonce was presented before with other terms; sign a new authorization.";
    return { kind: "refused", refusal: refusal("nonce_already_used", message), existing };
  }
  const settlement = await outcomeOf(deps, existing, options);
  return { kind: "settlement", settlement, isRepeat: true };
}

/** Waits for the outcome as long as a repeated request may. */
async function outcomeOf(
  deps: SettleDeps,
  known: Settlement,
  options: SettleOptions,
): Promise<Settlement> {
  const waiting = deps.waiters.wait(known.id, "outcome", options.repeatTimeoutMs);
  // Read again after the wait has begun, so that an outcome in between is not missed.
  const now = await newest(deps, known);
  if (!isSettled(now)) await waiting.done;
  waiting.cancel();
  return newest(deps, now);
}

async function newest(deps: SettleDeps, settlement: Settlement): Promise<Settlement> {
  if (isSettled(settlement)) return settlement;
  return (await deps.findSettlement(settlement.id)) ?? settlement;
}

function logRecovered(lost: VerifiedPayment, log: Log): void {
  const { payer, nonce, chainId } = authorizationKeyOf(lost);
  const message = "Settlement recovered: a relayer wallet had sent it, and the store lost it";
  log.warn({ event: "settlement_recovered", chainId, payer, nonce }, message);
}

function logQueued(settlement: Settlement, { requestId }: SettleOptions, log: Log): void {
  const { id: settlementId, refundOf, chainId, payer, payTo, amount } = settlement;
  const fields = { settlementId, refundOf, chainId, payer, payTo, amount: amount.toString() };
  log.info({ event: "settlement_queued", requestId, ...fields }, "Settlement queued");
}

function claimOf(verified: VerifiedPayment, options: SettleOptions, id: string): Claim {
  const { payment, signature, payerHasCode, seenUnusedAt } = verified;
  const { to, value, validAfter, validBefore } = payment.authorization;
  return {
    ...authorizationKeyOf(verified),
    id,
    payTo: to,
    amount: value,
    validAfter,
    validBefore,
    signature,
    payerHasCode,
    seenUnusedAt,
    networkName: payment.networkName,
    owner: options.owner,
    priority: options.priority,
    keyId: options.keyId,
    credits: options.credits,
    terms: options.terms,
    requestId: options.requestId,
    identifier: verified.identifier,
    claimingCall: options.exchange?.claimingCall ?? null,
    refund: options.refund,
  };
}

/**
 * The first seller's call of a recovered payment is its claiming call from now on. A refund has none, and
 * belongs to its payee's first repeat.
 */
async function bindRecovered(
  deps: Pick<SettleDeps, "bindClaim">,
  request: PaymentRequest,
  existing: Settlement,
  options: SettleOptions,
): Promise<BindResult> {
  const isLost = existing.recoveredAt !== null && hasSameTerms(request, existing);
  const isMeant = existing.refundOf === (options.refund?.of ?? null);
  if (!isLost || !isMeant || !(options.exchange ?? options.refund)) return { kind: "existing" };
  const { payerHasCode, seenUnusedAt } = existing;
  const verified = { ...request, signature: request.payment.signature, payerHasCode, seenUnusedAt };
  return deps.bindClaim(claimOf(verified, options, existing.id));
}

function hasSameTerms({ payment }: PaymentRequest, existing: Settlement): boolean {
  const { to, value, validAfter, validBefore } = payment.authorization;
  return (
    to === existing.payTo &&
    value === existing.amount &&
    validAfter === existing.validAfter &&
    validBefore === existing.validBefore
  );
}

/** Throws as admission does where contract wallets have used up their gas. */
function refusedClaim(reason: ClaimRefusal, clock: Clock): SettleResult {
  if (reason === "reverted_gas_exhausted") throw revertedGasExhausted(clock);
  // The protocol's refusals concern the payment; every other reason concerns the caller.
  return isRefusalCode(reason)
    ? { kind: "refused", refusal: refusal(reason) }
    : { kind: "denied", code: reason };
}
