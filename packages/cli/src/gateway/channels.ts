/** `farthing gateway channels`: what the gateway's channels have earned, and what is left to payers. */
import {
  GatewayConfigError,
  inProcessFacilitator,
  loadGatewayConfig,
  openGatewayChannels,
  type GatewayChannels,
  type GatewayConfig,
} from "@farthing/gateway";
import { formatUsdc, isBytes32 } from "@farthing/protocol";
import type { Command } from "commander";
import { ConfigurationError, UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { loadOperator } from "../command/operator-package.ts";
import { runCommand } from "../command/run-command.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "../output/print-output.ts";
import { whileWaiting } from "../output/waiting.ts";
import { configDefault } from "./options.ts";

interface Flags extends PrintFlags {
  readonly config: string;
}

export function registerChannels(gateway: Command): void {
  const channels = gateway
    .command("channels")
    .description(
      "Collects what the payment channels of a gateway have earned, and gives back what is left in one. Reads the gateway's configuration and store, also while it runs. A facilitator with an apiKey claims by itself, and without one the gateway does.",
    );
  const add = (command: string, summary: string): Command =>
    addPrintFlags(channels.command(command))
      .description(summary)
      .option("-c, --config <file>", "the configuration", configDefault);
  add("list", "list channels with something to claim").action((flags: Flags) =>
    runCommand(() => withChannels(flags, list)),
  );
  add("claim", "claim what was charged of all channels, and send it to payTo").action(
    (flags: Flags) => runCommand(() => withChannels(flags, claim)),
  );
  add("refund", "claim what a channel was charged, and send the rest back to its payer")
    .argument("<channel>", "the channel's id, 0x and 64 hexadecimal digits")
    .action((id: string, flags: Flags) => runCommand(() => refund(id, flags)));
}

type Work = (channels: GatewayChannels, flags: Flags) => Promise<ExitCode>;

async function withChannels(flags: Flags, work: Work): Promise<ExitCode> {
  const config = read(flags.config);
  const stack = new AsyncDisposableStack();
  try {
    const channels = openGatewayChannels(config, await startEmbedded(config, stack));
    if (!channels) {
      throw new ConfigurationError(
        "The channels are in the memory of the gateway that runs. Use store: sqlite:./gateway.db.",
      );
    }
    stack.defer(() => channels.close());
    return await work(channels, flags);
  } finally {
    await stack.disposeAsync();
  }
}

function read(file: string): GatewayConfig {
  try {
    return loadGatewayConfig(file, process.env);
  } catch (error) {
    if (!(error instanceof GatewayConfigError)) throw error;
    throw new ConfigurationError(error.message, { cause: error });
  }
}

async function startEmbedded({ facilitators }: GatewayConfig, stack: AsyncDisposableStack) {
  if (!facilitators.some(({ kind }) => kind === "embedded")) return undefined;
  const operator = await loadOperator("The embedded facilitator");
  const embedded = await operator.startEmbedded(new AbortController().signal);
  stack.defer(() => embedded.stop());
  return inProcessFacilitator(embedded);
}

/** Channels that are read at once. */
const pageSize = 100;

async function list(channels: GatewayChannels, flags: Flags): Promise<ExitCode> {
  const objects: object[] = [];
  for (let afterId: string | undefined = ""; afterId !== undefined;) {
    const page = await channels.unclaimed(afterId, pageSize);
    for (const { id, network, config, charged, state } of page) {
      const left = state.balance - charged;
      objects.push({
        channelId: id,
        network,
        payer: config.payer,
        chargedUsdc: formatUsdc(charged),
        unclaimedUsdc: formatUsdc(charged - state.totalClaimed),
        leftUsdc: formatUsdc(left > 0n ? left : 0n),
      });
    }
    afterId = page.at(-1)?.id;
  }
  const rows = objects.map((one) => ({ ...one }));
  printList(objects, rows, "No channel has something to claim.", flags, { whole: ["channelId"] });
  return exitCodes.success;
}

async function claim(channels: GatewayChannels, flags: Flags): Promise<ExitCode> {
  const { claims, sweeps } = await whileWaiting("Claiming", () => channels.claim());
  const objects = [
    ...claims.map(({ units, channelIds, ...call }) => ({
      what: "claim",
      channels: channelIds.length,
      amountUsdc: formatUsdc(units),
      ...call,
    })),
    ...sweeps.map(({ units, ...call }) => ({
      what: "sweep",
      amountUsdc: formatUsdc(units),
      ...call,
    })),
  ];
  const rows = objects.map((one) => ({ ...one }));
  printList(objects, rows, "Nothing to claim.", flags, { wide: ["network", "transaction"] });
  const isDone = objects.every(({ outcome }) => outcome === "done");
  return isDone ? exitCodes.success : exitCodes.general;
}

async function refund(id: string, flags: Flags): Promise<ExitCode> {
  if (!isBytes32(id)) throw new UsageError("A channel's id is 0x and 64 hexadecimal digits.");
  return withChannels(flags, async (channels) => {
    const report = await whileWaiting("Refunding", () => channels.refund(id));
    if ("units" in report) {
      const { units, ...call } = report;
      printOne({ ...call, amountUsdc: formatUsdc(units) }, flags);
      return report.outcome === "done" ? exitCodes.success : exitCodes.general;
    }
    const [sentence, code] = notRefunded[report.outcome];
    console.error(sentence);
    return code;
  });
}

const notRefunded = {
  unknown: ["The gateway's store has no such channel.", exitCodes.notFound],
  busy: ["A request of the channel is under way. Try again in a moment.", exitCodes.general],
  empty: ["Nothing is left in the channel.", exitCodes.success],
} as const;
