/**
 * Searches for settlements that no followed block decides: expired ones, and those that were pending
 * while no process ran. It works in groups beside the blocks, so thousands of them after downtime do
 * not delay the outcomes of new payments.
 */
import { refusal } from "@farthing/protocol";
import { warning, type Log } from "../base/log.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { Settlement } from "../model/settlement.ts";
import { authorizationOf, changesOutcome, type ProofDeps } from "./chain-proofs.ts";

/** Settlements of one group: a few requests to the node, and one commit of some milliseconds. */
const groupMax = 500;

export type Backlog = ReturnType<typeof createBacklog>;

interface BacklogDeps extends ProofDeps {
  readonly chain: Chain;
  readonly log: Log;
  /** Settlements that fail when they expire. */
  listOpen(): readonly Settlement[];
}

export function createBacklog(deps: BacklogDeps) {
  const { proofs, log } = deps;
  const { chainId } = deps.chain.network;
  const unsearched = new Map<string, Settlement>();
  let round: Promise<void> | undefined;
  const stopping = new AbortController();

  function searchLater(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) unsearched.set(settlement.id, settlement);
  }

  function searchNow(settlements: readonly Settlement[]): Promise<void> {
    return inGroups(settlements, async (group) => {
      const { found, unused } = await proofs.find(group, deps.headNumber());
      await deps.conclude(found.filter(changesOutcome));
      for (const { id } of [...unused, ...found.map(({ settlement }) => settlement)]) {
        unsearched.delete(id);
      }
    });
  }

  /**
   * Fails settlements that no block can carry any more, sent or not: the time of a final block is
   * past validBefore, and the token reports the nonce as unused there.
   */
  async function failExpired({ finalized }: ChainView): Promise<void> {
    const expired = deps.listOpen().filter(({ validBefore }) => finalized.time >= validBefore);
    await inGroups(expired, async (group) => {
      const { found, unused } = await proofs.find(group, finalized.number);
      await deps.conclude(found);
      const failures = unused.map((one) => {
        const { id, transaction } = one;
        return { id, transaction, ...tooLate, authorization: authorizationOf(one) };
      });
      await deps.fail(failures, unused);
      for (const { id } of unused) unsearched.delete(id);
    });
  }

  /** Stops at the first group that fails, to spare the node; the next block begins again. */
  async function inGroups(
    settlements: readonly Settlement[],
    work: (group: readonly Settlement[]) => Promise<void>,
  ): Promise<void> {
    try {
      for (let at = 0; at < settlements.length && !stopping.signal.aborted; at += groupMax) {
        await work(settlements.slice(at, at + groupMax));
      }
    } catch (error) {
      const fields = { chainId, settlements: settlements.length };
      const message = "Settlement search failed; retrying with the next block";
      warning(log, { event: "settlement_search_failed", ...fields }, message)(error);
    }
  }

  async function run(view: ChainView): Promise<void> {
    await failExpired(view);
    await searchNow([...unsearched.values()]);
    round = undefined;
  }

  return {
    /** Searches as of the head, and again later where that fails. Never rejects. */
    async search(settlements: readonly Settlement[]) {
      searchLater(settlements);
      await searchNow(settlements);
    },
    /** Searches beside the next blocks. */
    searchLater,
    /** Begins another round unless one is running. */
    onHead(view: ChainView) {
      if (!stopping.signal.aborted) round ??= run(view);
    },
    /** Waits for the running group and ends. */
    async stop() {
      stopping.abort();
      await round;
    },
  };
}

const tooLate = refusal(
  "authorization_expired",
  "The authorization expired before it was mined; sign a new one.",
);
