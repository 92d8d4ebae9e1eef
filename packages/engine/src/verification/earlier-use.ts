/**
 * Authorizations that were used elsewhere: the money may have moved, so the refusal names the
 * transaction. The log search is the most expensive request a caller can cause, so it is limited,
 * and its results are remembered.
 */
import {
  isSameAddress,
  refusal,
  type Authorization,
  type ChainId,
  type PaymentRequest,
  type Refusal,
} from "@farthing/protocol";
import type { Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import type { AuthorizationEvent } from "../chain/contracts/authorization-events.ts";
import {
  findAuthorizationEvent,
  findAuthorizationEventUpTo,
} from "../chain/logs/authorization-search.ts";
import { createAuthorizationStates } from "../chain/reads/authorization-states.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import { readFinality } from "../chain/follower/read-finality.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { keyText, type AuthorizationKey } from "../model/settlement.ts";

/** XDC takes at least this time for the blocks of a search: 11 hours. */
const searchSeconds = 40_000n;

/** Concurrent searches; each takes up to 21 sequential requests. */
const searchesMax = 2;

/**
 * Searches that wait for their turn: after a failover that lost commits, sellers repeat their payments
 * all at once, and none of them may be told that its payment failed.
 */
export const waitingSearchesMax = 50;

const rememberedMax = 1_000;

/** Full nodes keep the states of 128 blocks; where finality stands still, a block this deep stays. */
const deepBlocksMax = 64;

/** Logs may arrive later than the state, and a block that is not final may be replaced. */
const unsureMs = 30_000;

/** Finality changes with blocks: of one authorization it is asked for once a block period at most. */
const finalityMs = 2_000;

/** How an authorization ended that no settlement here is known for. */
export interface EarlierUse {
  readonly refusal: Refusal;
  /** The transfer of its amount to its payee: the payer has paid, and must not sign again. */
  readonly paidBy?: Use;
}

/**
 * Looks up an authorization that the token reports as used. Throws RPC faults, also where it was used so
 * lately that no node shows the log, and `queue_full`: it may have paid, so it is not refused.
 */
export type RefuseUsed = (key: AuthorizationKey, request: PaymentRequest) => Promise<EarlierUse>;

type Use = Pick<
  AuthorizationEvent,
  "kind" | "transaction" | "blockNumber" | "blockHash" | "transfer"
>;

/** Undefined where no search found how the authorization ended. */
type Found = Use | undefined;

interface Ended {
  readonly found: Found;
  readonly isFinal: boolean;
}

interface Remembered extends Ended {
  /** When finality was asked for. */
  readonly askedMs: number;
  /** Until a search would find nothing else. */
  readonly untilMs: number;
}

export function createRefuseUsed(deps: {
  readonly clock: Clock;
  networkOf(chainId: ChainId): { readonly chain: Chain; view(): ChainView | undefined } | undefined;
}): RefuseUsed {
  const { clock } = deps;
  const remembered = new Map<string, Remembered>();
  let searching = 0;
  const waiting: (() => void)[] = [];

  async function inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (searching < searchesMax) searching++;
    else await new Promise<void>((resolve) => waiting.push(resolve));
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      // The place goes to the next one, or becomes free.
      if (next) next();
      else searching--;
    }
  }

  async function search(key: AuthorizationKey, validBefore: bigint): Promise<Found> {
    const network = deps.networkOf(key.chainId);
    const view = network?.view();
    // The authorization expired, and so was used, before the earliest block of any search.
    if (!network || !view || validBefore + searchSeconds < view.head.time) return undefined;
    const found = await findAuthorizationEvent(network.chain, key, view.head.number);
    return found ?? searchAgain(network.chain, key, view);
  }

  function isFinal({ chainId }: AuthorizationKey, found: Found): boolean {
    const finalized = deps.networkOf(chainId)?.view()?.finalized.number ?? -1;
    return found !== undefined && found.blockNumber <= finalized;
  }

  /** A block that became final is read again, because another one may have replaced it. */
  function isCurrent(key: AuthorizationKey, { found, untilMs }: Remembered): boolean {
    if (untilMs === Number.POSITIVE_INFINITY) return true;
    return clock.nowMs() < untilMs && !isFinal(key, found);
  }

  /** The view of a service at rest is a minute old, and a cancellation moves no money only once it is final. */
  async function endOf(key: AuthorizationKey, validBefore: bigint, found: Found): Promise<Ended> {
    const chain = deps.networkOf(key.chainId)?.chain;
    if (!chain || found?.kind !== "canceled" || isFinal(key, found)) {
      return { found, isFinal: isFinal(key, found) };
    }
    const finality = await readFinality(chain, found);
    if (finality !== "replaced") return { found, isFinal: finality === "final" };
    const other = await search(key, validBefore);
    return { found: other, isFinal: isFinal(key, other) };
  }

  function remember(key: AuthorizationKey, ended: Ended): void {
    const text = keyText(key);
    remembered.delete(text);
    const askedMs = clock.nowMs();
    const untilMs = ended.isFinal ? Number.POSITIVE_INFINITY : askedMs + unsureMs;
    remembered.set(text, { ...ended, askedMs, untilMs });
    const [oldest] = remembered.keys();
    if (remembered.size > rememberedMax && oldest !== undefined) remembered.delete(oldest);
  }

  return async (key, { payment: { authorization } }) => {
    const { validBefore } = authorization;
    const describe = (ended: Ended): EarlierUse =>
      ended.found && isTransferOf(ended.found, authorization)
        ? { refusal: paidRefusal(ended.found), paidBy: ended.found }
        : { refusal: refuseWith(ended.found, ended.isFinal) };
    const known = () => {
      const before = remembered.get(keyText(key));
      return before && isCurrent(key, before) ? before : undefined;
    };
    const answer = () => {
      const before = known();
      return before && !isFinalityDue(before, clock.nowMs()) ? before : undefined;
    };
    const before = answer();
    if (before) return describe(before);
    if (waiting.length >= waitingSearchesMax) throw new Fault("queue_full", askAgain);
    return inTurn(async () => {
      // Repeats of one payment wait together, and the first one finds it for all.
      const meanwhile = answer();
      if (meanwhile) return describe(meanwhile);
      const found = known()?.found ?? (await search(key, validBefore));
      const ended = await endOf(key, validBefore, found);
      remember(key, ended);
      return describe(ended);
    });
  };
}

function isFinalityDue({ found, isFinal, askedMs }: Remembered, nowMs: number): boolean {
  return found?.kind === "canceled" && !isFinal && nowMs >= askedMs + finalityMs;
}

/**
 * A node whose logs are behind shows none, and so does a search that began before the use. What is
 * told to have no transaction is therefore used in the state of a deep block, whose logs are there.
 */
async function searchAgain(
  chain: Chain,
  key: AuthorizationKey,
  { head, finalized }: ChainView,
): Promise<Found> {
  const deep = Math.max(finalized.number, head.number - deepBlocksMax);
  const [isUsed] = await createAuthorizationStates(chain)([key], deep);
  if (!isUsed) throw new Fault("rpc_unavailable", unshown);
  return findAuthorizationEventUpTo(chain, key, deep);
}

function isTransferOf({ kind, transfer }: Use, { from, to, value }: Authorization): boolean {
  return (
    kind === "used" &&
    transfer !== undefined &&
    transfer.value === value &&
    isSameAddress(transfer.to, to) &&
    isSameAddress(transfer.from, from)
  );
}

/** Never "sign a new one": the money is at the payee. */
function paidRefusal({ transaction }: Use): Refusal {
  return refusal(
    "already_settled",
    `This authorization has paid the payee in transaction ${transaction}. Do not sign another one; show the seller this transaction.`,
  );
}

const used = "This authorization was used before it came here";
const askAgain = `${used}. By which transaction is told a moment later: ask again, and do not sign another one before.`;

const unshown = `${used}, in a block whose logs no node shows yet; ask again, and do not sign another one before.`;

/** It may have paid: who signs again without a look may pay twice. */
const unfound = `${used}, and no transaction of the last eleven hours did. Look for it at the payee before you sign another one.`;

/** A cancellation moves no money, once no other block can replace its own. */
function refuseWith(found: Found, isFinal: boolean): Refusal {
  if (!found) return refusal("nonce_already_used", unfound);
  const { kind, transaction } = found;
  if (kind === "used") {
    return refusal(
      "nonce_already_used",
      `${used}, for another transfer than this one, in transaction ${transaction}; sign a new one.`,
    );
  }
  const canceled = `The payer canceled this authorization in transaction ${transaction}`;
  return isFinal
    ? refusal("authorization_canceled", `${canceled}; sign a new one.`)
    : refusal("nonce_already_used", `${canceled}, whose block is not final yet; ask again soon.`);
}
