/**
 * Searches how authorizations ended, from the blocks in which they were seen unused towards the
 * newest: most are used within moments of being signed. A search continues where the previous one
 * stopped.
 */
import { addressWord } from "@farthing/protocol";
import { payerNonceKey } from "../../model/settlement.ts";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import type { AuthorizationName } from "../reads/authorization-states.ts";
import { withTransfers } from "./block-events.ts";
import type { Chain } from "../endpoints/chain.ts";
import { walkLogs } from "./log-ranges.ts";
import { topics } from "../contracts/usdc.ts";

export interface SearchTarget extends AuthorizationName {
  readonly seenUnusedAt: number;
}

/** A reading may come from a lagging endpoint, or name a block within {@link reachOf}. */
const slackBlocks = 128;

/** Ranges of one search: at 980 blocks each eleven hours of XDC. */
const rangesMax = 20;

/** Authorizations of one request: nodes cap the alternatives of a topic, commonly at 1,000. */
const targetsMax = 100;

/** Beyond this all searches start over, which costs requests and nothing else. */
const positionsMax = 10_000;

/** The returned function returns the events up to a block, by payer and nonce. Throws RPC faults. */
export function createForwardSearch(chain: Chain) {
  /** The block where the next search continues, by payer and nonce; only for those not found yet. */
  const positions = new Map<string, number>();

  const positionOf = (one: SearchTarget) =>
    positions.get(payerNonceKey(one)) ?? Math.max(0, one.seenUnusedAt - slackBlocks);

  async function findSome(targets: readonly SearchTarget[], toBlock: number) {
    const missing = new Map(targets.map((one) => [payerNonceKey(one), one]));
    const found = new Map<string, AuthorizationEvent>();
    let from = Math.min(...targets.map(positionOf));
    const range = { fromBlock: from, toBlock };
    let ranges = 0;
    for await (const part of walkLogs(chain, filterOf(targets), range)) {
      const events = readAuthorizationEvents(part.logs).filter((one) =>
        missing.has(payerNonceKey(one)),
      );
      for (const event of await withTransfers(chain, events)) {
        missing.delete(payerNonceKey(event));
        found.set(payerNonceKey(event), event);
      }
      from = part.toBlock + 1;
      if (missing.size === 0 || ++ranges >= rangesMax) break;
    }
    for (const key of found.keys()) positions.delete(key);
    if (positions.size > positionsMax) positions.clear();
    for (const [key, one] of missing) {
      // Searched to the end: the node's logs are behind its state, so the search starts over.
      if (from > toBlock) positions.delete(key);
      else positions.set(key, Math.max(from, positionOf(one)));
    }
    return found;
  }

  return async (targets: readonly SearchTarget[], toBlock: number) => {
    const found = new Map<string, AuthorizationEvent>();
    for (let at = 0; at < targets.length; at += targetsMax) {
      const some = await findSome(targets.slice(at, at + targetsMax), toBlock);
      for (const [key, event] of some) found.set(key, event);
    }
    return found;
  };
}

function filterOf(targets: readonly SearchTarget[]) {
  const payers = new Set(targets.map(({ payer }) => `0x${addressWord(payer)}`));
  const nonces = targets.map(({ nonce }) => nonce);
  return { topics: [[topics.used, topics.canceled], [...payers], nonces] };
}
