/** `farthing channels`: money that sellers hold for later calls, and the ways to have it back. */
import { channelFields, type ChannelRefund } from "@farthing/buyer";
import { formatUsdc, parseUsdc } from "@farthing/protocol";
import type { Command } from "commander";
import { UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { runCommand } from "../command/run-command.ts";
import { openLedger } from "../input/buyer-settings.ts";
import { rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { addPrintFlags, printList, printOne, type PrintFlags } from "../output/print-output.ts";
import { whileWaiting } from "../output/waiting.ts";
import { createPayer } from "../pay/payer.ts";
import type { WalletFlags } from "../wallet/wallet.ts";
import { registerContract } from "./contract.ts";
import { findRecord, noSuchChannel, parseId } from "./ledger-channel.ts";
import { registerWatch } from "./watch.ts";
import { registerWithdraw } from "./withdraw.ts";

export function register(program: Command): void {
  const channels = program
    .command("channels")
    .description(
      "Shows the payment channels of this machine's ledger. `farthing pay` opens one by itself where a seller offers it and it pays off.",
    );
  addPrintFlags(channels.command("list"))
    .description("list channels with what was charged and what is left, the oldest first")
    .action((flags: PrintFlags) => runCommand(() => list(flags)));
  addPrintFlags(channels.command("show"))
    .description("show one channel")
    .argument("<channel-id>")
    .action((id: string, flags: PrintFlags) => runCommand(() => show(id, flags)));
  addPrintFlags(channels.command("refund"))
    .description("ask the seller to send back what is left, which costs you no gas")
    .argument("<channel-id>")
    .option("--amount <USDC>", "a part of what is left (default: all of it)")
    .option("--url <address>", "where the seller sells over this channel (default: the last call)")
    .option("--wallet <name>", "the keystore of the payer; see `farthing wallet`")
    .option("--wallet-contract <address>", "the payer is this ERC-1271 wallet")
    .addOption(rpcOption("node to ask for the channel's state"))
    .action((id: string, flags: RefundFlags) => runCommand(() => refund(id, flags)));
  registerContract(channels);
  registerWithdraw(channels);
  registerWatch(channels);
}

async function list(flags: PrintFlags): Promise<void> {
  const records = (await openLedger().listChannels?.()) ?? [];
  const rows = records.map((record) => {
    const { channelId: channel, host } = record;
    const { leftUsdc: left, chargedUsdc: charged, state, usedAt: used } = channelFields(record);
    return { used, state, "left (USDC)": left, "charged (USDC)": charged, host, channel };
  });
  const layout = { wide: ["channel"], whole: ["channel"] };
  printList(records.map(channelFields), rows, "No channels.", flags, layout);
}

async function show(id: string, flags: PrintFlags): Promise<ExitCode> {
  const record = await findRecord(id);
  if (!record) return noSuchChannel(id);
  printOne(channelFields(record), flags);
  return exitCodes.success;
}

type RefundFlags = PrintFlags &
  NodeFlags &
  WalletFlags & { readonly amount?: string; readonly url?: string };

async function refund(id: string, flags: RefundFlags): Promise<ExitCode> {
  const channelId = parseId(id);
  const amountUnits = flags.amount === undefined ? undefined : parseUsdc(flags.amount);
  if (flags.amount !== undefined && (amountUnits === undefined || amountUnits === 0n)) {
    throw new UsageError("--amount must be an amount in USDC, such as 0.05.");
  }
  if (!(await findRecord(id))) return noSuchChannel(id);
  const payer = await createPayer(flags, false);
  const request = {
    ...(amountUnits === undefined ? {} : { amountUnits }),
    ...(flags.url === undefined ? {} : { url: flags.url }),
  };
  const refunded = await whileWaiting("Asking the seller for the refund", () =>
    payer.channels.refund(channelId, request),
  );
  printOne(refundObject(refunded), flags);
  return refunded.state === "refunded" ? exitCodes.success : exitCodes.paymentOpen;
}

function refundObject(refunded: ChannelRefund): object {
  if (refunded.state === "unconfirmed") return refunded;
  const { amount, left } = refunded;
  const amountUsdc = formatUsdc(BigInt(amount));
  return { ...refunded, amountUsdc, leftUsdc: formatUsdc(BigInt(left)) };
}
