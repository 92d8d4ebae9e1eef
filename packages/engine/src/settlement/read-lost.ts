/** Reads from the chain what the wallets sent in the blocks of a search, and has it recorded. */
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { steadyClockOf } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import { warning } from "../base/log.ts";
import { walkSentTransfers } from "../chain/logs/sent-transfers.ts";
import type { AdoptTransfers } from "./adopt-transfers.ts";
import { reportUnread, type CompareDeps, type Search } from "./compare-nonces.ts";

/** Between attempts: a block at first, and light on a node that has an outage. */
export const retryPause: BackOffBounds = { minMs: 2_000, maxMs: 30_000 };

/** A node that gives no logs of these blocks for so long gives none: the service must go on. */
const unreadMsMax = 600_000;

export interface ReadDeps extends CompareDeps {
  readonly adopt: AdoptTransfers;
}

export interface SearchResult {
  readonly fromBlock: number;
  readonly toBlock: number;
  /** Settlements that the database did not have. */
  readonly recovered: number;
  /** Why blocks were left out; undefined where all were read. */
  readonly unread: string | undefined;
}

export function createReadLost(deps: ReadDeps, stopping: AbortSignal) {
  const { chain, store, log, clock } = deps;
  const { chainId } = chain.network;
  const steady = steadyClockOf(clock);
  const tryAgain = warning(
    log,
    { event: "lost_transfers_check_failed", chainId },
    "Lost payments not read from the chain; trying again",
  );
  let unread: string | undefined;

  async function readOn(found: Search): Promise<void> {
    const { position: fromBlock, toBlock } = found;
    for await (const part of walkSentTransfers(chain, found.wallets, { fromBlock, toBlock })) {
      found.recovered += await deps.adopt(part.transfers);
      found.position = part.toBlock + 1;
      if (stopping.aborted) return;
    }
  }

  /** Reads until the end, or until the node has given nothing for too long. */
  async function repair(found: Search): Promise<void> {
    let failures = 0;
    let failedAtMs = 0;
    let position = found.position;
    while (found.position <= found.toBlock && !stopping.aborted) {
      try {
        await readOn(found);
      } catch (error) {
        const hasMoved = found.position > position;
        if (failures === 0 || hasMoved) failedAtMs = steady.nowMs();
        failures = hasMoved ? 1 : failures + 1;
        ({ position } = found);
        const isOfNode = error instanceof Fault && error.code.startsWith("rpc_");
        if (isOfNode && steady.nowMs() - failedAtMs >= unreadMsMax) {
          const { toBlock } = found;
          found.unread = messageOf(error);
          reportUnread(deps, { fromBlock: position, toBlock, problem: found.unread });
          break;
        }
        tryAgain(error);
        await clock.sleep(backOffMs(failures, retryPause), stopping);
      }
    }
    if (!stopping.aborted) await end(found);
  }

  async function end(found: Search): Promise<void> {
    const { position: stoppedAt, leftOut } = found;
    const rest = found.unread === undefined ? leftOut : { ...found, fromBlock: stoppedAt };
    if (rest) {
      const from = leftOut?.fromBlock ?? rest.fromBlock;
      unread = `blocks ${from} to ${rest.toBlock} were not searched for payments that the database has lost; run farthing recover --since ${from}`;
    }
    await store.raiseNextNonces(chainId, found.used);
    const { recovered: settlements, fromBlock, toBlock } = found;
    log.warn(
      { event: "settlements_recovered", chainId, settlements, fromBlock, toBlock },
      "Search for lost payments ended; what was found is recorded",
    );
  }

  return {
    repair,
    /** What no search since the start has read, for people; undefined where all was read. */
    unread: () => unread,
  };
}
