/** `farthing ledger limits`: the limits in force and what of them is used; changes them. */
import { dayMs, openStates, parseLimits, type LedgerScope } from "@farthing/buyer";
import { fileLedger } from "@farthing/buyer/file-ledger";
import { formatUsdc } from "@farthing/protocol";
import { allowLists, splitList } from "./allow-lists.ts";
import {
  ledgerPath,
  limitsInForce,
  noLimit,
  parseLimitTexts,
  readSettings,
  writeSettings,
} from "./buyer-settings.ts";
import { ConfigurationError } from "./command-errors.ts";
import { exitCodes, type ExitCode } from "./exit-codes.ts";
import { UsageError } from "./pay-request.ts";
import { isJsonWanted, tableText, type PrintFlags } from "./print-output.ts";

/** The flags of `set`. */
export interface LimitFlags {
  readonly perCall?: string;
  readonly perDay?: string;
  readonly openPayments?: string;
  readonly openPerHost?: string;
  readonly hosts?: string;
  readonly payees?: string;
}

/** Prints the limits, and the usage of each wallet on each network within 24 hours. */
export async function showLimits(flags: PrintFlags): Promise<ExitCode> {
  const limits = parseLimits(limitsInForce(process.env));
  const { perDayUnits } = limits;
  const { allow } = readSettings(process.env);
  const ledger = fileLedger(ledgerPath(process.env));
  const since = Date.now() - dayMs;
  const records = await ledger.list();
  const recent = records.filter(
    ({ state, reservedAt }) => openStates.includes(state) || reservedAt > since,
  );
  const scopes = new Map<string, LedgerScope>(
    recent.map(({ wallet, network, asset }) => [
      `${wallet} ${network} ${asset}`,
      { wallet, network, asset },
    ]),
  );
  const used = await Promise.all(
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
  const shown = {
    perCall: formatUsdc(limits.perCallUnits),
    perDay: perDayUnits === undefined ? null : formatUsdc(perDayUnits),
    openPayments: limits.openPaymentsMax,
    openPaymentsPerHost: limits.openPaymentsPerHostMax,
  };
  if (isJsonWanted(flags)) {
    console.log(JSON.stringify({ limits: shown, allow, used }));
    return exitCodes.success;
  }
  console.log(`per call       ${shown.perCall} USDC`);
  console.log(`per 24 hours   ${shown.perDay === null ? "no limit" : `${shown.perDay} USDC`}`);
  console.log(`open payments  ${shown.openPayments}, at one host ${shown.openPaymentsPerHost}`);
  console.log(`hosts          ${allow.hosts?.join(", ") ?? "all"}`);
  console.log(`payees         ${allow.payees?.join(", ") ?? "of each host the first seen"}`);
  if (used.length > 0) console.log(tableText(used));
  return exitCodes.success;
}

/** Keeps new limits in the settings. */
export async function setLimits(flags: LimitFlags): Promise<ExitCode> {
  const { perCall, perDay, openPayments, openPerHost: openPaymentsPerHost } = flags;
  const limitTexts = { perCall, perDay, openPayments, openPaymentsPerHost };
  const given = Object.entries(limitTexts).filter(([, text]) => text);
  const lists = allowLists.filter(({ name }) => flags[name] !== undefined);
  if (given.length + lists.length === 0) throw new UsageError("Say which; see --help.");
  try {
    const limits = parseLimitTexts(Object.fromEntries(given), (name) => flagOf[name]);
    const before = readSettings(process.env).limits;
    const next = { ...before, ...limits };
    const { perDay: day, ...rest } = next;
    const places = lists.map(
      (list) => [list.name, readList(list, flags[list.name] ?? "")] as const,
    );
    writeSettings(process.env, {
      ...Object.fromEntries(places),
      limits: { ...rest, ...(day === undefined ? {} : { perDay: day === false ? "none" : day }) },
    });
  } catch (error) {
    // A value of the command line is its user's, not the machine's.
    if (error instanceof ConfigurationError && error.message.startsWith("--")) {
      throw new UsageError(error.message);
    }
    throw error;
  }
  console.error("The limits are changed for every run from now on.");
  return exitCodes.success;
}

/** Undefined takes the list away: what is undefined is not in the file. */
function readList(list: (typeof allowLists)[number], text: string): string[] | undefined {
  return text === noLimit ? undefined : splitList(list, text, list.flag);
}

const flagOf = {
  perCall: "--per-call",
  perDay: "--per-day",
  openPayments: "--open-payments",
  openPaymentsPerHost: "--open-per-host",
} as const;
