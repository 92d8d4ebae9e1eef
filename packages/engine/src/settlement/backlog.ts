/**
 * What ends or is looked up by itself, after downtime by the thousand: in groups, and beside the
 * blocks, so that what is paid meanwhile is told with its block.
 */
import { refusal } from "@farthing/protocol";
import { messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import type { ChainView } from "../chain/block-follower.ts";
import type { Chain } from "../chain/chain.ts";
import type { Settlement } from "../model/settlement.ts";
import type { Failure } from "../storage/engine-store.ts";
import { isNews, type Evidence, type Found } from "./chain-proofs.ts";

/** Settlements of one group: a few requests to the node, and one commit of some milliseconds. */
const groupMax = 500;

/** What waits to be ended or looked up. */
export interface Backlog {
  /** Looks settlements up as of the head; what cannot be now is looked up later. Never rejects. */
  search(settlements: readonly Settlement[]): Promise<void>;
  /** Has settlements looked up beside the next blocks. */
  searchLater(settlements: readonly Settlement[]): void;
  /** Begins another round, unless one is under way. */
  onHead(view: ChainView): void;
  /** Waits for the group under way and ends. */
  stop(): Promise<void>;
}

/** What it works with. */
export interface BacklogDeps {
  readonly chain: Chain;
  readonly log: Log;
  readonly evidence: Pick<Evidence, "lookUp">;
  headNumber(): number;
  /** Settlements that end when their time is over. */
  listOpen(): readonly Settlement[];
  conclude(found: readonly Found[]): Promise<void>;
  fail(failures: readonly Failure[], settlements: readonly Settlement[]): Promise<void>;
}

/** Creates the backlog of a network. */
export function createBacklog(deps: BacklogDeps): Backlog {
  const { evidence, log } = deps;
  const { chainId } = deps.chain.network;
  /** Not looked up yet, by id. */
  const unsearched = new Map<string, Settlement>();
  let round: Promise<void> | undefined;
  const stopping = new AbortController();

  async function search(settlements: readonly Settlement[]): Promise<void> {
    searchLater(settlements);
    await lookUp(settlements);
  }

  function searchLater(settlements: readonly Settlement[]): void {
    for (const settlement of settlements) unsearched.set(settlement.id, settlement);
  }

  function lookUp(settlements: readonly Settlement[]): Promise<void> {
    return inGroups(settlements, async (group) => {
      const { found, unused } = await evidence.lookUp(group, deps.headNumber());
      await deps.conclude(found.filter(({ event, settlement }) => isNews(event, settlement)));
      for (const { id } of [...unused, ...found.map(({ settlement }) => settlement)]) {
        unsearched.delete(id);
      }
    });
  }

  /**
   * Ends what no block can carry any more: the time of a final block has passed validBefore, and
   * the token calls the nonce unused there. Whether it was sent makes no difference then.
   */
  async function endExpired({ finalized }: ChainView): Promise<void> {
    const expired = deps.listOpen().filter(({ validBefore }) => finalized.time >= validBefore);
    await inGroups(expired, async (group) => {
      const { found, unused } = await evidence.lookUp(group, finalized.number);
      await deps.conclude(found);
      const failures = unused.map(({ id, transaction }) => ({ id, transaction, ...tooLate }));
      await deps.fail(failures, unused);
      for (const { id } of unused) unsearched.delete(id);
    });
  }

  /** Stops at the first group that fails: the next block begins again, and a node has its rest. */
  async function inGroups(
    settlements: readonly Settlement[],
    work: (group: readonly Settlement[]) => Promise<void>,
  ): Promise<void> {
    try {
      for (let at = 0; at < settlements.length && !stopping.signal.aborted; at += groupMax) {
        await work(settlements.slice(at, at + groupMax));
      }
    } catch (error) {
      const fields = { chainId, settlements: settlements.length, problem: messageOf(error) };
      log.warn(
        { event: "settlements_not_looked_up", ...fields },
        "Settlements could not be looked up; retrying with the next block",
      );
    }
  }

  async function run(view: ChainView): Promise<void> {
    await endExpired(view);
    await lookUp([...unsearched.values()]);
    round = undefined;
  }

  return {
    search,
    searchLater,
    onHead(view) {
      if (!stopping.signal.aborted) round ??= run(view);
    },
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
