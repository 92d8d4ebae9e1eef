/** The limits of payments: how each is named and set, and the command that raises one. */
import type { LimitToRaise } from "@farthing/buyer";
import { buyerVariables } from "@farthing/protocol";

/** The limits: for each key in the settings its variable, its flag, and what it must be. */
export const limitTable = {
  perCall: {
    variable: buyerVariables.limitPerCall,
    flag: "--per-call",
    hint: "an amount in USDC, such as 0.10",
  },
  perDay: {
    variable: buyerVariables.limitPerDay,
    flag: "--per-day",
    hint: "an amount in USDC, such as 2, or none",
  },
  openPayments: {
    variable: buyerVariables.limitOpenPayments,
    flag: "--open-payments",
    hint: "a whole number above 0",
  },
  openPaymentsPerHost: {
    variable: buyerVariables.limitOpenPerHost,
    flag: "--open-per-host",
    hint: "a whole number above 0",
  },
} as const;

export type LimitName = keyof typeof limitTable;

/** The command with which the owner lets a payment pass that a limit has refused. */
export function raisingCommand({ limit, to }: LimitToRaise): string {
  if (limit === "maxAmount") return `--max-amount ${to}`;
  const { variable, flag } = limitTable[limit];
  // A limit of the environment stands above the stored one.
  const isOfEnvironment = (process.env[variable] ?? "") !== "";
  return isOfEnvironment ? `export ${variable}=${to}` : `farthing ledger limits set ${flag} ${to}`;
}

/** The limit of this run, which stands above the stored one. */
export interface RunLimit {
  readonly maxAmount?: string;
}

/** The limit that refused: beside one of the run the stored one did not, and may be higher. */
export function raiseInRun(
  raise: LimitToRaise | undefined,
  { maxAmount }: RunLimit,
): LimitToRaise | undefined {
  const isOfRun = maxAmount !== undefined && raise?.limit === "perCall";
  return isOfRun ? { ...raise, limit: "maxAmount" } : raise;
}

/** How the owner of the limit lets this payment pass, in lines; empty where no limit has refused. */
export function raiseText(raise: LimitToRaise | undefined): string {
  if (!raise) return "";
  const { limit, to } = raise;
  if (limit === "maxAmount") return `  for this run alone: ${raisingCommand(raise)}\n`;
  const forOne = limit === "perCall" ? `  for this run alone: --max-amount ${to}\n` : "";
  return `${forOne}  for every run from now on: ${raisingCommand(raise)}\n`;
}

/** The same in one line, for a report that ends with it. */
export function raiseLine(raise: LimitToRaise | undefined): string {
  if (!raise) return "";
  const { limit, to } = raise;
  const forOne = limit === "perCall" ? `--max-amount ${to} for one run, or ` : "";
  return `To let it pass: ${forOne}${raisingCommand(raise)}\n`;
}
