/** Assembles the prices by caller of a route, and reports those that could not be kept to. */
import { compile as compileNetworks } from "@fastify/proxy-addr";
import { isLoopback } from "@farthing/protocol";
import { multiplierUnits } from "./caller-settings.ts";
import type { ConfigContext } from "./config-context.ts";
import { isMeteredByChannel, type CallerRule, type RouteConfig } from "./configuration.ts";
import type { GatewayFile, RouteSettings } from "./configuration-schema.ts";
import type { Location } from "./read-settings.ts";

type Entry = RouteSettings["for"][number];

interface CallerDeps {
  readonly file: GatewayFile;
  readonly context: ConfigContext;
  /** Of the list. */
  readonly location: Location;
}

export function assembleCallers(
  entries: readonly Entry[],
  route: RouteConfig,
  deps: CallerDeps,
): readonly CallerRule[] {
  const labels = new Set<string>();
  return entries.map((entry, place) => {
    const location = [...deps.location, place];
    const label = entry.name ?? `for[${place}]`;
    if (labels.has(label)) deps.context.report([...location, "name"], "is there a second time");
    labels.add(label);
    checkEntry(entry, route, { ...deps, location });
    return ruleOf(entry, label, route);
  });
}

function ruleOf(entry: Entry, label: string, route: RouteConfig): CallerRule {
  const { agents, headers = {}, networks, hours } = entry;
  return {
    label,
    agents: agents === undefined || agents === "any" ? agents : new Set(agents),
    headers: new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value])),
    isInNetworks: networks && networkTest(networks),
    hours: hours && {
      fromMinute: hours.from,
      toMinute: hours.to,
      zone: hours.zone,
      days: hours.days,
    },
    route: { ...route, amountUnits: amountOf(entry, route), callers: [], caller: label },
  };
}

function networkTest(networks: readonly string[]): (address: string) => boolean {
  const isInside = compileNetworks([...networks]);
  return (address) => isInside(address, 0);
}

/** Base units, rounded up, so that no multiplier makes a price of nothing. */
function amountOf(
  { free, price, multiplier }: Entry,
  { amountUnits }: RouteConfig,
): bigint | undefined {
  if (free) return undefined;
  if (multiplier === undefined || amountUnits === undefined) return price ?? amountUnits;
  return (amountUnits * multiplier + multiplierUnits - 1n) / multiplierUnits;
}

const conditions = ["agents", "headers", "networks", "hours"] as const;
const prices = ["free", "price", "multiplier"] as const;

function checkEntry(
  { agents, hours }: Entry,
  route: RouteConfig,
  { file, context: { isGiven, report }, location }: CallerDeps,
): void {
  const given = (names: readonly string[]) => names.filter((name) => isGiven([...location, name]));
  if (given(conditions).length === 0) {
    report(location, "fits every request; name agents, headers, networks or hours");
  }
  if (given(prices).length !== 1) {
    report(location, "must have exactly one of free: true, price and multiplier");
  }
  const isMetered = route.balance !== undefined || isMeteredByChannel(route);
  if (isMetered && !isGiven([...location, "free"])) {
    const message =
      "changes what is paid at once, and requests here cost what they use: write free: true, or another route";
    report(location, message);
  }
  if (isGiven([...location, "headers"]) && file.trustedProxies.length === 0) {
    const message =
      "needs trustedProxies with the address of the proxy that sets them: a client can send any header. Example: trustedProxies: [127.0.0.1]";
    report([...location, "headers"], message);
  }
  if (hours && hours.from === hours.to) {
    report([...location, "hours"], "begins and ends at the same minute");
  }
  const { protocol, hostname } = new URL(file.publicUrl);
  if (agents !== undefined && protocol !== "https:" && !isLoopback(hostname)) {
    const message =
      "needs a publicUrl of https: whoever reads a request on its way could send its signature again";
    report([...location, "agents"], message);
  }
}
