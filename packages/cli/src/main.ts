/** The farthing command: what buyers and sellers run, and the operator's commands where installed. */
import { loadOperator, operatorCommands } from "./operator-package.ts";
import { runProgram } from "./program.ts";

/** What writes to the ledger holds its lock, which is that of node:sqlite. */
const ledgerNodeMin = "22.13";
/** What the gateway and the local chain need. */
const serverNodeMin = "24.0";

const { serve, ...operator } = operatorCommands(async (name) => {
  const { commands } = await loadOperator(`farthing ${name}`);
  return commands[name]();
});

await runProgram(
  "farthing",
  "x402 payments in USDC on XDC",
  new URL("../package.json", import.meta.url),
  {
    serve,
    init: {
      summary: "write a folder that runs: a seller, a gateway or an agent",
      load: () => import("./init.ts"),
    },
    gateway: {
      summary: "sell an existing API: a reverse proxy that charges",
      nodeMin: serverNodeMin,
      load: () => import("./gateway.ts"),
    },
    dev: {
      summary: "sell a local API for test money: chain, facilitator, wallet, gateway and a page",
      nodeMin: serverNodeMin,
      load: () => import("./dev.ts"),
    },
    ...operator,
    find: {
      summary: "find endpoints that can be paid for",
      load: () => import("./find.ts"),
    },
    pay: {
      summary: "request a URL and pay the 402 within limits",
      nodeMin: ledgerNodeMin,
      load: () => import("./pay.ts"),
    },
    inspect: {
      summary: "show what a URL costs, with the result of every check",
      load: () => import("./inspect.ts"),
    },
    ledger: {
      summary: "list, resume and reconcile payments; see and set limits",
      nodeMin: ledgerNodeMin,
      load: () => import("./ledger.ts"),
    },
    passes: {
      summary: "list the passes that payments have bought",
      load: () => import("./passes.ts"),
    },
    balances: {
      summary: "list the balances that payments have topped up",
      load: () => import("./balances.ts"),
    },
    receipts: {
      summary: "list, export and verify the receipts of what was paid",
      load: () => import("./receipts.ts"),
    },
    account: {
      summary: "sign in to a facilitator; keys, credits, listings and webhooks",
      load: () => import("./account.ts"),
    },
    refund: {
      summary: "return money of a payment to its payer, signed by the payee",
      load: () => import("./refund.ts"),
    },
    wallet: {
      summary: "create, import and choose encrypted wallets to pay from",
      load: () => import("./wallet-command.ts"),
    },
    mcp: {
      summary: "pay for an agent: an MCP server over stdio, within your limits",
      nodeMin: ledgerNodeMin,
      load: () => import("./mcp.ts"),
    },
    devnet: {
      summary: "run a local chain with stand-in USDC",
      nodeMin: serverNodeMin,
      load: () => import("./devnet.ts"),
    },
  },
);
