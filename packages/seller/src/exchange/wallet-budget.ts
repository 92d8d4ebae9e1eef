/**
 * Which payments are sent to the facilitator although no plain key has signed them. A contract
 * wallet may accept any bytes, also 65 of them, and only the chain can tell; but whoever sends junk
 * must not use up the calls that the facilitator allows this seller. So such payments have a budget
 * of their own, and wallets whose payments the facilitator has found valid before have another.
 */
import { hasPlainLength, isSignedByPayer, type Address, type Payment } from "@farthing/protocol";
import type { Clock } from "../clock.ts";

/** Decides about payments that no plain key has signed. */
export interface WalletBudget {
  /** Whether the payment may be sent to the facilitator now. */
  allows(payment: Payment): boolean;
  /** Notes that the facilitator has found a payment valid. */
  remember(payment: Payment): void;
}

interface Bucket {
  readonly burst: number;
  readonly perSecond: number;
  tokens: number;
  filledAtMs: number;
}

/**
 * For signatures as long as a plain key's: only wallets with one owner, such as a Safe of one, sign
 * so. Once a second is more than a shop has of new buyers with such wallets, and a small part of
 * any facilitator's limit.
 */
const plainLength = { burst: 10, perSecond: 1 };

/** For all other lengths: what most contract wallets sign, and little junk so far. */
const otherLength = { burst: 50, perSecond: 10 };

/**
 * For wallets that have paid before, so that junk of the two other kinds does not shut them out. It
 * is bounded as well, since anyone can write the address of such a wallet into junk.
 */
const known = { burst: 50, perSecond: 10 };

/** Wallets that are known; the longest unseen are forgotten. Some 100 bytes each. */
const rememberedMax = 1_000;

/** Creates the budget of one seller. */
export function createWalletBudget(clock: Clock): WalletBudget {
  const open = (bounds: { readonly burst: number; readonly perSecond: number }): Bucket => ({
    ...bounds,
    tokens: bounds.burst,
    filledAtMs: clock.now(),
  });
  const [forPlain, forOther, forKnown] = [open(plainLength), open(otherLength), open(known)];
  // In the order in which they were seen last.
  const remembered = new Set<Address>();

  function take(bucket: Bucket): boolean {
    const nowMs = clock.now();
    const earned = (Math.max(0, nowMs - bucket.filledAtMs) / 1000) * bucket.perSecond;
    bucket.tokens = Math.min(bucket.burst, bucket.tokens + earned);
    bucket.filledAtMs = nowMs;
    if (bucket.tokens < 1) return false;
    bucket.tokens--;
    return true;
  }

  return {
    allows({ authorization, network, signature }) {
      if (isSignedByPayer(network, authorization, signature)) return true;
      if (remembered.has(authorization.from) && take(forKnown)) return true;
      return take(hasPlainLength(signature) ? forPlain : forOther);
    },
    remember({ authorization, network, signature }) {
      const payer = authorization.from;
      // Keys of plain accounts are told without a budget.
      if (isSignedByPayer(network, authorization, signature)) return;
      remembered.delete(payer);
      remembered.add(payer);
      for (const oldest of remembered) {
        if (remembered.size <= rememberedMax) break;
        remembered.delete(oldest);
      }
    },
  };
}
