/**
 * Rebalancing of wallets among processes on one database. Each process takes free wallets, and asks
 * the process with the most for one while that process has at least two more. Soon all have about as
 * many, and no wallet moves. Processes without a wallet leave their claims to those with one.
 */
import { warning, type Runtime } from "../base/log.ts";
import type { Address, ChainId } from "@farthing/protocol";
import type { WalletHolder, WalletLeaseStore } from "../storage/engine-store.ts";
import type { NonceManager } from "./wallet-nonces.ts";
import { isFree, lostLeaseMs, type LeaseOwner } from "./lease.ts";

/** A wallet and the process that holds it, or will hold it next. */
export interface Holding {
  readonly wallet: Address;
  readonly holder: string;
  /** While it is handed over, no other process can ask for it. */
  readonly isHandingOver: boolean;
}

/** Every process gets the same order, so of two that ask at once only the first gets a wallet. */
export function walletsToAskFor(holdings: readonly Holding[], self: string): Holding[] {
  const counts = new Map([[self, 0]]);
  for (const { holder } of holdings) counts.set(holder, (counts.get(holder) ?? 0) + 1);
  const countOf = (holder: string) => counts.get(holder) ?? 0;
  const asked: Holding[] = [];
  for (;;) {
    const next = holdings
      .filter((holding) => !holding.isHandingOver && !asked.includes(holding))
      .reduce<Holding | undefined>(
        (best, one) => (best && countOf(best.holder) >= countOf(one.holder) ? best : one),
        undefined,
      );
    if (!next || countOf(next.holder) - countOf(self) < 2) return asked;
    asked.push(next);
    counts.set(next.holder, countOf(next.holder) - 1);
    counts.set(self, countOf(self) + 1);
  }
}

interface RebalancerDeps extends Runtime {
  readonly store: Pick<
    WalletLeaseStore,
    "findWalletHolders" | "shortenLostLeases" | "askForWallet" | "releaseWallets"
  >;
  readonly owner: LeaseOwner;
  readonly chainId: ChainId;
  readonly managers: readonly NonceManager[];
}

export function createRebalancer(deps: RebalancerDeps) {
  const { store, clock, log, owner, chainId, managers } = deps;
  const wallets = managers.map(({ signer }) => signer.address);
  /** The process of each wallet in use at the last look. */
  let workers: readonly string[] = [];

  async function look(): Promise<void> {
    const now = clock.nowMs();
    await store.shortenLostLeases(chainId, { toMs: lostLeaseMs, now });
    // Before the read: a nonce that is reserved meanwhile may be missing from it.
    const nonces = managers.map((manager) => manager.nextNonce());
    const holders = await store.findWalletHolders(chainId, wallets, now);
    await Promise.all(
      managers.map((manager, index) => manager.keep(holders[index], nonces[index])),
    );
    workers = managers.flatMap((manager, index) => workerOf(manager, holders[index]) ?? []);
    const holdings = managers.flatMap((manager, index) => holdingOf(manager, holders[index]) ?? []);
    for (const { wallet, holder } of walletsToAskFor(holdings, owner.id)) {
      await store.askForWallet(chainId, wallet, { holder, owner: owner.id });
    }
  }

  const repeatLater = warning(
    log,
    { event: "wallet_rebalancing_failed", chainId },
    "Relayer wallet rebalancing failed; retrying in a second",
  );

  function workerOf(manager: NonceManager, holder: WalletHolder | undefined): string | undefined {
    if (manager.isOurs()) return owner.id;
    return holder?.owner && !isFree(holder, owner) ? holder.owner : undefined;
  }

  function holdingOf(manager: NonceManager, holder: WalletHolder | undefined): Holding | undefined {
    const worker = workerOf(manager, holder);
    const wantedBy = holder?.wantedBy ?? undefined;
    const wallet = manager.signer.address;
    if (worker === undefined) return undefined;
    return { wallet, holder: wantedBy ?? worker, isHandingOver: wantedBy !== undefined };
  }

  return {
    /** Renews, takes, hands over and asks for wallets; called at intervals. */
    look: () => look().catch(repeatLater),
    /** Wallets that other processes used at the last look. */
    elsewhere: () => workers.filter((worker) => worker !== owner.id).length,
    /** Whether this process carries a settlement that a process without wallets has claimed. */
    isFor(settlementId: string) {
      const each = [...new Set(workers)].toSorted();
      return each[lotOf(settlementId) % each.length] === owner.id;
    },
    /** Releases all leases; called once the managers have stopped. */
    stop: () => store.releaseWallets(chainId, owner.id),
  };
}

/** The same number in every process; ids end in random hexadecimal digits. */
function lotOf(settlementId: string): number {
  return Number.parseInt(settlementId.slice(-8), 16) || 0;
}
