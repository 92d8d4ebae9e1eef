/** One figure: a contender under a load, from outside. */
import type { Devnet } from "@farthing/devnet";
import { startContender, type Contender } from "./contenders.ts";
import { runLoad, type LoadResult } from "./load.ts";
import type { Mint } from "./payments.ts";
import type { Usage } from "./processes.ts";
import { startRpcTap } from "@farthing/lab/rpc-proxy";

/** What is measured. */
export interface Trial {
  readonly path: "/verify" | "/settle";
  readonly callers: number;
  /** Milliseconds that a tap adds to each of the node's answers; without it there is no tap. */
  readonly rpcDelayMs?: number;
  /** Every transaction gets a block at once, so that no closed loop waits for the next second. */
  readonly isAutomined?: true;
  readonly warmUpMs: number;
  readonly countMs: number;
}

/** A trial's figures for one contender. */
export interface Figures extends LoadResult {
  readonly contender: Contender;
  readonly trial: Trial;
  /** Server CPU for one good answer, in microseconds. */
  readonly cpuMicros: number | undefined;
  /** Resident memory at the end of counting. */
  readonly memoryMiB: number | undefined;
  /** JSON-RPC calls for one good answer; only with a tap. */
  readonly rpcCalls: number | undefined;
  /** Payments found on the chain and the transactions that carried them; only for settling. */
  readonly onChain: { readonly payments: number; readonly transactions: number } | undefined;
}

/** What trials share. */
export interface Stand {
  readonly devnet: Devnet;
  readonly mint: Mint;
}

/** Distinct payments that verifying goes round in: no contender remembers what it has verified. */
const verifyStock = 4_000;

/** Payments signed before a trial, per caller and second: three times what a block a second takes. */
const settleStockFactor = 3;
/** And for few callers. */
const settleStockMin = 200;
/** Where a block comes at once, per second: more than anvil makes blocks. */
const automineStock = 1_000;

/** Runs a trial. */
export async function measure(contender: Contender, trial: Trial, stand: Stand): Promise<Figures> {
  if (trial.isAutomined) await automine(stand.devnet, true);
  try {
    return await measureOn(contender, trial, stand);
  } finally {
    if (trial.isAutomined) await automine(stand.devnet, false);
  }
}

async function automine(devnet: Devnet, isOn: boolean): Promise<void> {
  await devnet.rpc("evm_setIntervalMining", [isOn ? 0 : devnet.blockTimeSeconds]);
  await devnet.rpc("evm_setAutomine", [isOn]);
}

async function measureOn(
  contender: Contender,
  trial: Trial,
  { devnet, mint }: Stand,
): Promise<Figures> {
  const tap =
    trial.rpcDelayMs === undefined ? undefined : await startRpcTap(devnet.rpcUrl, trial.rpcDelayMs);
  const next = stockOf(trial, mint);
  const server = await startContender(contender, devnet, tap?.url ?? devnet.rpcUrl);
  const firstBlock = await headOf(devnet);
  interface Mark {
    readonly usage: Usage | undefined;
    readonly calls: number;
  }
  const marks: Partial<Record<"begin" | "end", Mark>> = {};
  try {
    const { path, callers, warmUpMs, countMs } = trial;
    const result = await runLoad({
      url: server.url,
      path,
      callers,
      next,
      warmUpMs,
      countMs,
      onCounting(phase) {
        marks[phase] = { usage: server.usage(), calls: tap?.calls ?? 0 };
      },
    });
    const { begin, end } = marks;
    const cpuSeconds =
      begin?.usage && end?.usage ? end.usage.cpuSeconds - begin.usage.cpuSeconds : undefined;
    return {
      ...result,
      contender,
      trial,
      cpuMicros: cpuSeconds === undefined ? undefined : (cpuSeconds * 1e6) / result.good,
      memoryMiB: end?.usage?.memoryMiB,
      rpcCalls: tap && begin && end ? (end.calls - begin.calls) / result.good : undefined,
      onChain: path === "/settle" ? await paymentsSince(devnet, firstBlock + 1) : undefined,
    };
  } finally {
    await server.stop();
    await tap?.stop();
  }
}

function stockOf(trial: Trial, mint: Mint): () => string | undefined {
  const { path, callers, warmUpMs, countMs } = trial;
  if (path === "/verify") {
    const bodies = mint.make(verifyStock);
    let turn = 0;
    return () => bodies[turn++ % bodies.length];
  }
  const seconds = (warmUpMs + countMs) / 1000;
  const wanted = trial.isAutomined ? automineStock : callers * settleStockFactor;
  const bodies = mint.make(Math.max(settleStockMin, wanted * seconds));
  return () => bodies.pop();
}

/** keccak256 of `AuthorizationUsed(address,bytes32)`. */
const usedTopic = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";

/** The number of the newest block. */
export async function headOf(devnet: Devnet): Promise<number> {
  return Number(await devnet.rpc<string>("eth_blockNumber"));
}

/** The transactions since a block that used authorizations, and how many each. */
export async function usesSince(
  devnet: Devnet,
  block: number,
  until?: number,
): Promise<Map<string, number>> {
  const uses = new Map<string, number>();
  const last = until ?? (await headOf(devnet));
  // Block by block: a full one has thousands of events.
  for (let number = block; number <= last; number += 1) {
    const at = `0x${number.toString(16)}`;
    const filter = { address: devnet.token, fromBlock: at, toBlock: at, topics: [usedTopic] };
    const logs = await devnet.rpc<{ transactionHash: string }[]>("eth_getLogs", [filter]);
    for (const { transactionHash: hash } of logs) uses.set(hash, (uses.get(hash) ?? 0) + 1);
  }
  return uses;
}

async function paymentsSince(devnet: Devnet, block: number) {
  const uses = await usesSince(devnet, block);
  return { payments: [...uses.values()].reduce((sum, n) => sum + n, 0), transactions: uses.size };
}
