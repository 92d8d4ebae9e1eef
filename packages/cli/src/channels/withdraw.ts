/** `farthing channels withdraw`: the way out of a channel without the seller, and what it costs. */
import {
  nodeCall,
  nodesOf,
  readChannelState,
  recordRead,
  type ChannelRecord,
  type ReadChannel,
} from "@farthing/buyer";
import { channelContract, findNetwork, formatUsdc, type Network } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { Command } from "commander";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { runCommand } from "../command/run-command.ts";
import { openLedger } from "../input/buyer-settings.ts";
import { demandNode, rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { timeOf } from "../ledger/ledger-report.ts";
import { formatXdc, gasCostText } from "../output/gas-cost.ts";
import { addPrintFlags, printReport, type PrintFlags } from "../output/print-output.ts";
import { whileWaiting } from "../output/waiting.ts";
import { findRecord, noSuchChannel } from "./ledger-channel.ts";

/** Measured with the published contract, for a payer who holds no USDC: 52,641 and 72,882. */
const initiateGas = 54_000n;
const finalizeGas = 74_000n;

export function registerWithdraw(channels: Command): void {
  addPrintFlags(channels.command("withdraw"))
    .summary("take back what is left without the seller: two transactions and their cost")
    .description(
      "Prints the two transactions by which the payer takes back what is left without the seller, what they cost in gas at the current price, and when the money is back.",
    )
    .argument("<channel-id>")
    .addOption(rpcOption("node to ask for the channel's state"))
    .action((id: string, flags: PrintFlags & NodeFlags) => runCommand(() => withdraw(id, flags)));
}

/** Wallets of every kind can send the calls; the command itself holds no gas and sends nothing. */
async function withdraw(id: string, flags: PrintFlags & NodeFlags): Promise<ExitCode> {
  const record = await findRecord(id);
  if (!record) return noSuchChannel(id);
  const network = findNetwork(record.network);
  if (!network) throw new Error(`The ledger names an unknown network ${record.network}.`);
  const nodes = nodesOf(demandNode(flags))(network);
  const [read, gasPrice] = await whileWaiting("Asking the chain for the channel", () =>
    Promise.all([readChannelState(fetch, nodes, network, record.channelId), readGasPrice(nodes)]),
  );
  if (!read || gasPrice === undefined) {
    console.error(`No node of ${network.id} answers; the channel's state is not known.`);
    return exitCodes.network;
  }
  const { balance, totalClaimed, withdrawing, withdrawRequestedAt } = read.state;
  const isStarted = withdrawing > 0n;
  const units = isStarted ? withdrawing : balance - totalClaimed;
  if (units <= 0n) {
    await recordEmpty(record, read);
    console.error("The channel has nothing left to withdraw on the chain.");
    return exitCodes.success;
  }
  const startedAt = isStarted ? withdrawRequestedAt : read.blockSeconds;
  const finalizableSeconds = startedAt + record.config.withdrawDelay;
  const promised = record.signedUnits - totalClaimed;
  const plan: Plan = {
    record,
    network,
    units,
    // The seller may claim what it was promised until the second one is mined.
    promisedUnits: promised > 0n ? promised : 0n,
    isStarted,
    finalizableSeconds,
    isFinalizable: isStarted && finalizableSeconds <= read.blockSeconds,
    gasPrice,
  };
  printReport(flags, objectOf(plan), () => textOf(plan));
  return exitCodes.success;
}

/**
 * The ledger learns nothing of a withdrawal by itself, and would show the money for ever. A block before
 * the last use may be from before the deposit.
 */
async function recordEmpty(
  { channelId, openDeposits, usedAt }: ChannelRecord,
  read: ReadChannel,
): Promise<void> {
  if (openDeposits.length > 0 || read.blockSeconds * 1000 <= usedAt) return;
  await openLedger().changeChannels?.((view) => recordRead(view, channelId, read));
}

/** In wei; undefined where no node answers. */
async function readGasPrice(nodes: readonly string[]): Promise<bigint | undefined> {
  for (const url of nodes) {
    const price = await nodeCall(fetch, url)("eth_gasPrice", []).catch(() => undefined);
    if (typeof price === "string") return BigInt(price);
  }
  return undefined;
}

interface Plan {
  readonly record: ChannelRecord;
  readonly network: Network;
  readonly units: bigint;
  readonly promisedUnits: bigint;
  readonly isStarted: boolean;
  readonly finalizableSeconds: number;
  readonly isFinalizable: boolean;
  /** Wei. */
  readonly gasPrice: bigint;
}

function stepsOf({ record: { config }, units, isStarted }: Plan) {
  const initiate = { to: channelContract, data: channelCalls.initiateWithdraw(config, units) };
  const finalize = { to: channelContract, data: channelCalls.finalizeWithdraw(config) };
  const gas = (isStarted ? 0n : initiateGas) + finalizeGas;
  return { initiate: isStarted ? undefined : initiate, finalize, gas };
}

function objectOf(plan: Plan): object {
  const { record, network, units, promisedUnits, isStarted, finalizableSeconds, gasPrice } = plan;
  const { initiate, finalize, gas } = stepsOf(plan);
  return {
    channelId: record.channelId,
    from: record.config.payer,
    network: network.id,
    amountUsdc: formatUsdc(units),
    promisedUsdc: formatUsdc(promisedUnits),
    isStarted,
    isFinalizable: plan.isFinalizable,
    finalizableAt: timeOf(finalizableSeconds * 1000),
    gas: Number(gas),
    gasPriceWei: gasPrice.toString(),
    gasXdc: formatXdc(gas * gasPrice),
    ...(initiate === undefined ? {} : { initiate }),
    finalize,
  };
}

function textOf(plan: Plan): string {
  const { record, network, units, promisedUnits, finalizableSeconds, gasPrice } = plan;
  const { config, channelId } = record;
  const { initiate, finalize, gas } = stepsOf(plan);
  const at = timeOf(finalizableSeconds * 1000);
  const when = plan.isFinalizable
    ? "as soon as the second transaction is mined"
    : initiate === undefined
      ? `after ${at}, when the second transaction is mined`
      : `${durationText(config.withdrawDelay)} after the first transaction (sent now: ${at}), when the second one is mined`;
  const promised =
    promisedUnits === 0n
      ? []
      : [`  The seller may still claim ${formatUsdc(promisedUnits)} USDC of it until then.`];
  return [
    `Withdraw ${formatUsdc(units)} USDC from channel ${channelId}`,
    `  The money is back ${when}.`,
    ...promised,
    `  Gas: up to ${gasCostText(gas, gasPrice)}, from ${config.payer} on ${network.id}.`,
    ...(initiate === undefined
      ? ["\n  The first transaction, initiateWithdraw, is done."]
      : [`\n  First transaction, initiateWithdraw: to ${initiate.to}`, `  ${initiate.data}`]),
    `\n  Second transaction, finalizeWithdraw: to ${finalize.to}`,
    `  ${finalize.data}`,
    `\n  This command sends nothing. Send ${initiate ? "each" : "it"} from ${config.payer}, with its data and a value of 0; --json prints them for a program. Run this command again when the money is back, so that the ledger shows it.`,
    "",
  ].join("\n");
}

/** "15 minutes", "1 day": the largest unit that divides it. */
function durationText(seconds: number): string {
  const units = [
    ["day", 86_400],
    ["hour", 3_600],
    ["minute", 60],
    ["second", 1],
  ] as const;
  const [name, size] =
    units.find(([, length]) => seconds % length === 0) ?? (["second", 1] as const);
  const count = seconds / size;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
