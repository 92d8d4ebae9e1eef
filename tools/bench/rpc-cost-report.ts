/** The section of the report about what a node is asked. */
import type { RpcCost } from "./rpc-cost.ts";
import { short, table } from "./report-table.ts";

/** Its heading: what is replaced when only this part is measured again. */
const heading = "## What a node is asked";

/** Writes the section. */
export function rpcCostSection(costs: readonly RpcCost[]): string {
  const rows = costs.map(({ load, settled, minutes, requests, calls }) => [
    load.name,
    `${load.wallets}`,
    settled.toLocaleString("en"),
    short(requests / minutes),
    short(calls / minutes),
    settled === 0 ? "" : short(requests / settled),
    settled === 0 ? "" : short(calls / settled),
  ]);
  const head = [
    "load",
    "wallets",
    "settled",
    "HTTP requests a minute",
    "calls a minute",
    "requests per payment",
    "calls per payment",
  ];
  return [
    heading,
    "",
    "`npm run bench -- --rpc` measures this part alone. The table counts HTTP requests and JSON-RPC calls (each member of a batch is one) to one endpoint without limits, on a chain with a block every 2 s. Every payment is verified and then settled, as a seller does. Polls for new blocks are included.",
    "",
    table(head, rows),
    "",
    "The calls per payment by method, polls included. Without the batch contract, a payment of a contract wallet is simulated and estimated alone; with it, two `eth_call` of the whole batch replace this.",
    "",
    table(["load", ...methods, "other"], costs.filter(hasPayments).map(methodRow)),
    "",
  ].join("\n");
}

/** Those that settling asks; the rest is a few calls at the start. */
const methods = [
  "eth_call",
  "eth_estimateGas",
  "eth_sendRawTransaction",
  "eth_getTransactionReceipt",
  "eth_getLogs",
  "eth_getBlockByNumber",
  "eth_getTransactionCount",
  "eth_getBalance",
  "eth_gasPrice",
];

const hasPayments = ({ settled }: RpcCost) => settled > 0;

function methodRow({ load, settled, calls, callsOf }: RpcCost): string[] {
  const named = methods.map((method) => callsOf.get(method) ?? 0);
  const other = named.reduce((rest, count) => rest - count, calls);
  return [load.name, ...[...named, other].map((count) => short(count / settled))];
}

/** A page with its section replaced, or added before the last one. */
export function withRpcCosts(page: string, costs: readonly RpcCost[]): string {
  const section = rpcCostSection(costs);
  const start = page.indexOf(heading);
  const next = page.indexOf("\n## ", start + 1);
  if (start >= 0) return page.slice(0, start) + section + (next < 0 ? "" : page.slice(next));
  const last = page.lastIndexOf("\n## ");
  return last < 0
    ? `${page}\n${section}`
    : `${page.slice(0, last + 1)}${section}${page.slice(last)}`;
}
