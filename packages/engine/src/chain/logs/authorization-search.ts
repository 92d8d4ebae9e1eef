/** Searches the token's logs of one payer, from the newest block backwards. */
import { addressWord, type Address, type Hex } from "@farthing/protocol";
import {
  readAuthorizationEvents,
  type AuthorizationEvent,
} from "../contracts/authorization-events.ts";
import type { AuthorizationName } from "../reads/authorization-states.ts";
import { withTransfers } from "./block-events.ts";
import type { Chain } from "../endpoints/chain.ts";
import { logRangeBlocks, walkLogs } from "./log-ranges.ts";
import { topics } from "../contracts/usdc.ts";

/** Eleven hours of XDC. */
const searchBlocksMax = 20_000;

/** Most requests of one search, for endpoints that allow small ranges only. */
const searchRangesMax = 100;

const filterOf = ({ payer, nonce }: AuthorizationName) => ({
  topics: [[topics.used, topics.canceled], `0x${addressWord(payer)}`, nonce],
});

/** Also searches blocks above `headNumber`, the newest known. Finding no log proves nothing. */
export async function findAuthorizationEvent(
  chain: Chain,
  name: AuthorizationName,
  headNumber: number,
): Promise<AuthorizationEvent | undefined> {
  const filter = filterOf(name);
  const fromBlock = Math.max(0, headNumber - searchBlocksMax);
  const range = { fromBlock, toBlock: headNumber, isOpen: true };
  let ranges = 0;
  for await (const { logs } of walkLogs(chain, filter, range, "newest_first")) {
    const [event] = readAuthorizationEvents(logs);
    if (event) return (await withTransfers(chain, [event]))[0];
    if (++ranges >= searchRangesMax) return undefined;
  }
  return undefined;
}

/**
 * Searches the newest range that ends with a block, at an endpoint that has this block: where the
 * authorization is used in its state, the logs up to it are there as well. Throws RPC faults.
 */
export async function findAuthorizationEventUpTo(
  chain: Chain,
  name: AuthorizationName,
  toBlock: number,
): Promise<AuthorizationEvent | undefined> {
  const fromBlock = Math.max(0, toBlock - logRangeBlocks(chain) + 1);
  const range = { fromBlock, toBlock, isComplete: true };
  for await (const { logs } of walkLogs(chain, filterOf(name), range, "newest_first")) {
    const [event] = readAuthorizationEvents(logs);
    if (event) return (await withTransfers(chain, [event]))[0];
  }
  return undefined;
}

/**
 * Returns the nonces that a payer has used in the blocks of a search that ends with this one;
 * undefined if they are more than wanted, or the endpoint gives too small ranges.
 */
export async function findUsedNonces(
  chain: Chain,
  payer: Address,
  upToBlock: number,
  noncesMax: number,
): Promise<ReadonlySet<Hex> | undefined> {
  const filter = { topics: [topics.used, `0x${addressWord(payer)}`] };
  const range = { fromBlock: Math.max(0, upToBlock - searchBlocksMax), toBlock: upToBlock };
  const nonces = new Set<Hex>();
  let ranges = 0;
  for await (const { logs } of walkLogs(chain, filter, range, "newest_first")) {
    for (const { nonce } of readAuthorizationEvents(logs)) nonces.add(nonce);
    if (++ranges > searchRangesMax || nonces.size > noncesMax) return undefined;
  }
  return nonces;
}
