/**
 * Sends the gas money of a wallet that no process works any more to another address. It first finishes
 * what an earlier process left: stored transactions are sent again and must be final. The transfer is
 * stored before it is sent, so the next run, or a process that uses the wallet later, continues it.
 */
import type { Address, Hex } from "@farthing/protocol";
import { Fault, misconfigured } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import { findHeader, headerCall, headerOf } from "../chain/reads/block-headers.ts";
import { readDeepBlock } from "../chain/follower/chain-conditions.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import {
  hasCode,
  readCountAt,
  readGasPrice,
  readNonces,
  readReceipts,
  readTransactionCount,
} from "../chain/reads/reads.ts";
import { readBalances } from "../chain/checks/self-check.ts";
import type { RelayerTransaction, WalletLease } from "../model/relayer-transaction.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { broadcast } from "./broadcast.ts";
import { gasPriceFloorWei, gasPriceOf } from "./fees.ts";
import { createLeaseOwner, isFree, leaseMs, type LeaseOwner } from "./lease.ts";
import type { Signer } from "./signer.ts";

/** The longest pause of the chain, twice. */
const minedMs = 120_000;

/** Half of a block period; it also renews the lease. */
const lookMs = 1_000;

/** A transfer to an account, and to a contract such as a Safe, whose code runs when it receives coins. */
const accountGas = 21_000n;
const contractGas = 100_000n;

export interface SweepDeps extends Runtime {
  readonly chain: Chain;
  readonly store: EngineStore & WalletLeaseStore;
  /** Whether all processes on the database run on this machine. */
  readonly isLocal: boolean;
  readonly gasPriceCeiling: bigint;
}

export interface Sweep {
  /** Null when the wallet holds no more than the transfer would cost. */
  readonly transaction: Hex | null;
  /** Wei that arrived. */
  readonly amount: bigint;
}

/** The wallet while this process holds it. */
interface HeldWallet {
  readonly deps: SweepDeps;
  readonly signer: Signer;
  readonly owner: LeaseOwner;
  readonly lease: WalletLease;
}

/** Throws the fault `configuration` when the wallet is in use or its work does not end, and RPC faults. */
export async function sweepWallet(signer: Signer, to: Address, deps: SweepDeps): Promise<Sweep> {
  const { chain, store } = deps;
  const owner = createLeaseOwner({ sameMachine: deps.isLocal });
  await store.registerOwner(owner.id);
  try {
    const held = { deps, signer, owner, lease: await acquire(signer.address, owner, deps) };
    await finishEarlier(held);
    const [pool] = await readNonces(chain, [signer.address]);
    if (!pool || pool.pending > pool.latest) {
      throw misconfigured(
        `Transactions of ${signer.address} that this database does not know wait in the node's pool; other software sends from this wallet`,
      );
    }
    if (held.lease.nextNonce > pool.latest) {
      throw misconfigured(
        `The database has taken nonces of ${signer.address} up to ${held.lease.nextNonce - 1}, and the chain has seen ${pool.latest}; start the facilitator with this wallet, which closes the gap`,
      );
    }
    return await transferAll(held, to);
  } finally {
    await store.releaseWallets(chain.network.chainId, owner.id);
  }
}

async function acquire(wallet: Address, owner: LeaseOwner, deps: SweepDeps): Promise<WalletLease> {
  const { chain, store, clock } = deps;
  const { chainId } = chain.network;
  const nonceFloor = await readTransactionCount(chain, wallet);
  const [holder] = await store.findWalletHolders(chainId, [wallet], clock.nowMs());
  const stoppedOwner = holder?.owner && owner.isStopped(holder.owner) ? holder.owner : undefined;
  const request = { chainId, lane: wallet, owner: owner.id, stoppedOwner };
  const lease = isFree(holder, owner)
    ? await store.takeWalletLease({ ...request, nonceFloor, leaseMs, now: clock.nowMs() })
    : undefined;
  if (lease) return lease;
  throw misconfigured(
    `A running facilitator works ${wallet}. Take its key out of the facilitator's configuration and restart it, or stop it`,
  );
}

/** Sends open transactions again and waits until all are final: then nothing needs the gas money. */
async function finishEarlier(held: HeldWallet): Promise<void> {
  const { chain, store } = held.deps;
  const wallet = held.signer.address;
  const open = await store.listOpenTransactions(chain.network.chainId, wallet);
  const last = open.at(-1);
  if (!last) return;
  const unsigned = open.filter(({ raw }) => raw === null);
  const signed = await signAndStore(held, unsigned);
  const known = new Map(signed.map((transaction) => [transaction.id, transaction]));
  const newest = new Map(open.map((one) => [one.nonce, known.get(one.id) ?? one]));
  await until(
    held,
    async () => {
      const mined = await readTransactionCount(chain, wallet);
      await send(
        held,
        [...newest.values()].filter(({ nonce }) => nonce >= mined),
      );
      return (await readFinalCount(chain, wallet)) > last.nonce || undefined;
    },
    `Transactions of ${wallet} are not final yet. Run this again; if it stays so, start the facilitator with this wallet, which can replace them`,
  );
}

/** Coins that the wallet holds, less the price of the transfer. */
async function transferAll(held: HeldWallet, to: Address): Promise<Sweep> {
  const { chain, store, clock } = held.deps;
  const wallet = held.signer.address;
  const bounds = { floor: gasPriceFloorWei, ceiling: held.deps.gasPriceCeiling };
  const gasPrice = gasPriceOf({ gasPrice: await readGasPrice(chain), head: {} }, bounds);
  const gasLimit = (await hasCode(chain, to)) ? contractGas : accountGas;
  const [balance = 0n] = await readBalances(chain, [wallet]);
  const amount = balance - gasLimit * gasPrice;
  if (amount <= 0n) return { transaction: null, amount: 0n };
  const plan = { settlementIds: [], to, data: "0x" as const, gasLimit, gasPrice };
  const reserved = await store.reserveTransactions(held.lease, [plan], clock.nowMs());
  const [transfer] = await signAndStore(held, reserved, amount);
  if (!transfer?.hash) throw new Error("A reserved transfer is signed");
  const { hash } = transfer;
  const receipt = await until(
    held,
    async () => {
      await send(held, [transfer]);
      return (await readReceipts(chain, [hash]))[0];
    },
    `The transfer ${hash} is not mined yet; run this again to see it through`,
  );
  await store.closeTransactions([transfer], "mined", receipt.blockNumber);
  if (receipt.succeeded) return { transaction: hash, amount };
  throw misconfigured(
    `${to} does not accept coins: the transfer ${hash} reverted. Use another address`,
  );
}

async function signAndStore(
  { deps: { store, clock }, signer, lease }: HeldWallet,
  transactions: readonly RelayerTransaction[],
  value = 0n,
): Promise<RelayerTransaction[]> {
  const signed = await Promise.all(
    transactions.map(async (one) => ({ ...one, ...(await signer.sign({ ...one, value })) })),
  );
  await store.recordSigned(lease, signed, clock.nowMs());
  return signed;
}

/** To every endpoint; what a node has already or has mined does no harm. */
async function send({ deps }: HeldWallet, transactions: readonly RelayerTransaction[]) {
  const { chain, log } = deps;
  if (transactions.length === 0) return;
  await Promise.all(chain.endpoints.map(({ index }) => broadcast(chain, index, transactions, log)));
}

async function readFinalCount(chain: Chain, wallet: Address): Promise<number> {
  const [latest, finalized] = await chain.read([headerCall("latest"), headerCall("finalized")]);
  const head = headerOf(latest);
  const named = finalized?.ok ? findHeader(finalized.result) : undefined;
  const { number } = named ?? (await readDeepBlock(chain, head));
  return readCountAt(chain, wallet, Math.min(number, head.number));
}

/** Looks at intervals, and keeps the lease meanwhile. */
async function until<T>(
  { deps: { store, clock }, lease, owner }: HeldWallet,
  look: () => Promise<T | undefined>,
  problem: string,
): Promise<T> {
  const endMs = clock.nowMs() + minedMs;
  for (;;) {
    const found = await look();
    if (found !== undefined) return found;
    if (clock.nowMs() >= endMs) throw misconfigured(problem);
    if (!(await store.renewWalletLease(lease, owner.id, { leaseMs, now: clock.nowMs() }))) {
      throw new Fault(
        "lease_lost",
        `Relayer wallet ${lease.lane} is now worked by another process`,
      );
    }
    await clock.sleep(lookMs);
  }
}
