/** `farthing ledger limits`: shows the limits with their usage, and changes them. */
import {
  dayMs,
  openStates,
  parseChannels,
  parseLimits,
  type ChannelPolicy,
  type LedgerScope,
} from "@farthing/buyer";
import { formatUsdc, shortUsdc } from "@farthing/protocol";
import { limitTable } from "../command/limit-table.ts";
import { allowLists, splitList } from "../input/allow-lists.ts";
import {
  noLimit,
  openLedger,
  parseLimitTexts,
  readLimits,
  readSettings,
  writeSettings,
} from "../input/buyer-settings.ts";
import {
  channelTable,
  parseChannelTexts,
  readChannelSettings,
  storedChannels,
} from "../input/channel-settings.ts";
import { UsageError } from "../command/command-errors.ts";
import { isJsonWanted, terminalWidth, type PrintFlags } from "../output/print-output.ts";
import { tableText } from "../output/table.ts";

type LimitFlag =
  | ("perCall" | "perDay" | "openPayments" | "openPerHost" | "hosts" | "payees")
  | ("channels" | "channelsAfter" | "depositPerSeller" | "depositTotal");

export type LimitFlags = Readonly<Partial<Record<LimitFlag, string>>>;

/** Prints the limits, and the usage of each wallet on each network within 24 hours. */
export async function showLimits(flags: PrintFlags): Promise<void> {
  const limits = parseLimits(readLimits());
  const { allow } = readSettings();
  const channels = parseChannels(readChannelSettings());
  const used = await readUsage(limits.perDayUnits);
  const perCall = formatUsdc(limits.perCallUnits);
  const perDay = limits.perDayUnits === undefined ? null : formatUsdc(limits.perDayUnits);
  const { openPaymentsMax: openPayments, openPaymentsPerHostMax: openPaymentsPerHost } = limits;
  if (isJsonWanted(flags)) {
    const shown = { perCall, perDay, openPayments, openPaymentsPerHost };
    const report = { limits: shown, channels: channelsObject(channels), allow, used };
    return console.log(JSON.stringify(report));
  }
  const day = limits.perDayUnits === undefined ? "no limit" : usdcText(limits.perDayUnits);
  console.log(`Per call       ${usdcText(limits.perCallUnits)}`);
  console.log(`Per 24 hours   ${day}`);
  console.log(`Open payments  ${openPayments}, per host ${openPaymentsPerHost}`);
  console.log(`Channels       ${channelsText(channels)}`);
  console.log(`Hosts          ${allow.hosts?.join(", ") ?? "all"}`);
  console.log(`Payees         ${allow.payees?.join(", ") ?? "the first of each host"}`);
  if (used.length === 0) return;
  const rows = used.map(({ wallet, network, spentUsdc: spent, leftUsdc: left, openPayments }) => {
    return { wallet, network, "spent (USDC)": spent, "left (USDC)": left, openPayments };
  });
  console.log(`\nLast 24 hours\n${tableText(rows, {}, terminalWidth())}`);
}

function channelsObject({ use, afterPayments, ...limits }: ChannelPolicy) {
  const depositMax = formatUsdc(limits.depositMaxUnits);
  const depositTotalMax = formatUsdc(limits.depositTotalMaxUnits);
  return { use, afterPayments, depositMax, depositTotalMax };
}

function channelsText({ use, afterPayments, ...limits }: ChannelPolicy): string {
  if (use === "never") return "never";
  const when =
    use === "always"
      ? use
      : `after ${afterPayments} ${afterPayments === 1 ? "payment" : "payments"} to a seller in an hour`;
  const held = `a seller may hold ${usdcText(limits.depositMaxUnits)}`;
  return `${when}; ${held}, all together ${usdcText(limits.depositTotalMaxUnits)}`;
}

function usdcText(units: bigint): string {
  return `${shortUsdc(units)} USDC`;
}

async function readUsage(perDayUnits: bigint | undefined) {
  const ledger = openLedger();
  const since = Date.now() - dayMs;
  const scopes = new Map<string, LedgerScope>();
  for (const { state, reservedAt, wallet, network, asset } of await ledger.list()) {
    if (!openStates.includes(state) && reservedAt <= since) continue;
    scopes.set(`${wallet} ${network} ${asset}`, { wallet, network, asset });
  }
  return Promise.all(
    [...scopes.values()].map(async (scope) => {
      const { spentUnits, openPayments } = await ledger.usage(scope, since);
      const left = perDayUnits === undefined ? undefined : perDayUnits - spentUnits;
      return {
        ...scope,
        spentUsdc: formatUsdc(spentUnits),
        ...(left === undefined ? {} : { leftUsdc: formatUsdc(left > 0n ? left : 0n) }),
        openPayments,
      };
    }),
  );
}

export async function setLimits(flags: LimitFlags): Promise<void> {
  const { perCall, perDay, openPayments, openPerHost: openPaymentsPerHost } = flags;
  const limitTexts = { perCall, perDay, openPayments, openPaymentsPerHost };
  const given = Object.entries(limitTexts).filter(([, text]) => text);
  const lists = allowLists.filter(({ name }) => flags[name] !== undefined);
  const { channels, channelsAfter: afterPayments, depositPerSeller: depositMax } = flags;
  const channelTexts = {
    use: channels,
    afterPayments,
    depositMax,
    depositTotalMax: flags.depositTotal,
  };
  const changedChannels = parseChannelTexts(
    channelTexts,
    (name) => channelTable[name].flag,
    UsageError,
  );
  const channelCount = Object.keys(changedChannels).length;
  if (given.length + lists.length + channelCount === 0) {
    throw new UsageError("Name a limit to set; --help lists them.");
  }
  const changed = parseLimitTexts(
    Object.fromEntries(given),
    (name) => limitTable[name].flag,
    UsageError,
  );
  const limits = { ...readSettings().limits, ...changed };
  const entries = lists.map((list) => {
    const text = flags[list.name] ?? "";
    // An undefined list is not written to the file.
    const isRemoved = text === noLimit;
    return [list.name, isRemoved ? undefined : splitList(list, text, list.flag, UsageError)];
  });
  writeSettings({
    ...Object.fromEntries(entries),
    ...(channelCount === 0 ? {} : { channels: { ...storedChannels(), ...changedChannels } }),
    limits: { ...limits, ...(limits.perDay === false ? { perDay: noLimit } : {}) },
  });
  console.error("Limits updated. They apply to every run from now on.");
}
