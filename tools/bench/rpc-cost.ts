/** What a node is asked while the service is idle and while it settles: at rest, at a rate, at full load. */
import { setTimeout as pause } from "node:timers/promises";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { startOrdinaryNode, type RunningNode } from "@farthing/lab/ordinary-node";
import { isObject } from "@farthing/protocol";
import { farthingWallets, startFarthing } from "./contenders.ts";
import { openMint, type Mint } from "./payments.ts";
import type { Server } from "./processes.ts";
import { openMints, withBatchContract, type PayerKind } from "./safe-payers.ts";

/** A way of paying. */
export interface RpcLoad {
  readonly name: string;
  readonly wallets: number;
  readonly seconds: number;
  /** Payments that begin each second; zero for none. */
  readonly perSecond?: number;
  /** Or payments that are under way at any time. */
  readonly inFlight?: number;
  /** Default: plain. */
  readonly payer?: PayerKind;
  readonly hasBatchContract?: boolean;
  /** Milliseconds after the start that do not count. */
  readonly settleDownMs?: number;
}

/** What the node was asked meanwhile. */
export interface RpcCost {
  readonly load: RpcLoad;
  readonly settled: number;
  /** Until the last payment was told. */
  readonly minutes: number;
  readonly requests: number;
  /** JSON-RPC calls; each member of a batch is one. */
  readonly calls: number;
  /** Calls by JSON-RPC method. */
  readonly callsOf: ReadonlyMap<string, number>;
}

/** From an operator's quiet night to more than one wallet can carry. */
export const rpcLoads: readonly RpcLoad[] = [
  { name: "idle", wallets: 1, seconds: 60 },
  { name: "a payment each 5 s", wallets: 1, seconds: 60, perSecond: 0.2 },
  { name: "1 payment a second", wallets: 1, seconds: 60, perSecond: 1 },
  { name: "10 payments a second", wallets: 1, seconds: 30, perSecond: 10 },
  { name: "1,000 in flight", wallets: farthingWallets, seconds: 20, inFlight: 1_000 },
  ...[false, true].flatMap((hasBatchContract): RpcLoad[] => {
    const payer = "Safe 1/1";
    const ofSafes = { payer, hasBatchContract } as const;
    const by = `${payer}, ${hasBatchContract ? "with" : "without"} the batch contract`;
    return [
      { name: `1 payment a second, ${by}`, wallets: 1, seconds: 60, perSecond: 1, ...ofSafes },
      {
        name: `1,000 in flight, ${by}`,
        wallets: farthingWallets,
        seconds: 20,
        inFlight: 1_000,
        ...ofSafes,
      },
    ];
  }),
];

/** Payers of each kind that is not plain: more than are under way, since each pays one at a time. */
const safesOfAKind = 1_500;

/** What is asked at the start does not count. */
const settleDownDefaultMs = 15_000;

/** Looks at a settlement before it is called lost; each waits for up to 20 s. */
const maxLooks = 6;
const lookSeconds = 20;

/** Measures each load on a chain of its own with XDC's block period. */
export async function measureRpcCosts(loads = rpcLoads): Promise<RpcCost[]> {
  const costs: RpcCost[] = [];
  const devnet = await startDevnet({ buyers: 500, relayers: farthingWallets });
  try {
    const mints = loads.some(({ payer }) => payer !== undefined)
      ? await openMints(devnet, safesOfAKind)
      : { plain: await openMint(devnet) };
    for (const load of loads) costs.push(await measureOne(load, devnet, mints));
  } finally {
    await devnet.stop();
  }
  return costs;
}

type Mints = Readonly<Partial<Record<PayerKind, Mint>>>;

async function measureOne(load: RpcLoad, devnet: Devnet, mints: Mints): Promise<RpcCost> {
  const { payer = "plain", hasBatchContract = false, wallets } = load;
  const mint = mints[payer];
  if (!mint) throw new Error(`No ${payer} payers are open`);
  const settings = {
    FARTHING_REVERTED_GAS_PER_DAY: "0",
    ...(hasBatchContract ? withBatchContract(devnet) : {}),
  };
  const node = await startOrdinaryNode(devnet.rpcUrl);
  const server = await startFarthing(devnet, node.url, wallets, settings);
  try {
    await pause(load.settleDownMs ?? settleDownDefaultMs);
    return await countDuring(load, { node, server, mint });
  } finally {
    await server.stop();
    await node.stop();
  }
}

interface Setting {
  readonly node: RunningNode;
  readonly server: Server;
  readonly mint: Mint;
}

async function countDuring(load: RpcLoad, { node, server, mint }: Setting): Promise<RpcCost> {
  node.record.reset();
  const startMs = performance.now();
  const outcomes = await payDuring(load, server.url, mint);
  const minutes = (performance.now() - startMs) / 60_000;
  const settled = outcomes.filter(Boolean).length;
  const { record } = node;
  const methods = record.exchanges.flatMap((exchange) => exchange.methods);
  const callsOf = new Map(
    [...Map.groupBy(methods, (method) => method)].map(([method, { length }]) => [method, length]),
  );
  return { load, settled, minutes, requests: record.requests(), calls: record.calls(), callsOf };
}

/** Resolves when all are told; whether each was settled. */
export async function payDuring(
  load: Pick<RpcLoad, "seconds" | "perSecond" | "inFlight">,
  url: string,
  mint: Mint,
): Promise<boolean[]> {
  const { seconds, perSecond = 0, inFlight } = load;
  const untilMs = performance.now() + seconds * 1_000;
  if (inFlight !== undefined) {
    const outcomes: boolean[] = [];
    const caller = async () => {
      while (performance.now() < untilMs) outcomes.push(await pay(url, mint));
    };
    await Promise.all(Array.from({ length: inFlight }, caller));
    return outcomes;
  }
  const paying: Promise<boolean>[] = [];
  for (let paid = 0; paid < seconds * perSecond; paid++) {
    paying.push(pay(url, mint));
    await pause(1_000 / perSecond);
  }
  await pause(Math.max(0, untilMs - performance.now()));
  return Promise.all(paying);
}

/** Verifies and settles as a seller does; true when it is confirmed. */
async function pay(url: string, mint: Mint): Promise<boolean> {
  const [body = ""] = mint.make(1);
  if ((await post(`${url}/verify`, body))["isValid"] !== true) return false;
  let told = await post(`${url}/settle`, body);
  for (let looks = 0; looks < maxLooks && told["status"] === "pending"; looks++) {
    const path = `/settlements/${String(told["id"])}?wait=${lookSeconds}`;
    told = { ...told, ...(await readJson(await fetch(`${url}${path}`))) };
  }
  return told["status"] === "confirmed" || told["success"] === true;
}

async function post(url: string, body: string): Promise<Record<string, unknown>> {
  const headers = { "content-type": "application/json" };
  return readJson(await fetch(url, { method: "POST", headers, body }));
}

async function readJson(response: Response): Promise<Record<string, unknown>> {
  const body: unknown = await response.json();
  return isObject(body) ? body : {};
}
