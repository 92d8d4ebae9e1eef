/**
 * Authorizations that were used elsewhere: the money may have moved, so the refusal names the
 * transaction. The log search is the most expensive request a caller can cause, so it is limited,
 * and its results are remembered.
 */
import {
  refusal,
  type ChainId,
  type Hex,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { findAuthorizationEvent } from "../chain/authorization-search.ts";
import type { ChainView } from "../chain/chain-view.ts";
import type { Chain } from "../chain/chain.ts";
import { keyText, type AuthorizationKey } from "../model/settlement.ts";

/** XDC takes at least this time for the blocks of a search: 11 hours. */
const searchSeconds = 40_000n;

/** Concurrent searches; each takes up to 21 sequential requests. */
const searchesMax = 2;

const rememberedMax = 1_000;

/** Logs may arrive later than the state, and a block that is not final may be replaced. */
const unsureMs = 30_000;

/** Returns the refusal for an authorization that the token reports as used. Throws RPC faults. */
export type RefuseUsed = (key: AuthorizationKey, request: PaymentRequest) => Promise<Refusal>;

interface Found {
  readonly hash: Hex | undefined;
  readonly isFinal: boolean;
}

const notFound: Found = { hash: undefined, isFinal: false };

export function createRefuseUsed(deps: {
  readonly clock: Clock;
  networkOf(chainId: ChainId): { readonly chain: Chain; view(): ChainView | undefined } | undefined;
}): RefuseUsed {
  const { clock } = deps;
  const remembered = new Map<string, { readonly hash: Found["hash"]; readonly untilMs: number }>();
  let searching = 0;

  async function search(key: AuthorizationKey, validBefore: bigint): Promise<Found> {
    const network = deps.networkOf(key.chainId);
    const view = network?.view();
    // The authorization expired, and so was used, before the earliest block of any search.
    if (!network || !view || validBefore + searchSeconds < view.head.time) return notFound;
    const event = await findAuthorizationEvent(network.chain, key, view.head.number);
    if (!event) return notFound;
    return { hash: event.transaction, isFinal: event.blockNumber <= view.finalized.number };
  }

  function remember(text: string, { hash, isFinal }: Found): void {
    remembered.delete(text);
    const untilMs = isFinal ? Number.POSITIVE_INFINITY : clock.nowMs() + unsureMs;
    remembered.set(text, { hash, untilMs });
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  }

  return async (key, { payment }) => {
    const text = keyText(key);
    const known = remembered.get(text);
    if (known && clock.nowMs() < known.untilMs) return refuseWith(known.hash);
    if (searching >= searchesMax) return refusal("nonce_already_used", askAgain);
    searching++;
    try {
      const found = await search(key, payment.authorization.validBefore);
      remember(text, found);
      return refuseWith(found.hash);
    } finally {
      searching--;
    }
  };
}

const used = "This authorization was used before it came here; sign a new one.";
const askAgain = `${used} By which transaction is told a moment later: ask again.`;

function refuseWith(hash: Hex | undefined): Refusal {
  const where = hash === undefined ? "" : ` It was used or canceled in transaction ${hash}.`;
  return refusal("nonce_already_used", `${used}${where}`);
}
