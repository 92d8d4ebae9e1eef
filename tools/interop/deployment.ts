/**
 * What every row and scenario runs against: a local chain with a facilitator of ours on it, each
 * surface at an address of its own, and the transfers as the chain has them.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet, type DevnetWallet } from "@farthing/devnet";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { startPostgres } from "@farthing/engine/testing";
import type { Address, Hex } from "@farthing/protocol";
import { startFacilitatorProcess } from "./facilitator-process.ts";
import { startBalancer } from "./balancer.ts";

/** The three ways to reach a facilitator of ours. */
export const surfaceNames = ["hosted", "public", "self-built"] as const;

/** One of them. */
export type SurfaceName = (typeof surfaceNames)[number];

/** Where a seller reaches a surface, with the key where the surface asks for one. */
export interface Surface {
  readonly url: string;
  readonly apiKey?: string;
}

/** A transfer of USDC to the seller. */
export interface Transfer {
  readonly transaction: Hex;
  readonly amount: bigint;
}

/** A chain with facilitators. */
export interface Deployment {
  readonly devnet: Devnet;
  readonly surfaces: Readonly<Record<SurfaceName, Surface>>;
  /** A wallet that no earlier call returned. */
  newBuyer(): DevnetWallet;
  /** Every transfer from a payer to the seller, or to another payee. */
  transfers(payer: Address, payee?: Address): Promise<readonly Transfer[]>;
  stop(): Promise<void>;
}

/** How to start a deployment. */
export interface DeploymentOptions {
  /** Processes behind hosted and public together, and behind self-built; two share a PostgreSQL. */
  readonly processes?: 1 | 2;
  readonly selfBuilt?: boolean;
  readonly buyers?: number;
  readonly blockTimeSeconds?: number;
  /** Settings of the facilitators that differ from the usual ones. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The test network: its keys and its USDC are worth nothing. */
export const chainId = 51;

/** The same in CAIP-2 form. */
export const network = "eip155:51";

/** keccak256 of `Transfer(address,address,uint256)`. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

/** Starts a deployment; everything that was started is stopped again when a part of it fails. */
export async function startDeployment(options: DeploymentOptions = {}): Promise<Deployment> {
  const stack = new AsyncDisposableStack();
  try {
    return await openDeployment(stack, options);
  } catch (error) {
    await stack.disposeAsync();
    throw error;
  }
}

async function openDeployment(
  stack: AsyncDisposableStack,
  {
    processes = 1,
    selfBuilt = false,
    buyers = 64,
    blockTimeSeconds = 1,
    env = {},
  }: DeploymentOptions,
): Promise<Deployment> {
  // A wallet for each process, and one for the self-built facilitator.
  const devnet = await startDevnet({ chainId, blockTimeSeconds, buyers, relayers: 3 });
  stack.defer(() => devnet.stop());
  const folder = mkdtempSync(join(tmpdir(), "farthing-interop-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const databaseUrl = await openDatabase(stack, join(folder, "deployment.db"), processes);
  const apiKey = await keyIn(databaseUrl, devnet.seller.address);
  const settings = (relayers: readonly DevnetWallet[], database: string) => ({
    [`FARTHING_RPC_${chainId}`]: devnet.rpcUrl,
    FARTHING_RELAYER_KEYS: relayers.map(({ privateKey }) => privateKey).join(","),
    DATABASE_URL: database,
    // Everything comes from one address; a scenario about limits sets its own.
    FARTHING_RATE_LIMIT: "0",
    ...env,
  });
  const [first, second, third] = devnet.relayers;
  if (!first || !second || !third) throw new Error("The devnet lacks relayer wallets.");
  const url = await startProcesses(stack, processes, settings([first, second], databaseUrl));
  let selfBuiltUrl = url;
  if (selfBuilt) {
    const database = await openDatabase(stack, join(folder, "self-built.db"), processes);
    const env = settings([third], database);
    selfBuiltUrl = await startProcesses(stack, processes, env, ["--self-built"]);
  }
  const unspent = [...devnet.buyers];
  return {
    devnet,
    surfaces: {
      hosted: { url: `${url}/api/facilitator` },
      public: { url, apiKey },
      "self-built": { url: selfBuiltUrl },
    },
    newBuyer() {
      const buyer = unspent.shift();
      if (!buyer) throw new Error("Every buyer of the devnet is taken; start it with more.");
      return buyer;
    },
    transfers: (payer, payee = devnet.seller.address) => readTransfers(devnet, payer, payee),
    stop: () => stack.disposeAsync(),
  };
}

async function openDatabase(stack: AsyncDisposableStack, file: string, processes: number) {
  if (processes === 1) return `sqlite:${file}`;
  const postgres = await startPostgres();
  stack.defer(() => postgres.stop());
  return postgres.databaseUrl;
}

/** Starts processes on one database; returns the address behind which all of them answer. */
async function startProcesses(
  stack: AsyncDisposableStack,
  processes: number,
  env: Readonly<Record<string, string>>,
  flags: readonly string[] = [],
): Promise<string> {
  const urls: string[] = [];
  for (let started = 0; started < processes; started++) {
    const facilitator = await startFacilitatorProcess(env, flags);
    stack.defer(() => facilitator.stop());
    urls.push(facilitator.url);
  }
  const [only, ...others] = urls;
  if (only === undefined) throw new Error("A deployment has at least one process.");
  if (others.length === 0) return only;
  const balancer = await startBalancer([only, ...others]);
  stack.defer(() => balancer.close());
  return balancer.url;
}

interface Log {
  readonly transactionHash: Hex;
  readonly data: Hex;
}

async function readTransfers({ rpc, token }: Devnet, payer: Address, payee: Address) {
  const topics = [transferTopic, asTopic(payer), asTopic(payee)];
  const logs = await rpc<Log[]>("eth_getLogs", [{ address: token, topics, fromBlock: "0x0" }]);
  return logs.map(({ transactionHash, data }) => ({
    transaction: transactionHash,
    amount: BigInt(data),
  }));
}

const asTopic = (address: Address) => `0x${address.slice(2).toLowerCase().padStart(64, "0")}`;
