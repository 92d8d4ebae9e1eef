/**
 * The seven rules of a payment, run in the order in which they cost: what the request itself shows,
 * then the signature, then one shared question to the chain. Used by /verify and again by /settle.
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
import type { Chain } from "../chain/chain.ts";
import type { PaymentReader } from "../chain/payment-reader.ts";
import { isSettled, type Pair, type Settlement } from "../model/settlement.ts";
import type { OpenedExchange } from "../storage/exchange-store.ts";
import { isUsedAsSigned, judgeReading } from "./chain-state.ts";
import type { RefuseUsed } from "./earlier-use.ts";
import { readSignature, tokenBytes, type SignatureReading } from "./signature.ts";
import { checkTerms } from "./terms.ts";
import { checkTimeWindow } from "./time-window.ts";

/** A payment that would go through now. */
export interface VerifiedPayment extends PaymentRequest {
  /** The bytes to send: those that were simulated. */
  readonly signature: Hex;
  readonly payerHasCode: boolean;
  /** The block at which the token said that the nonce was unused. */
  readonly seenUnusedAt: number;
}

/** What a surface offers, and what it asks of time. */
export interface VerifyOptions {
  served(version: 1 | 2, network: Network): boolean;
  /** Seconds that the authorization must still be valid. */
  readonly marginSeconds: bigint;
  /** The least that is settled, in USDC base units: 0 where an API key is shown. */
  readonly unitsMin: bigint;
}

/** Judges payments. Throws a fault when the chain or the store cannot be asked. */
export interface Verifier {
  /** What the request itself shows, time apart: a settled payment still answers when expired. */
  checkTerms(request: PaymentRequest, options: VerifyOptions): Outcome<PaymentRequest>;
  /** All seven rules. */
  verify(request: PaymentRequest, options: VerifyOptions): Promise<Outcome<VerifiedPayment>>;
  /**
   * All seven rules, and refuses what is in flight or settled here. An exchange is noted for a
   * payment that is called valid. Throws `too_many_exchanges` when its payer may open no more.
   */
  verifyUnclaimed(
    request: PaymentRequest,
    options: VerifyOptions,
  ): Promise<Outcome<VerifiedPayment>>;
}

/** What the verifier asks. */
export interface VerifierDeps {
  readonly clock: Clock;
  chainOf(chainId: ChainId): Readable | undefined;
  findByPair(pair: Pair): Promise<Settlement | undefined>;
  /** Looks a payment up that would go through, and notes the exchange that its verdict opens. */
  openExchange(pair: Pair, validBefore: bigint): Promise<OpenedExchange>;
  refuseUsed: RefuseUsed;
}

/** The pair that identifies a payment. */
export function pairOf({ payment }: PaymentRequest): Pair {
  const { network, authorization } = payment;
  return {
    chainId: network.chainId,
    asset: network.usdc,
    payer: authorization.from,
    nonce: authorization.nonce,
  };
}

/** Creates the verifier. */
export function createVerifier(deps: VerifierDeps): Verifier {
  const { clock } = deps;

  async function verify(
    request: PaymentRequest,
    options: VerifyOptions,
  ): Promise<Outcome<VerifiedPayment>> {
    const terms = checkTerms(request, options.served);
    if (!terms.ok) return terms;
    const { payment } = request;
    const { network, authorization } = payment;
    if (authorization.value < options.unitsMin) return refuseDust(options.unitsMin);
    const window = checkTimeWindow(authorization, unixSeconds(clock), options.marginSeconds);
    if (!window.ok && window.refusal.code === "authorization_not_yet_valid") return window;
    const at = deps.chainOf(network.chainId);
    assert(at, "a served network has a chain");
    const signature = readSignature(network, authorization, payment.signature);
    // Too late to be settled here, and perhaps settled by somebody else in time.
    if (!window.ok) {
      return (await isSpent(at, payment, signature)) ? refuse("nonce_already_used") : window;
    }
    let bytes = tokenBytes(signature, payment.signature);
    let reading = await at.read({ authorization, signature: bytes });
    if (signature.kind === "wrapped" && !reading.payerHasCode) return refuse("wallet_not_deployed");
    if (signature.kind === "payer" && reading.payerHasCode && bytes !== payment.signature) {
      // A contract's signature is the contract's business: ask again with the bytes as they came.
      bytes = payment.signature;
      reading = await at.read({ authorization, signature: bytes });
    }
    const judged = await judgeReading(
      at.chain,
      { ...payment, signature: bytes },
      signature,
      reading,
    );
    if (!judged.ok) return judged;
    const { payerHasCode, blockNumber } = reading;
    return accept({ ...request, signature: bytes, payerHasCode, seenUnusedAt: blockNumber });
  }

  async function verifyUnclaimed(request: PaymentRequest, options: VerifyOptions) {
    const terms = checkTerms(request, options.served);
    if (!terms.ok) return terms;
    const verified = await verify(request, options);
    if (!verified.ok && isAboutTime(verified.refusal)) return verified;
    // Asked after the chain: those that shared a call to it come back together and share this too.
    if (verified.ok) return openExchange(verified);
    const claimed = await deps.findByPair(pairOf(request));
    if (claimed) return refuseClaimed(claimed);
    if (verified.refusal.code !== "nonce_already_used") return verified;
    return { ok: false as const, refusal: await deps.refuseUsed(pairOf(request), request) };
  }

  async function openExchange(verified: { readonly ok: true; readonly value: VerifiedPayment }) {
    const { validBefore } = verified.value.payment.authorization;
    const opened = await deps.openExchange(pairOf(verified.value), validBefore);
    if (opened.kind === "claimed") return refuseClaimed(opened.settlement);
    if (opened.kind === "opened") return verified;
    const message = "This payer has too many open payments; try again when some have expired.";
    throw new Fault("too_many_exchanges", message);
  }

  return {
    checkTerms: (request, options) => checkTerms(request, options.served),
    verify,
    verifyUnclaimed,
  };
}

/** A payment whose gas costs more than it moves is not carried for callers who are not known. */
function refuseDust(unitsMin: bigint) {
  const least = formatUsdc(unitsMin);
  return refuse(
    "amount_below_minimum",
    `Without an API key this facilitator settles ${least} USDC or more; ask for at least that, or use an API key.`,
  );
}

/** A chain, and what it says about payments. */
interface Readable {
  readonly chain: Chain;
  readonly read: PaymentReader;
}

/** Whether the authorization is used, looked at only for a signature that the token could take. */
async function isSpent(
  { chain, read }: Readable,
  payment: Payment,
  signature: SignatureReading,
): Promise<boolean> {
  if (signature.kind === "high_s") return false;
  const bytes = tokenBytes(signature, payment.signature);
  const reading = await read({ authorization: payment.authorization, signature: bytes });
  return isUsedAsSigned(chain, { ...payment, signature: bytes }, signature, reading);
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
