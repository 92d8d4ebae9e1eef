/** `farthing mcp`: an MCP server over stdio with which an agent pays within its owner's limits. */
import { askAboveDefault } from "@farthing/buyer";
import { createAgentServer } from "@farthing/buyer/mcp-server";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { buyerVariables, defined, writeTo } from "@farthing/protocol";
import { Option, type Command } from "commander";
import { ConfigurationError, messageOf, UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { raisingCommand } from "../command/limit-table.ts";
import { parseHttpUrl } from "../input/http-url.ts";
import { payCommandLine } from "./pay-command-line.ts";
import { collect } from "./pay-request.ts";
import { agentKeyOption, readAgentKey } from "./agent-key.ts";
import { channelsOption, payerOptions, withLimit, type PayerFlags } from "./payer.ts";
import { rpcOption } from "../input/rpc-node.ts";

type PaysAs = "network" | "wallet" | "walletContract" | "rpcUrl" | "channels" | "agentKey";

interface Flags extends Pick<PayerFlags, PaysAs> {
  readonly askAbove?: string;
  readonly allowHost?: readonly string[];
  readonly facilitator?: string;
  readonly allowLocal?: boolean;
}

export function register(program: Command): void {
  program
    .command("mcp")
    .description(
      "Serves the Model Context Protocol on standard input and output: an agent looks up prices, fetches paid URLs and reads payments. No tool changes a limit, a list or the wallet.",
    )
    .option(
      "--ask-above <USDC>",
      `ask for your approval above this price (default ${askAboveDefault})`,
    )
    .addOption(channelsOption())
    .option("--allow-host <host>", "pay only this host; may be repeated", collect)
    .option(
      "--network <name>",
      "pay on this network only: xdc (eip155:50) or xdc-apothem (eip155:51)",
    )
    .option("--wallet <name>", "pay from this keystore; see `farthing wallet`")
    .option("--wallet-contract <address>", "pay from this ERC-1271 wallet; the key is its owner's")
    .addOption(agentKeyOption())
    .addOption(rpcOption("node to ask for balances, and for the outcome of open payments"))
    .addOption(
      new Option("--facilitator <url>", "facilitator whose listings are searched").env(
        buyerVariables.facilitatorUrl,
      ),
    )
    .option("--allow-local", "let the agent request this machine over plain http, for development")
    .addHelpText("after", helpText)
    .action(async (flags: Flags) => {
      process.exitCode = await serveAgent(flags, program.version() ?? "unknown");
    });
}

const helpText = `
Wallet, ledger and limits are those of \`farthing pay\`: see \`farthing wallet\`
and \`farthing ledger limits\`; the password of a keystore comes from
FARTHING_WALLET_PASSWORD or FARTHING_WALLET_PASSWORD_FILE. They are read at the
start; restart the server after a change.

Above --ask-above the agent's host asks for your approval; where it cannot, the
agent receives the \`farthing pay\` command for you to run. An agent that can use
your shell can run that command itself: give it another user, or no shell.`;

async function serveAgent(flags: Flags, version: string): Promise<ExitCode> {
  try {
    const { allowHost, askAbove, facilitator, allowLocal } = flags;
    const own = await payerOptions(flags, false);
    const limits = withLimit(own.limits ?? {}, "askAbove", "--ask-above", askAbove);
    const allow = { ...own.allow, ...(allowHost === undefined ? {} : { hosts: allowHost }) };
    const agentKey = readAgentKey(flags);
    const server = createAgentServer({
      version,
      ...defined({ agentKey }),
      buyer: { ...own, limits, allow },
      allowsLocal: allowLocal === true,
      raisingCommand,
      commandFor: (quote, input) => payCommandLine(quote, input, flags),
      ...(facilitator === undefined ? {} : { catalogueUrl: catalogueOf(facilitator) }),
    });
    const transport = new StdioServerTransport();
    const ended = untilClosed();
    await server.connect(transport);
    await ended;
    // Calls in progress are stopped; their payments are in the ledger.
    await server.close();
    return exitCodes.success;
  } catch (error) {
    writeTo(process.stderr, `farthing: ${messageOf(error)}\n`);
    if (error instanceof UsageError) return exitCodes.usage;
    return error instanceof ConfigurationError ? exitCodes.configuration : exitCodes.general;
  }
}

/** The host ends the server by closing its input, a person by Ctrl+C. */
function untilClosed(): Promise<void> {
  return new Promise((resolve) => {
    process.stdin.once("end", () => resolve());
    process.stdin.once("close", () => resolve());
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => resolve());
  });
}

function catalogueOf(text: string): string {
  const url = parseHttpUrl(text);
  if (url) return url.href;
  throw new UsageError("--facilitator must be the address of a facilitator, such as https://…");
}
