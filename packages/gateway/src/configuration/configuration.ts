/** The effective configuration of a gateway, with all defaults. */
import type { Hex, JsonObject } from "@farthing/protocol";
import { defaultCostHeader } from "@farthing/seller";
import type { RoutePattern } from "../routing/route-pattern.ts";
import type { Weekday } from "./caller-settings.ts";
import type { GatewayFile, RouteSettings, UpstreamSettings } from "./configuration-schema.ts";
import type { ListenAddress } from "./parse-setting.ts";

type PassedSettings =
  | "publicUrl"
  | "trustedProxies"
  | "rateLimit"
  | "paywall"
  | "network"
  | "payTo"
  | "maxTimeoutSeconds";

/** Times in milliseconds, sizes in bytes, money in base units, URLs without a trailing slash. */
export interface GatewayConfig extends Readonly<Pick<GatewayFile, PassedSettings>> {
  readonly listen: { readonly http: ListenAddress; readonly metrics: ListenAddress | undefined };
  /** In the order in which they are asked. */
  readonly facilitators: readonly FacilitatorConfig[];
  /** A node of the network; its address may have a key in it. */
  readonly rpcUrl: string | undefined;
  readonly store:
    | { readonly kind: "memory" }
    /** An absolute path. */
    | { readonly kind: "sqlite"; readonly path: string };
  readonly channels: {
    readonly authorizerKey: Hex | undefined;
    readonly maxUnvaulted: bigint | undefined;
  };
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** In the order of the file, in which they are tried. */
  readonly routes: readonly RouteConfig[];
  /** Serves every other path; undefined: 404. */
  readonly fallback: RouteConfig | undefined;
  readonly replay: {
    readonly ttlMs: number;
    readonly entryBytesMax: number;
    readonly totalBytesMax: number;
  };
  readonly discovery: DiscoveryConfig;
}

export type FacilitatorConfig =
  | { readonly kind: "embedded" }
  | {
      readonly kind: "remote";
      readonly url: string;
      readonly name: string;
      readonly apiKey: string | undefined;
      readonly timeoutMs: number;
    };

/** What payment records, logs and metrics call the embedded facilitator, whose address may change. */
export const embeddedName = "embedded";

export function nameOfFacilitator(one: FacilitatorConfig): string {
  return one.kind === "embedded" ? embeddedName : one.name;
}

export interface UpstreamConfig {
  readonly name: string;
  /** May have a path. Of a folder: a `file:` address. Of what a proxy serves: {@link servedByProxyUrl}. */
  readonly url: string;
  /** Added to every request, by lower-case name. The values are secrets. */
  readonly headers: ReadonlyMap<string, string>;
  readonly timeouts: {
    readonly connectMs: number;
    readonly headersMs: number;
    readonly idleMs: number;
    readonly totalMs: number;
  };
  readonly concurrency: number;
  readonly requestBytesMax: number;
  /** For routes that are not streamed. */
  readonly responseBytesMax: number;
  readonly paths: Readonly<UpstreamSettings["paths"]>;
}

export type SettleMode = RouteSettings["settle"];
/** A header of the client, or (set-cookie) of the upstream, that a route passes on. */
export type PassedHeader = RouteSettings["pass"][number];

type SharedSettings = "serveWhen" | "redeliver" | "requireBinding" | "maxTimeoutSeconds";
type OwnSettings =
  | "freeRequests"
  | "settle"
  | "redirects"
  | "head"
  | "stream"
  | "description"
  | "mimeType"
  | "passes"
  | "referenceHeader"
  | "balance"
  | "costFrom";

export interface RouteConfig
  extends Readonly<Pick<GatewayFile, SharedSettings>>, Readonly<Pick<RouteSettings, OwnSettings>> {
  /** The label in metrics and logs: `GET /v1/reports/:id` as in the file, or `default`. */
  readonly name: string;
  /** Index among `routes`; their number for `default`. */
  readonly index: number;
  readonly pattern: RoutePattern;
  /** Lower-case, with a port if the file has one. */
  readonly host: string | undefined;
  readonly upstream: UpstreamConfig;
  /** USDC base units, above 0: the price, or what tops up the balance. Undefined: free. */
  readonly amountUnits: bigint | undefined;
  readonly channel: ChannelSettings | undefined;
  readonly pass: ReadonlySet<PassedHeader>;
  /** Prices by caller, in the order in which they are tried; empty for one price. */
  readonly callers: readonly CallerRule[];
  /** The entry that this is the route of; undefined for the route itself. */
  readonly caller: string | undefined;
  /** What challenges tell agents, where one of the prices is for them. */
  readonly agentRegistrationUrl: string | undefined;
}

/** Whether two routes ask the same price of every caller. */
export function hasSamePrice(one: RouteConfig, other: RouteConfig): boolean {
  if (one.callers.length > 0 || other.callers.length > 0) return false;
  return one.amountUnits === other.amountUnits;
}

/** An entry of a route's `for`. Everything that it names has to fit. */
export interface CallerRule {
  /** Its name, or its place: `for[0]`. */
  readonly label: string;
  readonly agents: "any" | ReadonlySet<string> | undefined;
  /** Values by lower-case name. */
  readonly headers: ReadonlyMap<string, string>;
  /** Whether an address is in one of the networks. */
  readonly isInNetworks: ((address: string) => boolean) | undefined;
  readonly hours: Hours | undefined;
  /** The route at this entry's price. */
  readonly route: RouteConfig;
}

/** Minutes since midnight; where `toMinute` is not after `fromMinute`, the time ends on the next day. */
export interface Hours {
  readonly fromMinute: number;
  readonly toMinute: number;
  readonly zone: string;
  /** On which it begins; empty for all. */
  readonly days: readonly Weekday[];
}

export type ChannelSettings = Exclude<RouteSettings["channel"], boolean | undefined>;

/** Whether requests of a route's channels cost less than its price. */
export function isMeteredByChannel({
  channel,
  costFrom,
}: Pick<RouteConfig, "channel" | "costFrom">): boolean {
  return channel !== undefined && (channel.costHeader !== undefined || costFrom !== undefined);
}

/** The header of an upstream with the cost of a request, where the route has one. */
export function costHeaderOf({
  balance,
  channel,
}: Pick<RouteConfig, "balance" | "channel">): string | undefined {
  return balance ? (balance.costHeader ?? defaultCostHeader) : channel?.costHeader;
}

export interface DiscoveryConfig extends Readonly<Omit<GatewayFile["discovery"], "openapi">> {
  /** The upstream's own OpenAPI document. */
  readonly openapi: JsonObject | undefined;
}

/** Whether an upstream is a folder of files. */
export function isFolder({ url }: Pick<UpstreamConfig, "url">): boolean {
  return url.startsWith("file:");
}

/** Stands for the address of an upstream whose requests a proxy in front of the gateway serves. */
export const servedByProxyUrl = "proxy:";

/** Whether a proxy serves the requests of an upstream, after it has asked the gateway about each. */
export function isServedByProxy({ url }: Pick<UpstreamConfig, "url">): boolean {
  return url === servedByProxyUrl;
}

/** Whether an upstream sends its index for a folder's path: a folder does, and a proxy may. */
export function maySendIndex(upstream: Pick<UpstreamConfig, "url">): boolean {
  return isFolder(upstream) || isServedByProxy(upstream);
}

/** Returns the rules in the order they are tried, with `default` last if it serves anything. */
export function allRoutes({ routes, fallback }: GatewayConfig): readonly RouteConfig[] {
  return fallback ? [...routes, fallback] : routes;
}

/** Returns every rule at each of its prices. */
export function allPrices(config: GatewayConfig): readonly RouteConfig[] {
  return allRoutes(config).flatMap((one) => [one, ...one.callers.map(({ route }) => route)]);
}
