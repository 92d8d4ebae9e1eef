/**
 * Compares the next nonces of the store with what the chain has of the wallets. The store has each nonce
 * before the chain, so a wallet of which the chain has more shows that commits were lost.
 */
import type { Address } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import type { ChainView } from "../chain/follower/chain-view.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { readCountAt, readHeadNumber } from "../chain/reads/reads.ts";
import { findBlockSince } from "../chain/logs/sent-transfers.ts";
import { isBehindChain } from "../model/lost-commits.ts";
import type { StoredNonces, WalletLeaseStore } from "../storage/engine-store.ts";

/**
 * Before the newest stored transaction. Other wallets may have gone on for a moment after the loss, and
 * clocks differ; half an hour of blocks is one request.
 */
const marginSeconds = 1_800;

export interface CompareDeps extends Runtime {
  readonly chain: Chain;
  readonly store: Pick<
    WalletLeaseStore,
    "listNextNonces" | "raiseNextNonces" | "holdSearch" | "releaseSearch"
  >;
  /** The wallets of the configuration, and those that were taken out of it. */
  readonly wallets: readonly Address[];
  /** Those of them from which other software sends: its transactions show no loss. */
  readonly sharedWallets: readonly Address[];
  /** Blocks before the newest one that a search covers at most. */
  readonly searchBlocksMax: number;
  view(): ChainView | undefined;
}

/** Blocks that are searched, and the wallets whose nonces showed the loss. */
export interface Search {
  /** In lower case. */
  readonly wallets: ReadonlySet<string>;
  readonly used: readonly Pick<StoredNonces, "wallet" | "nextNonce">[];
  readonly fromBlock: number;
  readonly toBlock: number;
  /** The next block to read. */
  position: number;
  recovered: number;
  /** Blocks before the bound of a search in which payments may be lost; undefined where none are. */
  readonly leftOut?: { readonly fromBlock: number; readonly toBlock: number } | undefined;
  /** Why blocks were left out; undefined while none was. */
  unread: string | undefined;
}

/** Where a search that was asked for begins: a block, or a time in Unix seconds. */
export type Since = { readonly block: number } | { readonly seconds: bigint };

type Counts = ReadonlyMap<string, { readonly transactionCount: number }>;

interface CompareTerms {
  /** The wallets were read a moment ago, with the newest block. */
  readonly isFirst: boolean;
  /** Transactions are missing, whatever the nonces show. */
  readonly isLossKnown: boolean;
}

/** Returns whether a wallet is this service's alone. */
export function ownedBy({ sharedWallets }: Pick<CompareDeps, "sharedWallets">) {
  const shared = new Set(sharedWallets.map((wallet) => wallet.toLowerCase()));
  return (wallet: Address) => !shared.has(wallet.toLowerCase());
}

export function createCompareNonces(deps: CompareDeps) {
  const { chain, store, log } = deps;
  const { chainId } = chain.network;
  const isOwn = ownedBy(deps);

  /** The nonces of wallets that are this service's alone. */
  async function listNonces(): Promise<StoredNonces[]> {
    return (await store.listNextNonces(chainId)).filter(({ wallet }) => isOwn(wallet));
  }

  /** The newest block, and the counts of wallets as of it, where a start has just read them. */
  async function readNewest(isFirst: boolean) {
    const view = deps.view();
    if (!view) throw new Fault("rpc_unavailable", "The chain has not answered yet");
    const seen = isFirst ? [...view.wallets] : [];
    return {
      // With nothing to wait for, the view is read rarely.
      head: isFirst ? view.head.number : await readHeadNumber(chain),
      counts: new Map(seen.map(([wallet, state]) => [wallet.toLowerCase(), state])),
    };
  }

  /** Wallets of which the chain has more transactions than the store. */
  async function listBehind(stored: readonly StoredNonces[], head: number, seen: Counts) {
    const counted = await Promise.all(
      stored.map(async ({ wallet, nextNonce }) => {
        const known = seen.get(wallet.toLowerCase())?.transactionCount;
        if (known !== undefined && !isBehindChain(nextNonce, known)) return [];
        const count = await readCountAt(chain, wallet, head);
        return isBehindChain(nextNonce, count) ? [{ wallet, nextNonce: count }] : [];
      }),
    );
    const behind = counted.flat();
    if (behind.length === 0) return [];
    // Other processes go on, and store a nonce before the chain has it.
    const now = new Map((await listNonces()).map((one) => [one.wallet, one]));
    return behind.filter(({ wallet, nextNonce: count }) =>
      isBehindChain(now.get(wallet)?.nextNonce ?? 0, count),
    );
  }

  /** A search up to the newest block, which has not begun. */
  function searchOf(
    stored: readonly StoredNonces[],
    range: Pick<Search, "used" | "fromBlock" | "toBlock">,
  ): Search {
    const wallets = new Set(
      [...deps.wallets, ...stored.map(({ wallet }) => wallet)]
        .filter(isOwn)
        .map((one) => one.toLowerCase()),
    );
    return { wallets, ...range, position: range.fromBlock, recovered: 0, unread: undefined };
  }

  return {
    /** Returns what has to be searched because transactions are missing. Throws RPC and storage faults. */
    async findLoss({ isFirst, isLossKnown }: CompareTerms): Promise<Search | undefined> {
      const stored = await listNonces();
      const { head: toBlock, counts } = await readNewest(isFirst);
      const used = await listBehind(stored, toBlock, counts);
      if (used.length === 0 && !isLossKnown) return undefined;
      const low = Math.max(0, toBlock - deps.searchBlocksMax);
      const since = newestOf(stored);
      const fromBlock = await findBlockSince(chain, since, { low, high: toBlock });
      const isCut = fromBlock === low && low > 0;
      const first = isCut ? await findBlockSince(chain, since, { low: 0, high: low }) : fromBlock;
      const leftOut = first < fromBlock ? { fromBlock: first, toBlock: low - 1 } : undefined;
      return { ...searchOf(stored, { used, fromBlock, toBlock }), leftOut };
    },
    /** Whether the chain has more transactions of a wallet than the store now. Throws as `findLoss` does. */
    async isBehind(): Promise<boolean> {
      const { head } = await readNewest(false);
      return (await listBehind(await listNonces(), head, new Map())).length > 0;
    },
    /** Says what a search is for, and which blocks it leaves out. */
    report({ used, fromBlock, toBlock, leftOut }: Search): void {
      const relayers = used.map(({ wallet }) => wallet);
      log.error(
        { event: "store_behind_chain", chainId, relayers, fromBlock, toBlock },
        "Database is behind the chain; reading what the relayer wallets sent",
      );
      if (leftOut) reportUnread(deps, { ...leftOut, problem: "a start searches a week of blocks" });
    },
    /** Returns the search from a point on, however long ago that is. Throws as `findLoss` does. */
    async since(since: Since): Promise<Search> {
      const stored = await listNonces();
      const { head: toBlock, counts } = await readNewest(false);
      const used = await listBehind(stored, toBlock, counts);
      const fromBlock =
        "block" in since
          ? Math.min(since.block, toBlock)
          : await findBlockSince(chain, since.seconds, { low: 0, high: toBlock });
      return searchOf(stored, { used, fromBlock, toBlock });
    },
  };
}

/** Unix seconds of the newest stored transaction, less the margin. */
function newestOf(stored: readonly StoredNonces[]): bigint {
  const newestMs = Math.max(0, ...stored.map(({ newestAt }) => newestAt ?? 0));
  return BigInt(Math.max(0, Math.floor(newestMs / 1000) - marginSeconds));
}

/** Says which blocks are left out. */
export function reportUnread(
  { chain, log }: Pick<CompareDeps, "chain" | "log">,
  fields: { fromBlock: number; toBlock: number; problem: string },
): void {
  const { chainId } = chain.network;
  log.error(
    { event: "lost_transfers_not_read", chainId, ...fields },
    "Blocks not searched for lost payments; farthing recover --since searches them",
  );
}
