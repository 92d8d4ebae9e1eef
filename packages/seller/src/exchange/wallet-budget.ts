/**
 * Bounds the payments without a plain key's signature that are sent to the facilitator: only the
 * chain can verify them, and junk must not use up the calls that the facilitator allows the seller.
 */
import { hasPlainLength, isSignedByPayer, type Address, type Payment } from "@farthing/protocol";
import type { Clock } from "../clock.ts";
import { compileWherePossible } from "./compile-where-possible.ts";

export type WalletBudget = ReturnType<typeof createWalletBudget>;

/**
 * For signatures as long as a plain key's, which only wallets with one owner produce, such as a
 * Safe of one. One a second is more than a shop has of such new buyers, and little of any limit.
 */
const plainLength = { burst: 10, perSecond: 1 };

/** For all other lengths: what most contract wallets sign, and little junk so far. */
const otherLength = { burst: 50, perSecond: 10 };

/** For wallets that have paid before. Bounded too: anyone can write their address into junk. */
const known = { burst: 50, perSecond: 10 };

/** Known wallets; the longest unseen are forgotten. Some 100 bytes each. */
const maxRemembered = 1_000;

export function createWalletBudget(clock: Clock) {
  const open = (bounds: { readonly burst: number; readonly perSecond: number }) => ({
    ...bounds,
    tokens: bounds.burst,
    filledAtMs: clock.now(),
  });
  const [forPlain, forOther, forKnown] = [open(plainLength), open(otherLength), open(known)];
  // Recovering a signer costs more than the rest of a request, so each payment's is recovered once.
  const signedByPayer = new WeakMap<Payment["authorization"], boolean>();
  // In the order in which they were seen last.
  const remembered = new Set<Address>();

  function take(bucket: ReturnType<typeof open>): boolean {
    const nowMs = clock.now();
    const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * bucket.perSecond;
    bucket.tokens = Math.min(bucket.burst, bucket.tokens + earned);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  function isPlain({ network, authorization, signature }: Payment): boolean {
    const before = signedByPayer.get(authorization);
    if (before !== undefined) return before;
    compileWherePossible();
    const isSigned = isSignedByPayer(network, authorization, signature);
    signedByPayer.set(authorization, isSigned);
    return isSigned;
  }

  return {
    /** Whether the payment may be sent to the facilitator now. */
    allows(payment: Payment): boolean {
      if (isPlain(payment)) return true;
      if (remembered.has(payment.authorization.from) && take(forKnown)) return true;
      return take(hasPlainLength(payment.signature) ? forPlain : forOther);
    },
    /** Records that the facilitator has found a payment valid. */
    remember(payment: Payment): void {
      // Plain accounts need no budget.
      if (isPlain(payment)) return;
      const payer = payment.authorization.from;
      remembered.delete(payer);
      remembered.add(payer);
      for (const oldest of remembered) {
        if (remembered.size <= maxRemembered) break;
        remembered.delete(oldest);
      }
    },
  };
}
