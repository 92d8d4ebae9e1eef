/**
 * The seven rules of a payment in the order of their cost: first the request itself, then the
 * signature, then one shared chain read. `/verify` and `/settle` both run them.
 */
import {
  accept,
  formatUsdc,
  refuse,
  type ChainId,
  type Hex,
  type Network,
  type Outcome,
  type Payment,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import { assert } from "../base/assert.ts";
import { unixSeconds, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { isTimeUnclear, validitySeconds, type SeenTime } from "../chain/follower/clock-skew.ts";
import type { PaymentReader } from "../chain/payments/payment-reader.ts";
import type { PaymentReading } from "../chain/payments/payment-reading.ts";
import { isSettled, type AuthorizationKey, type Settlement } from "../model/settlement.ts";
import type { OpenedExchange } from "../storage/exchange-store.ts";
import { isUsedAsSigned, evaluateReading } from "./chain-state.ts";
import type { RefuseUsed } from "./earlier-use.ts";
import { checkRepeatedSignature } from "./repeated-signature.ts";
import { readSignature, tokenBytes, type SignatureReading } from "./signature.ts";
import { checkTerms } from "./terms.ts";
import { checkTimeWindow } from "./time-window.ts";
import type { UndeployedWallets } from "./undeployed-wallet.ts";

export interface VerifiedPayment extends PaymentRequest {
  readonly signature: Hex;
  readonly payerHasCode: boolean;
  /** The block at which the token reported the nonce as unused. */
  readonly seenUnusedAt: number;
}

export interface VerifyOptions {
  served(version: 1 | 2, network: Network): boolean;
  readonly marginSeconds: bigint;
  /** The smallest amount that is settled, in USDC base units: 0 with an API key. */
  readonly unitsMin: bigint;
  /** The reading of the request's signature, where another process has made it already. */
  readonly reading?: SignatureReading | undefined;
}

/** Throws a fault when the chain or the store cannot be read. */
export type Verifier = ReturnType<typeof createVerifier>;

export interface VerifierDeps {
  readonly clock: Clock;
  chainOf(chainId: ChainId): Readable | undefined;
  findByKey(key: AuthorizationKey): Promise<Settlement | undefined>;
  /** Looks up a valid payment and records the exchange that the result opens. */
  openExchange(key: AuthorizationKey, validBefore: bigint): Promise<OpenedExchange>;
  refuseUsed: RefuseUsed;
  readonly screen?: Screen | undefined;
}

/**
 * Refuses a valid payment whose addresses the operator does not serve. Throws a fault when that
 * cannot be evaluated now.
 */
export type Screen = (payment: Payment) => Promise<Refusal | undefined>;

/** The key that identifies a payment. */
export function authorizationKeyOf({ payment }: PaymentRequest): AuthorizationKey {
  const { network, authorization } = payment;
  return {
    chainId: network.chainId,
    asset: network.usdc,
    payer: authorization.from,
    nonce: authorization.nonce,
  };
}

export function createVerifier(deps: VerifierDeps) {
  /** Screens valid payments only, so that strangers cannot have arbitrary addresses looked up. */
  async function verify(
    request: PaymentRequest,
    options: VerifyOptions,
  ): Promise<Outcome<VerifiedPayment>> {
    const verified = await evaluate(deps, request, options);
    const refused = verified.ok ? await deps.screen?.(request.payment) : undefined;
    return refused ? { ok: false, refusal: refused } : verified;
  }

  async function verifyUnclaimed(request: PaymentRequest, options: VerifyOptions) {
    const terms = checkTerms(request, options.served);
    if (!terms.ok) return terms;
    const verified = await verify(request, options);
    // Runs after the chain read, so that payments which shared a call also share this lookup.
    if (verified.ok) return openExchange(verified);
    const claimed = await deps.findByKey(authorizationKeyOf(request));
    // Out of its time it may still be in a block that this service has not seen, unless it has failed.
    const hasEnded = claimed?.state === "failed" && isAboutTime(verified.refusal);
    if (claimed && !hasEnded) return refuseSigned(request, claimed, options);
    if (verified.refusal.code !== "nonce_already_used") return verified;
    const { refusal } = await deps.refuseUsed(authorizationKeyOf(request), request);
    return { ok: false as const, refusal };
  }

  /** Names the settlement only to a caller who has the payment's signature. */
  async function refuseSigned(
    request: PaymentRequest,
    claimed: Settlement,
    options: VerifyOptions,
  ) {
    const signed = await checkSignature(request, claimed, options);
    return signed.ok ? refuseClaimed(claimed) : signed;
  }

  function checkSignature(
    request: PaymentRequest,
    claimed: Pick<Settlement, "signatureHash">,
    { reading }: Pick<VerifyOptions, "reading"> = {},
  ) {
    const at = deps.chainOf(request.payment.network.chainId);
    assert(at, "a served network has a chain");
    return checkRepeatedSignature(at.chain, request.payment, claimed, reading);
  }

  async function openExchange(verified: { readonly ok: true; readonly value: VerifiedPayment }) {
    const { validBefore } = verified.value.payment.authorization;
    const opened = await deps.openExchange(authorizationKeyOf(verified.value), validBefore);
    if (opened.kind === "claimed") return refuseClaimed(opened.settlement);
    if (opened.kind === "opened") return verified;
    const message = "This payer has too many open payments; try again when some have expired.";
    throw new Fault("too_many_exchanges", message);
  }

  return {
    /** Checks the request without the time: a settled payment stays readable after it expires. */
    checkTerms: (request: PaymentRequest, options: VerifyOptions) =>
      checkTerms(request, options.served),
    verify,
    /** Checks the signature of a payment that has a settlement. Throws RPC faults. */
    checkSignature,
    /** Also refuses claimed payments, and opens an exchange. Throws `too_many_exchanges`. */
    verifyUnclaimed,
  };
}

async function evaluate(
  { clock, chainOf }: VerifierDeps,
  request: PaymentRequest,
  options: VerifyOptions,
): Promise<Outcome<VerifiedPayment>> {
  const terms = checkTerms(request, options.served);
  if (!terms.ok) return terms;
  const { payment } = request;
  const { network, authorization } = payment;
  if (authorization.value < options.unitsMin) return refuseDust(options.unitsMin);
  const at = chainOf(network.chainId);
  assert(at, "a served network has a chain");
  const seen = at.view();
  const now = validitySeconds(clock, seen);
  const machineBefore = unixSeconds(clock);
  const window = checkTimeWindow(authorization, now, options.marginSeconds);
  if (!window.ok && window.refusal.code === "authorization_not_yet_valid") {
    // A clock that is behind; a head that was seen long ago says nothing of one that is ahead.
    if (seen && machineBefore < seen.head.time && isTimeUnclear(machineBefore, seen)) {
      throw timeUnclear();
    }
    return window;
  }
  const signature = options.reading ?? readSignature(payment);
  // It is too late to settle this here, but a third party may have settled it in time.
  if (!window.ok) {
    const { isSpent, blockTime } = await readUse(at, payment, signature);
    if (isSpent) return refuse("nonce_already_used");
    // Both clocks agree that it is over, whatever lies between them.
    const isOver = blockTime !== undefined && blockTime >= authorization.validBefore;
    // The clock may have been put right during the read.
    const machineSeconds = [machineBefore, unixSeconds(clock)].reduce((a, b) => (a > b ? a : b));
    if (!isOver && isTimeUnclear(machineSeconds, seen, blockTime)) throw timeUnclear();
    return window;
  }
  const read = await evaluateNow(request, at, signature);
  // What is used was made by someone, which is looked up.
  if (!read.ok && read.refusal.code !== "nonce_already_used") await at.relayer.checkRefusal();
  return read;
}

/** Checks what the chain says of a payment now. */
async function evaluateNow(
  request: PaymentRequest,
  at: Readable,
  signature: SignatureReading,
): Promise<Outcome<VerifiedPayment>> {
  const { payment } = request;
  const { authorization } = payment;
  let bytes = tokenBytes(signature, payment.signature);
  let reading = await at.read({ authorization, signature: bytes });
  if (signature.kind === "wrapped" && !reading.payerHasCode) {
    return verifyUndeployed(request, at, reading);
  }
  if (signature.kind === "payer" && reading.payerHasCode && bytes !== payment.signature) {
    // The payer is a contract: read again with the signature as it was received.
    bytes = payment.signature;
    reading = await at.read({ authorization, signature: bytes });
  }
  const simulated = { ...payment, signature: bytes };
  const result = await evaluateReading({
    chain: at.chain,
    payment: simulated,
    signature,
    reading,
  });
  if (!result.ok) return result;
  const { payerHasCode, blockNumber } = reading;
  return accept({ ...request, signature: bytes, payerHasCode, seenUnusedAt: blockNumber });
}

/** Unknown callers do not get payments carried whose gas costs more than they move. */
function refuseDust(unitsMin: bigint) {
  const least = formatUsdc(unitsMin);
  return refuse(
    "amount_below_minimum",
    `Without an API key this facilitator settles ${least} USDC or more; ask for at least that, or use an API key.`,
  );
}

/** After a few blocks it is known by how much the clock is wrong. */
function timeUnclear(): Fault {
  const message =
    "This machine's clock and the chain's time differ; the next blocks show which is right.";
  return new Fault("rpc_unavailable", message);
}

interface Readable {
  readonly chain: Chain;
  view(): SeenTime | undefined;
  readonly read: PaymentReader;
  readonly undeployed: UndeployedWallets;
  /** `checkRefusal` throws `storage_behind` while nothing may be refused for what the chain says. */
  readonly relayer: { checkRefusal(): Promise<void> };
}

/** The wrapped signature is stored, because its factory call is sent with the payment. */
async function verifyUndeployed(
  request: PaymentRequest,
  { undeployed }: Readable,
  { isUsed, blockNumber }: PaymentReading,
): Promise<Outcome<VerifiedPayment>> {
  const result = await undeployed.simulate(request.payment);
  if (!result.ok) return result;
  if (isUsed) return refuse("nonce_already_used");
  const { signature } = request.payment;
  return accept({ ...request, signature, payerHasCode: true, seenUnusedAt: blockNumber });
}

/** Reads the state only for signatures that the token could accept. */
async function readUse(
  { chain, read }: Pick<Readable, "chain" | "read">,
  payment: Payment,
  signature: SignatureReading,
): Promise<{ readonly isSpent: boolean; readonly blockTime?: bigint }> {
  if (signature.kind === "high_s") return { isSpent: false };
  const bytes = tokenBytes(signature, payment.signature);
  const reading = await read({ authorization: payment.authorization, signature: bytes });
  const simulated = { ...payment, signature: bytes };
  const isSpent = await isUsedAsSigned({ chain, payment: simulated, signature, reading });
  return { isSpent, blockTime: reading.blockTime };
}

function isAboutTime({ code }: Refusal): boolean {
  return code === "authorization_expired" || code === "authorization_not_yet_valid";
}

function refuseClaimed(settlement: Settlement) {
  return refuse(
    "nonce_already_used",
    isSettled(settlement)
      ? `This authorization was settled before (${settlement.id}); a new payment needs a new nonce.`
      : `This authorization is being settled (${settlement.id}); ask /settle again with the same payment instead.`,
  );
}
