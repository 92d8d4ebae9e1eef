/**
 * An authorization that was used before it came here: the money may have moved, so the answer names
 * the transaction. Looking for it in the chain's logs costs more than anything else that a caller
 * can ask for, so it is done for what may be found, for few at a time, and once.
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
import type { ChainView } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import { pairKey, type Pair } from "../model/settlement.ts";

/** Blocks that a search goes back, and the time in which XDC makes them at the least: 11 hours. */
const searchBlocks = 20_000;
const searchSeconds = 40_000n;

/** Searches at a time; one is up to 21 requests, one after the other. */
const searchesMax = 2;

/** Answers that are kept; the oldest goes first. */
const rememberedMax = 1_000;

/**
 * How long an answer holds that may change: logs may come later than the state that they explain,
 * and what is in a block that is not final may come again in another transaction.
 */
const unsureMs = 30_000;

/** Gives the refusal of an authorization that the token calls used. Throws RPC faults. */
export type RefuseUsed = (pair: Pair, request: PaymentRequest) => Promise<Refusal>;

/** What a search found: the transaction, and whether its block is one that stays. */
interface Found {
  readonly hash: Hex | undefined;
  readonly isFinal: boolean;
}

const notFound: Found = { hash: undefined, isFinal: false };

/** Creates it. */
export function createRefuseUsed(deps: {
  readonly clock: Clock;
  networkOf(chainId: ChainId): { readonly chain: Chain; view(): ChainView | undefined } | undefined;
}): RefuseUsed {
  const { clock } = deps;
  /** By pair; without a hash where none was found. */
  const remembered = new Map<
    string,
    { readonly hash: Hex | undefined; readonly untilMs: number }
  >();
  let searching = 0;

  async function search(pair: Pair, validBefore: bigint): Promise<Found> {
    const network = deps.networkOf(pair.chainId);
    const view = network?.view();
    // It was used before it expired: further back than any search goes.
    if (!network || !view || validBefore + searchSeconds < view.head.time) return notFound;
    const { number: headNumber } = view.head;
    const fromBlock = Math.max(0, headNumber - searchBlocks);
    const wanted = { payer: pair.payer, nonce: pair.nonce, fromBlock, headNumber };
    const event = await findAuthorizationEvent(network.chain, wanted);
    if (!event) return notFound;
    return { hash: event.transaction, isFinal: event.blockNumber <= view.finalized.number };
  }

  function remember(key: string, { hash, isFinal }: Found): void {
    remembered.delete(key);
    const untilMs = isFinal ? Number.POSITIVE_INFINITY : clock.nowMs() + unsureMs;
    remembered.set(key, { hash, untilMs });
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  }

  return async (pair, { payment }) => {
    const key = pairKey(pair);
    const known = remembered.get(key);
    if (known && clock.nowMs() < known.untilMs) return refuseWith(known.hash);
    if (searching >= searchesMax) return refusal("nonce_already_used", askAgain);
    searching++;
    try {
      const found = await search(pair, payment.authorization.validBefore);
      remember(key, found);
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
