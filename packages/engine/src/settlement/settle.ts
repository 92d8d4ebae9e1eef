/**
 * From a request to a settlement: judge, claim, hand to the relayer, wait as long as was asked.
 * The claim comes before anything is sent, and there is one per authorization; whoever asks again
 * gets the same settlement.
 */
import { randomBytes } from "node:crypto";
import {
  isRefusalCode,
  refusal,
  type ChainId,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import type { Batcher } from "../base/batcher.ts";
import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import { isSettled, type Claim, type Settlement } from "../model/settlement.ts";
import type { Relayer } from "../relayer/relayer.ts";
import type { ClaimResult } from "../storage/engine-store.ts";
import type { ClaimRefusal } from "../storage/participant.ts";
import type { RefuseUsed } from "../verification/earlier-use.ts";
import {
  pairOf,
  type VerifiedPayment,
  type Verifier,
  type VerifyOptions,
} from "../verification/verify.ts";
import { queueFull, revertedGasExhausted, type Admit } from "./admission.ts";
import type { ClaimingExchange } from "./exchange-calls.ts";
import type { OutcomeBook } from "./outcome-book.ts";
import type { Waiters, WaitGoal } from "./waiters.ts";

/** How a settlement is asked for. */
export interface SettleOptions
  extends VerifyOptions, Pick<Claim, "owner" | "priority" | "keyId" | "credits" | "terms"> {
  /** Names the request in logs. */
  readonly requestId: string;
  /** The seller's call; null when no seller asks. */
  readonly exchange: ClaimingExchange | null;
  /** What the first asker waits for, and how long at most. */
  readonly goal: WaitGoal;
  readonly timeoutMs: number;
  /** How long one waits who asks again while it is pending. */
  readonly repeatTimeoutMs: number;
}

/** What became of it. */
export type SettleResult =
  | {
      readonly kind: "settlement";
      readonly settlement: Settlement;
      /** Somebody asked for the same settlement before. */
      readonly isRepeat: boolean;
    }
  | { readonly kind: "refused"; readonly refusal: Refusal; readonly existing?: Settlement }
  /** Not evaluated: a participant denied the claim, for a reason that its feature responds to. */
  | { readonly kind: "denied"; readonly code: string };

/** What settling needs. */
export interface SettleDeps {
  readonly clock: Clock;
  readonly log: Log;
  readonly verifier: Verifier;
  readonly waiters: Waiters;
  readonly claim: Batcher<Claim, ClaimResult>;
  findByPair(pair: ReturnType<typeof pairOf>): Promise<Settlement | undefined>;
  findSettlement(id: string): Promise<Settlement | undefined>;
  networkOf(
    chainId: ChainId,
  ): { readonly relayer: Relayer; readonly book: OutcomeBook } | undefined;
  readonly admit: Admit;
  /** What contract wallets may burn by reverting; undefined for no bound. */
  revertedGasOf(chainId: ChainId): Claim["revertedGas"];
  /** Refuses a payment whose identifier stands for another one. */
  refuseIdentifier(request: PaymentRequest): Promise<Refusal | undefined>;
  /** Leaves a settlement to the processes that have wallets. */
  tellUnserved(settlement: Settlement): void;
  /** Names the transaction that used an authorization before we first saw it, where one is found. */
  refuseUsed: RefuseUsed;
}

/** Settles a payment, or gives the settlement that it already has. */
export type Settle = (request: PaymentRequest, options: SettleOptions) => Promise<SettleResult>;

/** Creates the function. */
export function createSettle(deps: SettleDeps): Settle {
  const { verifier, waiters } = deps;

  async function settle(request: PaymentRequest, options: SettleOptions): Promise<SettleResult> {
    // Terms first: what was settled for one seller says nothing to another.
    const terms = verifier.checkTerms(request, options);
    if (!terms.ok) return { kind: "refused", refusal: terms.refusal };
    const conflict = await deps.refuseIdentifier(request);
    if (conflict) return { kind: "refused", refusal: conflict };
    const existing = await deps.findByPair(pairOf(request));
    if (existing) return repeat(request, existing, options);
    const verified = await verifier.verify(request, options);
    if (!verified.ok) return refuseOrRepeat(request, verified.refusal, options);
    return claimAndWait(verified.value, options);
  }

  /** Two at once: the other one may have been claimed, even mined, while this one was judged. */
  async function refuseOrRepeat(
    request: PaymentRequest,
    why: Refusal,
    options: SettleOptions,
  ): Promise<SettleResult> {
    if (why.code !== "nonce_already_used") return { kind: "refused", refusal: why };
    const existing = await deps.findByPair(pairOf(request));
    if (existing) return repeat(request, existing, options);
    return { kind: "refused", refusal: await deps.refuseUsed(pairOf(request), request) };
  }

  async function claimAndWait(
    verified: VerifiedPayment,
    options: SettleOptions,
  ): Promise<SettleResult> {
    const at = deps.networkOf(verified.payment.network.chainId);
    const { chainId: on } = verified.payment.network;
    const claim = { ...claimOf(verified, options), revertedGas: deps.revertedGasOf(on) };
    const unfit = await deps.admit(verified, options);
    if (unfit) return { kind: "refused", refusal: unfit };
    const release = at?.relayer.reserve(claim);
    if (!at || !release) throw queueFull();
    const waiting = waiters.wait(claim.id, options.goal, options.timeoutMs);
    try {
      const result = await deps.claim(claim).finally(release);
      if (result.kind === "refused") return refusedClaim(result.reason, deps.clock);
      if (result.kind === "existing") return await repeat(verified, result.settlement, options);
      const { settlement } = result;
      options.exchange?.claimed(settlement.id);
      const { id, chainId, payer, payTo, amount } = settlement;
      const { requestId } = options;
      deps.log.info(
        { requestId, settlementId: id, chainId, payer, payTo, amount: amount.toString() },
        "Settlement queued",
      );
      at.book.track(settlement);
      const isOurs = at.relayer.isWorking();
      // Queued in any case: what this process has claimed counts against its bounds until it is sent.
      at.relayer.enqueue({
        settlement,
        simulatedAt: deps.clock.nowMs(),
        isPossiblyTaken: !isOurs,
      });
      if (!isOurs) deps.tellUnserved(settlement);
      const became = (await waiting.done) ?? (await newest(settlement));
      return { kind: "settlement", settlement: became, isRepeat: false };
    } finally {
      waiting.cancel();
    }
  }

  async function repeat(
    request: PaymentRequest,
    existing: Settlement,
    options: SettleOptions,
  ): Promise<SettleResult> {
    if (!hasSameTerms(request, existing)) {
      const message = "This nonce was presented before with other terms; sign a new authorization.";
      return { kind: "refused", refusal: refusal("nonce_already_used", message), existing };
    }
    const waiting = waiters.wait(existing.id, "outcome", options.repeatTimeoutMs);
    // Read again after the wait has begun, so that an outcome in between is not slept through.
    const now = await newest(existing);
    if (!isSettled(now)) await waiting.done;
    waiting.cancel();
    return { kind: "settlement", settlement: await newest(now), isRepeat: true };
  }

  async function newest(settlement: Settlement): Promise<Settlement> {
    if (isSettled(settlement)) return settlement;
    return (await deps.findSettlement(settlement.id)) ?? settlement;
  }

  return settle;
}

/** Random bytes of a settlement's id: too many to guess, since some surfaces ask for no key. */
const idBytes = 16;

function claimOf(verified: VerifiedPayment, options: SettleOptions): Claim {
  const { payment, signature, payerHasCode, seenUnusedAt } = verified;
  const { to, value, validAfter, validBefore } = payment.authorization;
  return {
    ...pairOf(verified),
    id: `stl_${randomBytes(idBytes).toString("hex")}`,
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
  };
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

/** Throws for what stands in the way of contract payers, as admission does. */
function refusedClaim(reason: ClaimRefusal, clock: Clock): SettleResult {
  if (reason === "reverted_gas_exhausted") throw revertedGasExhausted(clock);
  // The protocol's refusals are about the payment; every other reason is about the caller.
  return isRefusalCode(reason)
    ? { kind: "refused", refusal: refusal(reason) }
    : { kind: "denied", code: reason };
}
