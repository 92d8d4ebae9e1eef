/** `farthing channels watch`: prints a line whenever a channel changes, in the ledger or on the chain. */
import { setTimeout as sleep } from "node:timers/promises";
import {
  channelFields,
  nodesOf,
  readChannelState,
  type ChannelRecord,
  type ReadChannel,
} from "@farthing/buyer";
import { findNetwork, formatUsdc, printableJson, printableLine } from "@farthing/protocol";
import type { Command } from "commander";
import { UsageError } from "../command/command-errors.ts";
import { exitCodes, type ExitCode } from "../command/exit-codes.ts";
import { runCommand } from "../command/run-command.ts";
import { listenForSignals } from "../command/stop-signals.ts";
import { openLedger } from "../input/buyer-settings.ts";
import { demandNode, rpcOption, type NodeFlags } from "../input/rpc-node.ts";
import { timeOf } from "../ledger/ledger-report.ts";
import { addPrintFlags, isJsonWanted, type PrintFlags } from "../output/print-output.ts";
import { parseId } from "./ledger-channel.ts";

/** Every fifth block; public nodes are asked five times for each channel and round. */
const intervalSecondsDefault = 10;
const intervalSecondsMin = 2;
const intervalSecondsMax = 86_400;

/** Those that were used last: a round of them takes a public node a few seconds. */
const watchedMax = 20;

type WatchFlags = PrintFlags & NodeFlags & { readonly interval?: string };

export function registerWatch(channels: Command): void {
  addPrintFlags(channels.command("watch"))
    .summary("print a line whenever a channel changes, until Ctrl+C")
    .description(
      "Follows the channels of the ledger until Ctrl+C: prints their balance, what was charged, what the seller has claimed and withdrawals, at first and then after each change. Without an id it follows those that hold money.",
    )
    .argument("[channel-id]")
    .option("--interval <seconds>", `time between two looks (default: ${intervalSecondsDefault})`)
    .addOption(rpcOption("node to ask for the channels' state"))
    .action((id: string | undefined, flags: WatchFlags) => runCommand(() => watch(id, flags)));
}

async function watch(id: string | undefined, flags: WatchFlags): Promise<ExitCode> {
  const channelId = id === undefined ? undefined : parseId(id);
  const intervalMs = readInterval(flags.interval) * 1000;
  const nodes = nodesOf(demandNode(flags));
  const signal = listenForSignals();
  const ledger = openLedger();
  const shown = new Map<string, string>();
  while (!signal.aborted) {
    const all = (await ledger.listChannels?.()) ?? [];
    for (const record of chooseWatched(all, channelId, shown)) {
      const network = findNetwork(record.network);
      if (!network || signal.aborted) continue;
      const read = await readChannelState(fetch, nodes(network), network, record.channelId);
      const view = viewOf(record, read);
      const text = JSON.stringify(view);
      if (shown.get(record.channelId) === text) continue;
      shown.set(record.channelId, text);
      const at = timeOf(Date.now());
      console.log(isJsonWanted(flags) ? printableJson({ at, ...view }) : lineOf(at, view));
    }
    if (channelId !== undefined && shown.size === 0) {
      console.error(`There is no channel ${channelId}. List channels with: farthing channels list`);
      return exitCodes.notFound;
    }
    // The signal ends the wait.
    await sleep(intervalMs, undefined, { signal }).catch(() => undefined);
  }
  return exitCodes.success;
}

function readInterval(text: string | undefined): number {
  const seconds = Number(text ?? intervalSecondsDefault);
  if (seconds >= intervalSecondsMin && seconds <= intervalSecondsMax) return seconds;
  throw new UsageError(
    `--interval must be ${intervalSecondsMin} to ${intervalSecondsMax} seconds.`,
  );
}

/** The one that is asked for, or those that hold money or were shown while they did. */
function chooseWatched(
  all: readonly ChannelRecord[],
  channelId: string | undefined,
  shown: ReadonlyMap<string, string>,
): readonly ChannelRecord[] {
  if (channelId !== undefined) return all.filter((record) => record.channelId === channelId);
  return all
    .filter((record) => channelFields(record).state !== "empty" || shown.has(record.channelId))
    .toSorted((one, other) => other.usedAt - one.usedAt)
    .slice(0, watchedMax);
}

type View = ReturnType<typeof viewOf>;

/** What is watched. The chain's part is null while no node answers. */
function viewOf(record: ChannelRecord, read: ReadChannel | undefined) {
  const { channelId, host, state, chargedUsdc, leftUsdc, signedUsdc, stopped } =
    channelFields(record);
  const ledger = { channelId, host, state, leftUsdc, chargedUsdc, signedUsdc };
  const why = stopped === undefined ? {} : { stopped };
  if (!read) return { ...ledger, ...why, chain: null };
  const { balance, totalClaimed, withdrawing, withdrawRequestedAt } = read.state;
  const finalizable = withdrawRequestedAt + record.config.withdrawDelay;
  return {
    ...ledger,
    ...why,
    chain: {
      balanceUsdc: formatUsdc(balance),
      claimedUsdc: formatUsdc(totalClaimed),
      // More than was charged: the seller took a call that no answer has confirmed.
      claimedBeyondCharged: totalClaimed > record.chargedUnits,
      withdrawingUsdc: formatUsdc(withdrawing),
      finalizableAt: withdrawing > 0n ? timeOf(finalizable * 1000) : null,
    },
  };
}

function lineOf(at: string, view: View): string {
  const { channelId, host, leftUsdc, chargedUsdc, chain } = view;
  const id = `${channelId.slice(0, 6)}…${channelId.slice(-4)}`;
  const own = `charged ${short(chargedUsdc)}, left ${short(leftUsdc)}`;
  const why = "stopped" in view ? `; stopped: ${view.stopped}` : "";
  return printableLine(`${at}  ${host}  ${id}  ${own}, ${chainText(chain)}${why}`);
}

function chainText(chain: View["chain"]): string {
  if (chain === null) return "no node answers";
  const { balanceUsdc, claimedUsdc, withdrawingUsdc, finalizableAt } = chain;
  const beyond = chain.claimedBeyondCharged ? " (more than charged)" : "";
  const pending =
    finalizableAt === null
      ? ""
      : `, withdrawing ${short(withdrawingUsdc)}, to finish from ${finalizableAt}`;
  return `claimed ${short(claimedUsdc)}${beyond}, balance ${short(balanceUsdc)} USDC${pending}`;
}

/** Two decimals at least. */
function short(usdc: string): string {
  return usdc.replace(/0{1,4}$/, "");
}
