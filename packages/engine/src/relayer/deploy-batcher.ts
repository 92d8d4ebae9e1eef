/**
 * Deploys the batch contract with a relayer wallet. Its address follows from its code, through a deployer
 * that many chains have, so a second run finds what the first one has deployed. Without a deployer the
 * wallet creates it itself; then a second run finds it by the configured address alone.
 */
import { zeroAddress, type Address, type Hex } from "@farthing/protocol";
import * as OxAddress from "ox/Address";
import * as ContractAddress from "ox/ContractAddress";
import { misconfigured } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import { registeredTracer } from "../base/tracing.ts";
import { batchContractHash } from "../chain/contracts/batch-contract.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { batcherCode, batcherCreationCode } from "../chain/contracts/generated/batcher.ts";
import {
  estimateGas,
  readCode,
  readGasPrice,
  readHeadNumber,
  readReceipts,
} from "../chain/reads/reads.ts";
import { readBalances } from "../chain/checks/self-check.ts";
import type { EngineStore, WalletLeaseStore } from "../storage/engine-store.ts";
import { gasPriceFloorWei, gasPriceOf, withReserve } from "./fees.ts";
import { createLeaseOwner } from "./lease.ts";
import { createSettlementTraces } from "./settlement-traces.ts";
import type { Signer } from "./signer.ts";
import { NonceManager } from "./wallet-nonces.ts";
import type { WalletEvents } from "./wallet-transactions.ts";

/** They derive the address from the code alone: Safe's, on both XDC networks, and local chains'. */
const deployers: readonly Address[] = [
  "0x914d7Fec6aaC8cd542e72Bca78B30650d45643d7",
  "0x4e59b44847b379578588920cA78FbF26c0B4956C",
];

/** The code of both: it creates what follows a salt in its calldata. */
const deployerCode: Hex =
  "0x7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf3";

const salt: Hex = `0x${"00".repeat(32)}`;

/** The longest pause of the chain, twice. */
const minedMs = 120_000;

/** Half of a block period. */
const lookMs = 1_000;

export interface BatcherDeployment {
  readonly address: Address;
  readonly codeHash: Hex;
  /** Null when it was deployed before. */
  readonly transaction: Hex | null;
}

export interface DeployDeps extends Runtime {
  readonly chain: Chain;
  readonly store: EngineStore & WalletLeaseStore;
  readonly signers: readonly Signer[];
  /** Whether all processes on the database run on this machine. */
  readonly isLocal: boolean;
  readonly gasPriceCeiling: bigint;
  /** Where the configuration says that the contract is. */
  readonly configured: Address | undefined;
}

interface PricedDeps extends DeployDeps {
  /** Wei. */
  readonly gasPrice: bigint;
}

/** A transaction that creates the contract; `address` is where it does, by wallet and nonce. */
interface Creation {
  readonly to: Address;
  readonly data: Hex;
  address(wallet: Address, nonce: number): Address;
}

/** Throws the fault `configuration` when no wallet can be used, and RPC faults. */
export async function deployBatcher(deps: DeployDeps): Promise<BatcherDeployment> {
  const { chain, configured } = deps;
  const deployer = await findDeployer(chain);
  const known = [configured, deployer && addressFrom(deployer)];
  for (const address of known) {
    if (address === undefined || !(await isDeployed(chain, address))) continue;
    return { address, codeHash: batchContractHash, transaction: null };
  }
  const bounds = { floor: gasPriceFloorWei, ceiling: deps.gasPriceCeiling };
  const priced = {
    ...deps,
    gasPrice: gasPriceOf({ gasPrice: await readGasPrice(chain), head: {} }, bounds),
  };
  const creation = deployer ? creationBy(deployer) : creationByWallet;
  const sent = await withWallet(priced, (manager) => send(manager, creation, priced));
  if (await isDeployed(chain, sent.address)) return { ...sent, codeHash: batchContractHash };
  throw misconfigured(`The transaction ${sent.transaction} was mined and deployed nothing`);
}

function creationBy(deployer: Address): Creation {
  const data: Hex = `${salt}${batcherCreationCode.slice(2)}`;
  return { to: deployer, data, address: () => addressFrom(deployer) };
}

const creationByWallet: Creation = {
  to: zeroAddress,
  data: batcherCreationCode,
  address: (from, nonce) =>
    OxAddress.checksum(ContractAddress.fromCreate({ from, nonce: BigInt(nonce) })),
};

/** Where a deployer creates the contract. */
function addressFrom(deployer: Address): Address {
  const created = { from: deployer, salt, bytecode: batcherCreationCode };
  return OxAddress.checksum(ContractAddress.fromCreate2(created));
}

async function findDeployer(chain: Chain): Promise<Address | undefined> {
  for (const deployer of deployers) {
    if ((await readCode(chain, deployer)) === deployerCode) return deployer;
  }
  return undefined;
}

async function isDeployed(chain: Chain, address: Address): Promise<boolean> {
  return (await readCode(chain, address)) === batcherCode;
}

/** No settlement depends on the transaction. */
const unheard: WalletEvents = {
  onSubmitted: () => undefined,
  onSent: () => undefined,
  onReleased: async () => undefined,
  onWalletAcquired: () => undefined,
  onTooLarge: () => undefined,
};

/** Runs a step with a wallet that no running facilitator works, and releases the wallet. */
async function withWallet<T>(deps: PricedDeps, step: (manager: NonceManager) => Promise<T>) {
  const { chain, store, clock, signers, gasPrice } = deps;
  const { chainId } = chain.network;
  const owner = createLeaseOwner({ sameMachine: deps.isLocal });
  const addresses = signers.map(({ address }) => address);
  const [head, balances] = await Promise.all([
    readHeadNumber(chain),
    readBalances(chain, addresses),
  ]);
  const walletDeps = {
    ...deps,
    owner,
    events: unheard,
    traces: createSettlementTraces(registeredTracer()),
    inFlightMax: 1,
    gasPrices: {
      now: () => gasPrice,
      needed: () => gasPrice,
      ceiling: () => deps.gasPriceCeiling,
      problem: () => undefined,
      noteSigned: () => undefined,
      look: () => undefined,
    },
    // It uses a free nonce, and looks for nothing else that the wallets have sent.
    lost: {
      mayRaise: async () => true,
      search: () => undefined,
      onUnknownUse: () => undefined,
    },
    headNumber: () => head,
    finalizedNumber: () => 0,
    balanceOf: (wallet: Address) => balances[addresses.indexOf(wallet)],
  };
  await store.registerOwner(owner.id);
  const holders = await store.findWalletHolders(chainId, addresses, clock.nowMs());
  try {
    for (const [index, signer] of signers.entries()) {
      const manager = new NonceManager(signer, walletDeps);
      await manager.keep(holders[index]);
      // What an earlier process has left is the facilitator's to finish.
      if (manager.canWork() && manager.pendingNonces().length === 0) return await step(manager);
      await manager.stop();
    }
  } finally {
    await store.releaseWallets(chainId, owner.id);
  }
  throw misconfigured(
    "No relayer wallet is free: a running facilitator works them, they hold too little gas, or they have transactions that are not mined",
  );
}

async function send(
  manager: NonceManager,
  creation: Creation,
  deps: PricedDeps,
): Promise<{ readonly address: Address; readonly transaction: Hex }> {
  const { chain, clock, gasPrice } = deps;
  const { to, data } = creation;
  const wallet = manager.signer.address;
  const call = { from: wallet, to, data, gasPrice };
  const estimate = await estimateGas(chain, call, await readHeadNumber(chain));
  if (!estimate || !("gas" in estimate))
    throw misconfigured("The node cannot estimate the deployment");
  const gasLimit = withReserve(estimate.gas);
  await manager.submit([{ settlementIds: [], to, data, gasLimit, gasPrice }]);
  const [pending] = manager.pendingNonces();
  const hash = pending?.attempts[0]?.hash;
  if (!pending || !hash) throw misconfigured("The transaction was not signed");
  const address = creation.address(wallet, pending.nonce);
  const endMs = clock.nowMs() + minedMs;
  while (clock.nowMs() < endMs) {
    const [receipt] = await readReceipts(chain, [hash]);
    const [transaction] = pending.attempts;
    if (receipt && transaction) {
      await manager.close(pending, { transaction, blockNumber: receipt.blockNumber });
      return { address, transaction: hash };
    }
    // Renews the lease.
    await manager.keep(undefined);
    await clock.sleep(lookMs);
  }
  throw misconfigured(
    `The transaction ${hash} is not mined yet; the contract will be at ${address}. Run this again when a facilitator has finished the transaction`,
  );
}
