/**
 * The programs that are measured as buyers: `node client-process.ts <role> <key> <node's url> <file>`.
 * Each loads the client of its role alone, so that its memory is that of the client. It listens for
 * one command, `run` with the members of a window: it then requests an address in a closed loop and
 * responds with what a request took.
 *
 * | role     | what requests                                                             |
 * | -------- | ------------------------------------------------------------------------- |
 * | `plain`  | Node's own `fetch`                                                        |
 * | `stock`  | `@x402/fetch` with the scheme of `@x402/evm`                              |
 * | `memory` | `wrapFetch` with its default ledger and no node                           |
 * | `node`   | the same, and asks a node for the balance, as it does unless told not to  |
 * | `file`   | `wrapFetch` with the ledger in the file and no node                       |
 */
import { performance } from "node:perf_hooks";
import type { Ledger } from "@farthing/buyer";
import { isBytes32, type Hex } from "@farthing/protocol";
import { percentile } from "../load.ts";
import { serveCommands } from "./command-server.ts";
import type { WindowFigures } from "./race.ts";

export type ClientRole = keyof typeof roles;

type Send = (url: string) => Promise<Response>;

/** Both clients sign with it. */
async function accountOf(key: Hex) {
  const { privateKeyToAccount } = await import("viem/accounts");
  return privateKeyToAccount(key);
}

/** Limits that no run reaches and that are checked all the same; five at once is the default. */
const limits = { perDay: "1000000", openPayments: 1_000, openPaymentsPerHost: 1_000 };

async function ours(key: Hex, rpcUrl: string, ledger?: Ledger): Promise<Send> {
  const { wrapFetch } = await import("@farthing/buyer");
  const signer = await accountOf(key);
  return wrapFetch(fetch, { signer, limits, rpcUrl, ...(ledger && { ledger }) });
}

const roles = {
  plain: async () => (url) => fetch(url),
  async stock(key) {
    const { wrapFetchWithPayment, x402Client } = await import("@x402/fetch");
    const { ExactEvmScheme } = await import("@x402/evm");
    const scheme = new ExactEvmScheme(await accountOf(key));
    return wrapFetchWithPayment(fetch, new x402Client().register("eip155:50", scheme));
  },
  memory: (key) => ours(key, "none"),
  node: (key, nodeUrl) => ours(key, nodeUrl),
  async file(key, _nodeUrl, path) {
    const { fileLedger } = await import("@farthing/buyer/file-ledger");
    return ours(key, "none", fileLedger(path));
  },
} satisfies Record<string, (key: Hex, nodeUrl: string, path: string) => Promise<Send>>;

function isRole(name: string | undefined): name is ClientRole {
  return name !== undefined && Object.hasOwn(roles, name);
}

/** Warms up, and measures from idle to idle, so that time and CPU are those of whole requests. */
async function run(send: Send, input: URLSearchParams): Promise<WindowFigures> {
  const window = { url: input.get("url") ?? "", atOnce: Number(input.get("atOnce")) };
  await requestFor(Number(input.get("warmUpMs")), send, window);
  const [cpu, atMs] = [process.cpuUsage(), performance.now()];
  const latencies = await requestFor(Number(input.get("countMs")), send, window);
  const seconds = (performance.now() - atMs) / 1_000;
  const { user, system } = process.cpuUsage(cpu);
  const sorted = latencies.toSorted((one, other) => one - other);
  return {
    perSecond: sorted.length / seconds,
    good: sorted.length,
    p50Ms: percentile(sorted, 0.5),
    p99Ms: percentile(sorted, 0.99),
    cpuMicros: (user + system) / sorted.length,
    memoryMiB: process.memoryUsage.rss() / 2 ** 20,
  };
}

/** Returns the latencies. Throws for a response that is not good: it would be quicker than others. */
async function requestFor(
  milliseconds: number,
  send: Send,
  { url, atOnce }: { readonly url: string; readonly atOnce: number },
): Promise<number[]> {
  const latencies: number[] = [];
  const endMs = performance.now() + milliseconds;
  const caller = async (): Promise<void> => {
    while (performance.now() < endMs) {
      const sentMs = performance.now();
      const response = await send(url);
      const body = await response.text();
      if (!response.ok) throw new Error(`HTTP ${response.status} for ${url}: ${body}`);
      latencies.push(performance.now() - sentMs);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, caller));
  return latencies;
}

if (import.meta.main) {
  const [role, key, nodeUrl = "", path = ""] = process.argv.slice(2);
  if (!isRole(role)) throw new Error(`Give one of ${Object.keys(roles).join(", ")}.`);
  if (!isBytes32(key)) throw new Error("Give a private key.");
  const send = await roles[role](key, nodeUrl, path);
  serveCommands({ run: (input) => run(send, input) });
}
