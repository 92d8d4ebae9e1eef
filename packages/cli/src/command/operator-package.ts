/** The operator's commands, run where their package is installed: only that needs a database. */
import type { CommandEntry, CommandModule } from "./command-table.ts";
import { ConfigurationError } from "./command-errors.ts";

const summaries = {
  serve: "verify and settle payments over HTTP",
  doctor: "check a configuration against its nodes, and say what to fix",
  keys: "create, list and revoke sellers' API keys",
  accounts: "list sellers' accounts, activate and deactivate them",
  credits: "review purchases of credits, grant credits, see balances",
  listings: "see an account's listings, block and unblock them",
  relayer: "show the relayer wallets, empty or replace one",
  backup: "copy the SQLite database to a new file",
  upgrade: "say what starting this version would change",
  recover: "record payments that the database has lost and the chain has",
  batcher: "deploy the batch contract for contract wallets (experimental)",
} as const;

type OperatorCommand = keyof typeof summaries;

/** A facilitator in the gateway's own process. */
export interface EmbeddedFacilitator {
  readonly url: string;
  readonly fetch: typeof fetch;
  /** The networks on which it settles. */
  readonly networks: readonly string[];
  /** The address of a node by network, which may have a key in it. */
  readonly nodes: ReadonlyMap<string, string>;
  stop(): Promise<void>;
}

/** What the operator's package exports by default. */
export interface OperatorPackage {
  readonly commands: Readonly<Record<OperatorCommand, () => Promise<CommandModule>>>;
  /** Starts a facilitator that opens no port, with these settings or those of the environment. */
  startEmbedded(
    signal: AbortSignal,
    settings?: Readonly<Record<string, string>>,
  ): Promise<EmbeddedFacilitator>;
}

/** The operator's lines of the help, with the way to load the module behind each. */
export function operatorCommands(
  load: (name: OperatorCommand) => Promise<CommandModule>,
): Readonly<Record<OperatorCommand, CommandEntry>> {
  const entry = (name: OperatorCommand): CommandEntry => ({
    summary: summaries[name],
    group: "Run a facilitator",
    nodeMin: "24.0",
    load: () => load(name),
  });
  return {
    serve: entry("serve"),
    doctor: entry("doctor"),
    keys: entry("keys"),
    accounts: entry("accounts"),
    credits: entry("credits"),
    listings: entry("listings"),
    relayer: entry("relayer"),
    backup: entry("backup"),
    upgrade: entry("upgrade"),
    recover: entry("recover"),
    batcher: entry("batcher"),
  };
}

/** Loads the package; throws a ConfigurationError that says how to install it. */
export async function loadOperator(what: string): Promise<OperatorPackage> {
  const name = "farthing-operator";
  try {
    import.meta.resolve(name);
  } catch (cause) {
    throw new ConfigurationError(
      `${what} needs the operator's package: install it beside this one with \`npm install ${name}\`, or with --global if farthing is installed globally.`,
      { cause },
    );
  }
  const { default: operator }: { default: OperatorPackage } = await import(name);
  return operator;
}
