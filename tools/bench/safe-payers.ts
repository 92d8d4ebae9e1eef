/** Payers whose accounts are Safes, and the batch contract, on the chain of a measurement. */
import type { Devnet } from "@farthing/devnet";
import {
  designSafe,
  placeSafe,
  safeProxyFactory,
  signBySafe,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import { batcherCode, encodeLimitedBatch } from "@farthing/engine/testing/batch-contract";
import type { Address, Hex } from "@farthing/protocol";
import * as Hash from "ox/Hash";
import { openMint, type Mint } from "./payments.ts";

/** Who pays. */
export const payerKinds = ["plain", "Safe 1/1", "Safe 2/3"] as const;

/** One of {@link payerKinds}. */
export type PayerKind = (typeof payerKinds)[number];

/** Owners of a Safe, and those who sign. */
const safeOf: Readonly<Record<Exclude<PayerKind, "plain">, { owners: number; threshold: number }>> =
  { "Safe 1/1": { owners: 1, threshold: 1 }, "Safe 2/3": { owners: 3, threshold: 2 } };

const batchContract: Address = "0xba7c4e8000000000000000000000000000000001";

/** The setting that turns the batch contract on. */
export function withBatchContract({ chainId }: Devnet): Readonly<Record<string, string>> {
  return { [`FARTHING_BATCHER_${chainId}`]: batchContract };
}

/** Puts the contracts on the chain and opens a mint for each kind of payer, `count` of each kind. */
export async function openMints(devnet: Devnet, count: number): Promise<Record<PayerKind, Mint>> {
  await devnet.rpc("anvil_setCode", [batchContract, batcherCode]);
  await placeSafe(devnet);
  return {
    plain: await openMint(devnet),
    "Safe 1/1": await openSafeMint(devnet, safeOf["Safe 1/1"], count),
    "Safe 2/3": await openSafeMint(devnet, safeOf["Safe 2/3"], count),
  };
}

/** A thousand US dollars in base units. */
const balanceUnits = 1_000_000_000n;

async function openSafeMint(
  devnet: Devnet,
  { owners, threshold }: { owners: number; threshold: number },
  count: number,
): Promise<Mint> {
  const keys = Array.from({ length: owners }, (_, owner): Hex =>
    Hash.keccak256(`0x${(owner + 1).toString(16).padStart(64, "0")}`),
  );
  const safes: SafeWallet[] = [];
  for (let made = 0; made < count; made++) {
    safes.push(await designSafe(devnet, keys, { threshold, saltNonce: BigInt(made) }));
  }
  await deployAll(devnet, safes);
  for (const { address } of safes) await devnet.usdc.setBalance(address, balanceUnits);
  const payers = safes.map((safe) => ({
    address: safe.address,
    sign: (digest: Hex) => signBySafe(devnet.chainId, safe, digest),
  }));
  return openMint(devnet, payers);
}

/** Gas of a Safe's deployment, with a reserve, and as many as fit into half of a block. */
const deploymentGas = 400_000n;
const deploymentsPerBatch = 80;

async function deployAll(devnet: Devnet, safes: readonly SafeWallet[]): Promise<void> {
  const [from] = await devnet.rpc<Hex[]>("eth_accounts");
  for (let first = 0; first < safes.length; first += deploymentsPerBatch) {
    const calls = safes
      .slice(first, first + deploymentsPerBatch)
      .map(({ factoryCall: data }) => ({ to: safeProxyFactory, gasLimit: deploymentGas, data }));
    const gas = `0x${(40_000_000).toString(16)}`;
    const data = encodeLimitedBatch(calls);
    await devnet.rpc("eth_sendTransaction", [{ from, to: batchContract, data, gas }]);
    await devnet.mine();
  }
  const last = safes.at(-1);
  const code = await devnet.rpc<Hex>("eth_getCode", [last?.address, "latest"]);
  if (code === "0x") throw new Error("Not all Safes are deployed");
}
