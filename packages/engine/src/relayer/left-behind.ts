/**
 * Wallets that carry open payments but are no longer configured, or whose process will not return.
 * Signed transactions need no key to be sent again, so any running process sends them and follows them
 * to their end. It signs nothing new.
 */
import type { Address } from "@farthing/protocol";
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { steadyClockOf } from "../base/clock.ts";
import { warning, type Runtime } from "../base/log.ts";
import { startPoll } from "../base/poll.ts";
import { readTransactionCount } from "../chain/reads/reads.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { CarryingWallet, EngineStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { isFree, type LeaseOwner } from "./lease.ts";
import { addTo, closeNonce, newestOf, type PendingNonce } from "./pending-nonce.ts";
import { checkUsedNonces, type UsedNoncesDeps } from "./used-nonces.ts";

/** Five blocks. Without such wallets a look is one statement. */
const lookMs = 10_000;

/** The pause of a wallet after its node did not reply or nothing was mined grows to five minutes. */
const retryPause: BackOffBounds = { minMs: lookMs, maxMs: 300_000 };

/** Transactions sent in one look: as many as XDC nodes accept beyond a wallet's count. */
const sentMax = 8;

export interface LeftBehindDeps extends UsedNoncesDeps, Runtime {
  readonly store: Pick<
    EngineStore,
    | "listCarryingWallets"
    | "listOpenTransactions"
    | "closeNonce"
    | "closeTransactions"
    | "recordSent"
  >;
  readonly owner: LeaseOwner;
  /** The wallets that this process is configured with. */
  readonly addresses: readonly Address[];
  headNumber(): number;
}

/** The last tries for a wallet. */
interface Recovery {
  readonly failures: number;
  readonly againAtMs: number;
  /** The nonce count and transactions at the last try. */
  readonly progress: string;
  readonly endpoint: number;
}

/** Looks for such wallets at once and at intervals. */
export function startLeftBehind(deps: LeftBehindDeps): { stop(): Promise<void> } {
  const { chain, store, clock, log } = deps;
  const { chainId } = chain.network;
  const configured = new Set(deps.addresses.map((address) => address.toLowerCase()));
  const steady = steadyClockOf(clock);
  const reported = new Set<string>();
  const recoveries = new Map<Address, Recovery>();

  const reportFailure = warning(
    log,
    { event: "left_behind_check_failed", chainId },
    "Check of wallets without a key failed; retrying later",
  );

  async function look(): Promise<void> {
    const carrying = await store.listCarryingWallets(chainId, clock.nowMs());
    const left = carrying.filter(
      ({ wallet, holder }) => !configured.has(wallet.toLowerCase()) && isFree(holder, deps.owner),
    );
    const wallets = new Set(left.map(({ wallet }) => wallet));
    for (const wallet of recoveries.keys()) if (!wallets.has(wallet)) recoveries.delete(wallet);
    for (const one of left) {
      report(one);
      if ((recoveries.get(one.wallet)?.againAtMs ?? 0) <= steady.nowMs())
        await tryToRecover(one.wallet);
    }
  }

  async function tryToRecover(wallet: Address): Promise<void> {
    const before = recoveries.get(wallet);
    const endpoint = ((before?.endpoint ?? -1) + 1) % chain.endpoints.length;
    const recovered = await recover(wallet, endpoint).catch(reportFailure);
    const progress = recovered ?? before?.progress ?? "";
    const failures = progress === before?.progress ? before.failures + 1 : 1;
    const againAtMs = steady.nowMs() + backOffMs(failures, retryPause);
    recoveries.set(wallet, { failures, againAtMs, progress, endpoint });
  }

  function report({ wallet, settlements, oldestAt }: CarryingWallet): void {
    if (reported.has(wallet)) return;
    reported.add(wallet);
    const oldestSeconds = Math.round((clock.nowMs() - oldestAt) / 1_000);
    const fields = { chainId, relayer: wallet, settlements, oldestSeconds };
    log.warn(
      { event: "wallet_left_behind", ...fields },
      "Relayer wallet without a key found; its signed transactions are sent again",
    );
  }

  /** Closes used nonces and sends the rest to an endpoint. Returns the progress. */
  async function recover(wallet: Address, endpoint: number): Promise<string> {
    const pendingNonces = new Map<number, PendingNonce>();
    for (const transaction of await store.listOpenTransactions(chainId, wallet)) {
      if (transaction.raw === null) continue;
      addTo(pendingNonces, transaction, { headNumber: deps.headNumber(), mayBeOut: true });
    }
    const count = await readTransactionCount(chain, wallet);
    const used = {
      signer: { address: wallet },
      pendingNonces: () =>
        [...pendingNonces.values()].toSorted((one, other) => one.nonce - other.nonce),
      // Only the process with the key counts its nonces.
      raiseNonce: async () => undefined,
      close: (pending: PendingNonce, mined: Parameters<typeof closeNonce>[2]) =>
        closeNonce(store, pending, mined),
    };
    await checkUsedNonces(used, { number: deps.headNumber(), count }, deps);
    const waiting = used.pendingNonces().filter(({ isUsedUp }) => !isUsedUp);
    const transactions = waiting.slice(0, sentMax).map(newestOf);
    await send(transactions, endpoint);
    return [count, ...transactions.map(({ id }) => id)].join();
  }

  async function send(transactions: readonly RelayerTransaction[], at: number): Promise<void> {
    const index = chain.endpoints[at]?.index;
    if (transactions.length === 0 || index === undefined) return;
    const outcomes = await broadcast(chain, index, transactions, log);
    const accepted = transactions.filter((_, index) => outcomes[index] === "accepted");
    await store.recordSent(accepted, clock.nowMs());
  }

  return startPoll({ clock, pauseMs: lookMs }, () => look().catch(reportFailure));
}
