/** All commands of `farthing`, in the order of its help. */
import type { CommandTable } from "./command/command-table.ts";
import { loadOperator, operatorCommands } from "./command/operator-package.ts";

/** What writes to the ledger holds its lock, which is that of node:sqlite. */
const ledgerNodeMin = "22.13";
/** What the gateway and the local chain need. */
const serverNodeMin = "24.0";

const operator = operatorCommands(async (name) => {
  const { commands } = await loadOperator(`farthing ${name}`);
  return commands[name]();
});

export const commands: CommandTable = {
  pay: {
    group: "Buy",
    summary: "request a URL and pay the 402 within limits",
    nodeMin: ledgerNodeMin,
    load: () => import("./pay/pay.ts"),
  },
  inspect: {
    group: "Buy",
    summary: "show what a URL costs, with the result of every check",
    load: () => import("./pay/inspect.ts"),
  },
  find: {
    group: "Buy",
    summary: "find endpoints that can be paid for",
    load: () => import("./pay/find.ts"),
  },
  ledger: {
    group: "Buy",
    summary: "list, resume and reconcile payments; see and set limits",
    nodeMin: ledgerNodeMin,
    load: () => import("./ledger/ledger.ts"),
  },
  passes: {
    group: "Buy",
    summary: "list the passes that payments have bought",
    load: () => import("./ledger/passes.ts"),
  },
  balances: {
    group: "Buy",
    summary: "list the balances that payments have topped up",
    load: () => import("./ledger/balances.ts"),
  },
  channels: {
    group: "Buy",
    summary: "list, watch and empty payment channels; check their contract",
    nodeMin: ledgerNodeMin,
    load: () => import("./channels/channels.ts"),
  },
  receipts: {
    group: "Buy",
    summary: "list, export and verify the receipts of what was paid",
    load: () => import("./receipts/receipts.ts"),
  },
  wallet: {
    group: "Buy",
    summary: "create, import and choose encrypted wallets to pay from",
    load: () => import("./wallet/wallet-command.ts"),
  },
  "agent-key": {
    group: "Buy",
    summary: "create the key with which an agent proves to sellers who it is",
    load: () => import("./pay/agent-key.ts"),
  },
  mcp: {
    group: "Buy",
    summary: "pay for an agent: an MCP server over stdio, within your limits",
    nodeMin: ledgerNodeMin,
    load: () => import("./pay/mcp.ts"),
  },
  init: {
    group: "Sell",
    summary: "write a folder that runs: a seller, a gateway or an agent",
    load: () => import("./dev/init.ts"),
  },
  gateway: {
    group: "Sell",
    summary: "sell an existing API: a reverse proxy that charges",
    nodeMin: serverNodeMin,
    load: () => import("./gateway/gateway.ts"),
  },
  dev: {
    group: "Sell",
    summary: "sell a local API for test money: chain, facilitator, wallet, gateway and a page",
    nodeMin: serverNodeMin,
    load: () => import("./dev/dev.ts"),
  },
  account: {
    group: "Sell",
    summary: "sign in to a facilitator; keys, credits, listings, notices, members",
    load: () => import("./account/account.ts"),
  },
  refund: {
    group: "Sell",
    summary: "return money of a payment to its payer, signed by the payee",
    load: () => import("./account/refund.ts"),
  },
  ...operator,
  devnet: {
    group: "Develop",
    summary: "run a local chain with stand-in USDC",
    nodeMin: serverNodeMin,
    load: () => import("./dev/devnet.ts"),
  },
  conform: {
    group: "Develop",
    summary: "test an x402 facilitator, seller or buyer of any make",
    nodeMin: serverNodeMin,
    load: () => import("./conform/conform.ts"),
  },
};
