/** Prices by caller: the conditions of an entry, and which of a route's entries a request fits. */
import { weekdays, type Weekday } from "../configuration/caller-settings.ts";
import type { CallerRule, Hours } from "../configuration/configuration.ts";

/** What is known of a caller. */
export interface Caller {
  readonly address: string;
  /** Undefined where none of `trustedProxies` has sent the request. */
  readonly proxyHeaders:
    | Readonly<Record<string, string | readonly string[] | undefined>>
    | undefined;
  /** Unix milliseconds. */
  readonly now: number;
  readonly agent: {
    /** The host that the request says to be of; undefined without a signature. */
    readonly claimedHost: string | undefined;
    /** Asked for an entry alone that everything else fits. */
    readonly verify: (isFree: boolean) => Promise<AgentFinding>;
  };
}

export type AgentFinding =
  | { readonly kind: "verified"; readonly host: string }
  /** `why` is a sentence for people. */
  | { readonly kind: "unverified"; readonly why: string };

/** Of most requests, and nothing that anybody could put right. */
export const unsigned = {
  kind: "unverified",
  why: "the request has no signature of an agent",
} as const;

/** Why an entry does not fit. */
export const callerMismatches = {
  agent: "no verified agent that it is for",
  header: "another value of a header",
  no_proxy: "its headers count from trustedProxies alone",
  network: "another network",
  hours: "another time",
};
export type CallerMismatch = keyof typeof callerMismatches;

export interface CallerChoice {
  readonly rule: CallerRule | undefined;
  /** The entries that were tried before, in order. */
  readonly passedOver: readonly { readonly rule: CallerRule; readonly why: CallerMismatch }[];
}

/** Returns the first entry that fits; undefined for the route's own price. */
export async function chooseRule(
  rules: readonly CallerRule[],
  caller: Caller,
): Promise<CallerChoice> {
  const passedOver: { rule: CallerRule; why: CallerMismatch }[] = [];
  for (const rule of rules) {
    const why = mismatchOf(rule, caller) ?? (await agentMismatchOf(rule, caller));
    if (why === undefined) return { rule, passedOver };
    passedOver.push({ rule, why });
  }
  return { rule: undefined, passedOver };
}

function mismatchOf(
  { headers, isInNetworks, hours }: CallerRule,
  { address, proxyHeaders, now }: Caller,
): CallerMismatch | undefined {
  if (headers.size > 0) {
    if (!proxyHeaders) return "no_proxy";
    for (const [name, value] of headers) if (proxyHeaders[name] !== value) return "header";
  }
  if (isInNetworks && !isInNetworks(address)) return "network";
  return hours && !isWithin(hours, now) ? "hours" : undefined;
}

async function agentMismatchOf(
  { agents, route }: CallerRule,
  { agent }: Caller,
): Promise<CallerMismatch | undefined> {
  if (agents === undefined) return undefined;
  const { claimedHost } = agent;
  const isOther = claimedHost === undefined || (agents !== "any" && !agents.has(claimedHost));
  if (isOther) return "agent";
  const { kind } = await agent.verify(route.amountUnits === undefined);
  return kind === "verified" ? undefined : "agent";
}

/** `now` is Unix milliseconds. */
export function isWithin(hours: Hours, now: number): boolean {
  const { fromMinute, toMinute, zone, days } = hours;
  const today = momentIn(zone, now);
  const begins = (day: Weekday) => days.length === 0 || days.includes(day);
  if (fromMinute < toMinute) {
    return begins(today.day) && today.minute >= fromMinute && today.minute < toMinute;
  }
  if (today.minute >= fromMinute) return begins(today.day);
  return today.minute < toMinute && begins(dayBefore(today.day));
}

function dayBefore(day: Weekday): Weekday {
  return weekdays.at(weekdays.indexOf(day) - 1) ?? day;
}

/** Formats by zone: creating one costs more than all the rest. Bounded by the configuration. */
const formats = new Map<string, Intl.DateTimeFormat>();

function momentIn(zone: string, now: number): { day: Weekday; minute: number } {
  let format = formats.get(zone);
  if (!format) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      weekday: "short",
      hour: "2-digit",
      minute: "2-digit",
      hourCycle: "h23",
    });
    formats.set(zone, format);
  }
  const parts = new Map(format.formatToParts(now).map(({ type, value }) => [type, value]));
  const minute = Number(parts.get("hour")) * 60 + Number(parts.get("minute"));
  const name = parts.get("weekday")?.toLowerCase();
  return { day: weekdays.find((one) => one === name) ?? "mon", minute };
}
