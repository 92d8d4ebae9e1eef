/**
 * The effective configuration of a gateway: what its settings mean, with every default filled in. How
 * a file becomes one stands in `read-configuration.ts`.
 */
import type { Address, JsonObject, Network } from "@farthing/protocol";
import type { Head, Redeliver, Redirects, ServeWhen } from "@farthing/seller";
import type { RoutePattern } from "../routing/route-pattern.ts";

/** The effective configuration: times in milliseconds, sizes in bytes, money in base units. */
export interface GatewayConfig {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly listen: { readonly http: ListenAddress; readonly metrics: ListenAddress | undefined };
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[];
  readonly facilitator: FacilitatorConfig;
  readonly network: Network;
  readonly payTo: Address;
  readonly store:
    | { readonly kind: "memory" }
    /** An absolute path. */
    | { readonly kind: "sqlite"; readonly path: string };
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** In the order of the file, which is the order they are tried in. */
  readonly routes: readonly RouteConfig[];
  /** What every other path does; undefined: 404. Its pattern is everything. */
  readonly fallback: RouteConfig | undefined;
  readonly maxTimeoutSeconds: number;
  readonly replay: {
    readonly ttlMs: number;
    readonly entryBytesMax: number;
    readonly totalBytesMax: number;
  };
  readonly discovery: DiscoveryConfig;
}

export interface ListenAddress {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
}

/** Who settles. */
export type FacilitatorConfig =
  | { readonly kind: "embedded" }
  | {
      readonly kind: "remote";
      /** Without a slash at the end. */
      readonly url: string;
      readonly apiKey: string | undefined;
      readonly timeoutMs: number;
    };

/** An API that is sold. */
export interface UpstreamConfig {
  readonly name: string;
  /** Without a slash at the end; may have a path of its own. */
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
  /** Of routes that are not streamed. */
  readonly responseBytesMax: number;
  readonly paths: { readonly caseInsensitive: boolean; readonly allowEncodedSlash: boolean };
}

export type SettleMode = "after-success" | "before-upstream";
/** A header that a route lets through, of the client or (set-cookie) of the upstream. */
export type PassedHeader = "authorization" | "cookie" | "set-cookie";

/** One rule. */
export interface RouteConfig {
  /** As the file writes it, e.g. `GET /v1/reports/:id`, or `default`: the label in metrics and logs. */
  readonly name: string;
  /** Its place among `routes`, from 0; the number of routes for `default`. */
  readonly index: number;
  readonly pattern: RoutePattern;
  /** Lower-case, with a port if the file has one. */
  readonly host: string | undefined;
  readonly upstream: UpstreamConfig;
  /** USDC base units, more than 0; undefined: free. */
  readonly amountUnits: bigint | undefined;
  readonly settle: SettleMode;
  readonly redirects: Redirects;
  readonly head: Head;
  readonly serveWhen: ServeWhen;
  readonly redeliver: Redeliver;
  readonly requireBinding: boolean;
  readonly stream: "sse" | "raw" | undefined;
  readonly description: string | undefined;
  readonly mimeType: string | undefined;
  readonly maxTimeoutSeconds: number;
  readonly pass: ReadonlySet<PassedHeader>;
}

/** What software that looks for APIs finds. */
export interface DiscoveryConfig {
  /** The upstream's own OpenAPI document. */
  readonly openapi: JsonObject | undefined;
  readonly wellKnown: boolean;
  readonly title: string | undefined;
  readonly guidance: string | undefined;
  readonly contact: string | undefined;
}
