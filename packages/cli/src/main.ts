/**
 * The farthing command. Each subcommand lives in a module of its own that exports
 * `register(program)`; only the module that is asked for is loaded, so `farthing pay` does not
 * wait for the facilitator's database driver.
 */
import { readFileSync } from "node:fs";
import { writeTo } from "@farthing/protocol";
import { Command, CommanderError } from "commander";
import { exitCodes } from "./exit-codes.ts";
import { isReaderGone } from "./terminal.ts";

/** A module of a subcommand. */
export interface CommandModule {
  /** Adds the subcommand, its options and its action. */
  register(program: Command): void;
}

interface Entry {
  readonly summary: string;
  readonly load: () => Promise<CommandModule>;
}

/** Every subcommand, in the order of the help. */
const commands: Readonly<Record<string, Entry>> = {
  serve: {
    summary: "verify and settle payments over HTTP",
    load: () => import("./serve.ts"),
  },
  gateway: {
    summary: "sell an existing API: a reverse proxy that charges",
    load: () => import("./gateway.ts"),
  },
  doctor: {
    summary: "check a configuration against its nodes, and say what to fix",
    load: () => import("./doctor.ts"),
  },
  keys: {
    summary: "create, list and revoke sellers' API keys",
    load: () => import("./keys.ts"),
  },
  accounts: {
    summary: "list sellers' accounts, activate and deactivate them",
    load: () => import("./accounts.ts"),
  },
  credits: {
    summary: "review purchases of credits, grant credits, see balances",
    load: () => import("./credits.ts"),
  },
  listings: {
    summary: "see an account's listings, block and unblock them",
    load: () => import("./listings.ts"),
  },
  backup: {
    summary: "copy the SQLite database to a new file",
    load: () => import("./backup.ts"),
  },
  find: {
    summary: "find endpoints that can be paid for",
    load: () => import("./find.ts"),
  },
  pay: {
    summary: "request a URL and pay the 402 within limits",
    load: () => import("./pay.ts"),
  },
  inspect: {
    summary: "show what a URL costs, with the verdict of every check",
    load: () => import("./inspect.ts"),
  },
  ledger: {
    summary: "list, resume and reconcile payments; see and set limits",
    load: () => import("./ledger.ts"),
  },
  receipts: {
    summary: "list, export and verify the receipts of what was paid",
    load: () => import("./receipts.ts"),
  },
  wallet: {
    summary: "create, import and choose encrypted wallets to pay from",
    load: () => import("./wallet-command.ts"),
  },
  mcp: {
    summary: "pay for an agent: an MCP server over stdio, within your limits",
    load: () => import("./mcp.ts"),
  },
  devnet: {
    summary: "run a local chain with stand-in USDC",
    load: () => import("./devnet.ts"),
  },
};

function version(): string {
  const file = readFileSync(new URL("../package.json", import.meta.url), "utf8");
  const parsed: unknown = JSON.parse(file);
  const isNamed = typeof parsed === "object" && parsed !== null && "version" in parsed;
  return isNamed ? String(parsed.version) : "unknown";
}

async function createProgram(asked: string | undefined): Promise<Command> {
  const program = new Command("farthing")
    .description("x402 payments in USDC on XDC")
    .version(version())
    .helpCommand(false)
    .exitOverride();
  for (const [name, entry] of Object.entries(commands)) {
    if (name === asked) (await entry.load()).register(program);
    // For the list in the help; it is never run.
    else program.command(name).summary(entry.summary).description(entry.summary);
  }
  return program;
}

/** Runs the command and sets the exit code; anything unforeseen is one line on stderr and a 1. */
async function run(args: readonly string[]): Promise<void> {
  try {
    const program = await createProgram(args[0]);
    if (args.length === 0) {
      program.outputHelp({ error: true });
      process.exitCode = exitCodes.usage;
      return;
    }
    await program.parseAsync([...args], { from: "user" });
  } catch (error) {
    // Commander has printed its message; help and version end with 0, all else is usage.
    if (error instanceof CommanderError) {
      process.exitCode = error.exitCode === 0 ? exitCodes.success : exitCodes.usage;
      return;
    }
    writeTo(
      process.stderr,
      `farthing: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = exitCodes.general;
  }
}

// The reader may leave before the end (`farthing doctor | head`), which is not an error.
for (const stream of [process.stdout, process.stderr]) {
  stream.on("error", (error) => {
    if (!isReaderGone(error)) throw error;
  });
}

await run(process.argv.slice(2));
