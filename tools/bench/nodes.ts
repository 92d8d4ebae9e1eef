/** Payments at a steady rate over nodes that are slow, half broken, silent for a minute or lying. */
import { setTimeout as pause } from "node:timers/promises";
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  startOrdinaryNode,
  type NodeConditions,
  type RunningNode,
} from "@farthing/lab/ordinary-node";
import { isObject } from "@farthing/protocol";
import { startFarthing } from "./contenders.ts";
import { percentile } from "./load.ts";
import { openMint, type Mint } from "./payments.ts";

/** Endpoints, in the order of the setting, and what happens to the first one meanwhile. */
export interface NodeRow {
  readonly name: string;
  readonly endpoints: readonly NodeConditions[];
  /** The first endpoint answers nothing for this long, from a third of the run on. */
  readonly silentSeconds?: number;
}

/** What was measured. */
export interface NodeFigures {
  readonly row: NodeRow;
  readonly paid: number;
  readonly confirmed: number;
  /** Milliseconds from `/settle` to the answer that tells the outcome, repeats and polls included. */
  readonly p50Ms: number;
  readonly p95Ms: number;
  /** JSON-RPC calls a payment, of all endpoints. */
  readonly calls: number;
  /** What `/ready` said, by seconds from the start, each time that it changed. */
  readonly ready: readonly { readonly atSeconds: number; readonly isReady: boolean }[];
  /** The commonest answer that was neither a success nor "pending". */
  readonly complaint: string | undefined;
}

export interface NodePlan {
  readonly perSecond: number;
  readonly seconds: number;
  readonly wallets: number;
}

/** What the findings were made with; a row takes a minute. */
export const nodePlan: NodePlan = { perSecond: 8, seconds: 30, wallets: 1 };

const slowMs = 1_500;
const halfBroken = { failingShare: 0.45 };

/** All rows; the names of the ones that are wanted select among them. */
export const nodeRows: readonly NodeRow[] = [
  { name: "one good", endpoints: [{}] },
  { name: "one at 300 ms", endpoints: [{ latencyMs: 300 }] },
  { name: "one at 600 ms", endpoints: [{ latencyMs: 600 }] },
  { name: "one at 1.5 s", endpoints: [{ latencyMs: slowMs }] },
  { name: "two at 1.5 s", endpoints: [{ latencyMs: slowMs }, { latencyMs: slowMs }] },
  { name: "one that fails 45 %", endpoints: [halfBroken] },
  { name: "good, second fails 45 %", endpoints: [{}, halfBroken] },
  { name: "good, second at 1.5 s", endpoints: [{}, { latencyMs: slowMs }] },
  { name: "one silent for 20 s", endpoints: [{}], silentSeconds: 20 },
  { name: "liar first", endpoints: [{ logs: { areAlwaysEmpty: true } }, {}] },
];

/** What is asked at the start does not count. */
const settleDownMs = 8_000;

/** A payment without an outcome after this long is counted with this time. */
const withinMs = 90_000;

/** A caller's pause before it repeats what was answered with 503. */
const repeatMs = 500;

/** Pause between two looks at `/ready`. */
const readyLookMs = 250;

/** Measures rows one after the other, on one chain with XDC's block period. */
export async function measureNodes(
  rows: readonly NodeRow[],
  plan: NodePlan,
  tell: (line: string) => void,
): Promise<NodeFigures[]> {
  const devnet = await startDevnet({ buyers: 200, relayers: plan.wallets });
  try {
    const mint = await openMint(devnet);
    const figures: NodeFigures[] = [];
    for (const row of rows) {
      figures.push(await measureRow(row, plan, { devnet, mint }));
      tell(lineOf(figures.at(-1)));
    }
    return figures;
  } finally {
    await devnet.stop();
  }
}

async function measureRow(
  row: NodeRow,
  plan: NodePlan,
  { devnet, mint }: { readonly devnet: Devnet; readonly mint: Mint },
): Promise<NodeFigures> {
  await using stack = new AsyncDisposableStack();
  const nodes: RunningNode[] = [];
  for (const _ of row.endpoints) {
    const node = await startOrdinaryNode(devnet.rpcUrl);
    stack.defer(() => node.stop());
    nodes.push(node);
  }
  const urls = nodes.map(({ url }) => url).join(",");
  const server = await startFarthing(devnet, urls, plan.wallets);
  stack.defer(async () => void (await server.stop()));
  await becomesReady(server.url);
  // The start is measured elsewhere; here a service runs, and its nodes become what they are.
  for (const [at, node] of nodes.entries()) node.conditions = row.endpoints[at] ?? {};
  await pause(settleDownMs);
  for (const { record } of nodes) record.reset();
  const ended = new AbortController();
  const watching = watchReady(server.url, ended.signal);
  const silencing = silence(row, plan, nodes[0]);
  const bodies = mint.make(plan.perSecond * plan.seconds);
  const startMs = performance.now();
  const paying: Promise<Told>[] = [];
  for (const [at, body] of bodies.entries()) {
    await pause(Math.max(0, startMs + (at * 1_000) / plan.perSecond - performance.now()));
    paying.push(pay(server.url, body));
  }
  const told = await Promise.all(paying);
  const calls = nodes.reduce((sum, { record }) => sum + record.calls(), 0);
  await silencing;
  ended.abort();
  const sorted = told.map(({ ms }) => ms).toSorted((one, other) => one - other);
  const complaints = Map.groupBy(
    told.flatMap(({ complaint }) => complaint ?? []),
    (text) => text,
  );
  const [commonest] = [...complaints].toSorted(([, one], [, other]) => other.length - one.length);
  return {
    row,
    paid: told.length,
    confirmed: told.filter(({ isConfirmed }) => isConfirmed).length,
    p50Ms: percentile(sorted, 0.5),
    p95Ms: percentile(sorted, 0.95),
    calls: calls / told.length,
    ready: await watching,
    complaint: commonest && `${commonest[0]} (${commonest[1].length})`,
  };
}

async function silence(row: NodeRow, { seconds }: NodePlan, node: RunningNode | undefined) {
  if (row.silentSeconds === undefined || !node) return;
  await pause((seconds * 1_000) / 3);
  const before = node.conditions;
  node.conditions = { ...before, latencyMs: 60_000 };
  await pause(row.silentSeconds * 1_000);
  node.conditions = before;
}

interface Told {
  readonly ms: number;
  readonly isConfirmed: boolean;
  readonly complaint: string | undefined;
}

/** Settles as a seller does: repeats what could not be evaluated, and polls what is pending. */
async function pay(url: string, body: string): Promise<Told> {
  const startMs = performance.now();
  const leftMs = () => startMs + withinMs - performance.now();
  let complaint: string | undefined;
  const told = (isConfirmed: boolean) => ({
    ms: performance.now() - startMs,
    isConfirmed,
    complaint,
  });
  while (leftMs() > 0) {
    const { status, answer } = await post(`${url}/settle`, body, leftMs());
    if (answer["success"] === true || answer["status"] === "confirmed") return told(true);
    const why = reasonOf(answer) ?? `${status}`;
    if (status !== 503 && !why.includes("pending") && answer["status"] !== "pending") {
      complaint = why;
      return told(false);
    }
    if (status === 503) complaint = `503 ${why}`;
    if (status === 503) await pause(repeatMs);
  }
  return told(false);
}

function reasonOf(answer: Readonly<Record<string, unknown>>): string | undefined {
  const named = [answer["errorReason"], answer["code"], answer["error"]];
  return named.find((one) => typeof one === "string");
}

async function post(url: string, body: string, timeoutMs: number) {
  const headers = { "content-type": "application/json" };
  const signal = AbortSignal.timeout(Math.max(1, Math.ceil(timeoutMs)));
  try {
    const response = await fetch(url, { method: "POST", headers, body, signal });
    const answer: unknown = await response.json();
    return { status: response.status, answer: isObject(answer) ? answer : {} };
  } catch {
    return { status: 503, answer: { error: "no answer" } };
  }
}

/** A start that meets no fault takes seconds. */
const startMsMax = 60_000;

async function becomesReady(url: string): Promise<void> {
  const untilMs = performance.now() + startMsMax;
  while (performance.now() < untilMs) {
    const response = await fetch(`${url}/ready`).catch(() => undefined);
    if (response?.ok) return;
    await pause(readyLookMs);
  }
  throw new Error("The service did not become ready");
}

async function watchReady(url: string, signal: AbortSignal) {
  const startMs = performance.now();
  const changes: { atSeconds: number; isReady: boolean }[] = [];
  while (!signal.aborted) {
    const isReady = (await fetch(`${url}/ready`).catch(() => undefined))?.ok === true;
    if (changes.at(-1)?.isReady !== isReady) {
      changes.push({ atSeconds: (performance.now() - startMs) / 1_000, isReady });
    }
    await pause(readyLookMs);
  }
  return changes;
}

const secondsOf = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

function lineOf(figures: NodeFigures | undefined): string {
  if (!figures) return "";
  const { row, confirmed, paid, p50Ms, p95Ms, calls, ready, complaint } = figures;
  const states = ready.map(
    ({ atSeconds, isReady }) => `${atSeconds.toFixed(0)}s:${isReady ? "200" : "503"}`,
  );
  return `${row.name}: ${confirmed} of ${paid}, p50 ${secondsOf(p50Ms)}, p95 ${secondsOf(p95Ms)}, ${calls.toFixed(1)} calls a payment; /ready ${states.join(" ")}${complaint ? `; ${complaint}` : ""}`;
}
