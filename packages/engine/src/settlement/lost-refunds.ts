/**
 * Recognises refunds that the database has lost. A lost refund looks like a payment to its recipient,
 * and must not buy anything there. Its nonce derives from the payment that it returns, which its
 * recipient has paid: so all nonces are tried that the recipient is known to have used.
 */
import {
  maxRefunds,
  refundNonce,
  toLowerHex,
  type Authorization,
  type Hex,
} from "@farthing/protocol";
import { findUsedNonces } from "../chain/logs/authorization-search.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { EngineStore } from "../storage/engine-store.ts";

/** 6,000 hashes in all, a tenth of a second. Sellers, who are paid, use far fewer. */
const noncesMax = 1_000;

/** Sellers whose nonces are remembered: they have many lost payments at the same time. */
const rememberedMax = 100;

export interface ChainOfRefund {
  readonly chain: Chain;
  view(): ChainView | undefined;
}

interface UsedOnChain {
  readonly upToBlock: number;
  readonly nonces: Promise<ReadonlySet<Hex> | undefined>;
}

/** `unclear`: its recipient has paid too often to tell. */
export type RefundReading =
  | { readonly kind: "payment" | "unclear" }
  /** Of the payment that its recipient made with this nonce. */
  | { readonly kind: "refund"; readonly nonce: Hex };

/** Tells by its nonce whether a transfer is a refund. Throws RPC faults. */
export type ReadRefund = (
  at: ChainOfRefund,
  authorization: Authorization,
  blockNumber: number,
) => Promise<RefundReading>;

export function createReadRefund(deps: {
  readonly store: Pick<EngineStore, "listNonces">;
}): ReadRefund {
  const remembered = new Map<string, UsedOnChain>();

  function usedOnChain({ chain, view }: ChainOfRefund, { to }: Authorization, block: number) {
    const name = `${chain.network.chainId} ${to}`.toLowerCase();
    const known = remembered.get(name);
    // The refunded payment is older than its refund.
    if (known && known.upToBlock >= block) return known.nonces;
    const upToBlock = Math.max(block, view()?.head.number ?? block);
    const nonces = findUsedNonces(chain, to, upToBlock, noncesMax);
    remembered.delete(name);
    remembered.set(name, { upToBlock, nonces });
    nonces.catch(() => remembered.delete(name));
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
    return nonces;
  }

  return async (at, authorization, block) => {
    const { chainId, usdc: asset } = at.chain.network;
    const payer = { chainId, asset, payer: authorization.to };
    const onChain = await usedOnChain(at, authorization, block);
    const stored = await deps.store.listNonces(payer, noncesMax + 1);
    if (!onChain || stored.length > noncesMax) return { kind: "unclear" };
    const wanted = toLowerHex(authorization.nonce);
    const ordinals = Array.from({ length: maxRefunds }, (_, ordinal) => ordinal);
    const refunded = [...new Set([...onChain, ...stored])].find((nonce) =>
      ordinals.some((ordinal) => refundNonce({ ...payer, nonce }, ordinal) === wanted),
    );
    return refunded === undefined ? { kind: "payment" } : { kind: "refund", nonce: refunded };
  };
}
