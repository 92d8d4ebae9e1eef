/**
 * The gateway's configuration: one YAML file, read and checked as a whole. Whatever is unknown or
 * wrong is named with its place, its line and what to write; nothing starts on a file that is wrong
 * in part.
 */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject, type Address, type JsonObject, type Network } from "@farthing/protocol";
import type { Head, Redeliver, Redirects, ServeWhen } from "@farthing/seller";
import { assembleConfig } from "./assemble-configuration.ts";
import { checkShape, formatPlace, type Problem } from "./check-shape.ts";
import { gatewaySchema } from "./configuration-schema.ts";
import { findConflicts } from "../routing/route-conflicts.ts";
import type { RoutePattern } from "../routing/route-pattern.ts";
import type { Environment } from "./secret-texts.ts";
import { readSettings } from "./setting-reader.ts";
import { readYamlSource } from "./yaml-source.ts";

/** The effective configuration: times in milliseconds, sizes in bytes, money in base units. */
export interface GatewayConfig {
  /** Without a slash at the end. */
  readonly publicUrl: string;
  readonly listen: { readonly http: ListenAddress; readonly metrics: ListenAddress | undefined };
  /** Addresses and ranges. */
  readonly trustedProxies: readonly string[];
  readonly facilitator: FacilitatorPlace;
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
export type FacilitatorPlace =
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

/** One thing that is wrong in the file. */
export interface ConfigProblem {
  /** e.g. `routes[3].price`; empty for the file as a whole. */
  readonly path: string;
  readonly line: number | undefined;
  readonly message: string;
}

/** The file is wrong; `problems` has everything that is. */
export class GatewayConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.name = "GatewayConfigError";
    this.problems = problems;
  }
}

/** One line: `line 12: routes[3].price is 0.1, but must be …`. */
function formatProblem({ path, line, message }: ConfigProblem): string {
  const where = line === undefined ? "" : `line ${line}: `;
  return `${where}${[path, message].filter((part) => part !== "").join(" ")}`;
}

/**
 * Reads the text of a configuration file. `folder` is where its relative paths start. Throws
 * {@link GatewayConfigError} with all problems at once.
 */
export function readGatewayConfig(
  text: string,
  environment: Environment = {},
  folder = ".",
): GatewayConfig {
  const source = readYamlSource(text);
  if (!("value" in source)) throw new GatewayConfigError(source.map((one) => toProblem(one)));
  const problems: Problem[] = checkShape(gatewaySchema, source.value);
  const settings = readSettings(gatewaySchema, source.value, problems);
  const config = assembleConfig(settings, { environment, folder });
  problems.push(...findConflicts(config));
  if (problems.length > 0) {
    const lines = problems.map((one) => toProblem(one, source.lineOf));
    throw new GatewayConfigError(lines.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)));
  }
  return config;
}

/** Reads a configuration file from disk. Throws {@link GatewayConfigError}. */
export function loadGatewayConfig(path: string, environment: Environment): GatewayConfig {
  return readGatewayConfig(readText(path), environment, dirname(path));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = whyUnreadable(error, resolve(path));
    throw new GatewayConfigError([{ path: "", line: undefined, message }]);
  }
}

/** Why a configuration file cannot be read, and what to do about it. */
function whyUnreadable(error: unknown, path: string): string {
  const code = isObject(error) ? error["code"] : undefined;
  if (code === "ENOENT") {
    return (
      `There is no file ${path}. Name the configuration that you have, write one after ` +
      "docs/reference/gateway.md, or make one of an OpenAPI document: farthing gateway import."
    );
  }
  if (code === "EISDIR") return `${path} is a folder; name the configuration file in it.`;
  const why = typeof code === "string" ? ` (${code})` : "";
  return `${path} cannot be read${why}; check that this user may read it.`;
}

function toProblem(
  { place, message }: Problem,
  lineOf: (place: Problem["place"]) => number | undefined = () => undefined,
): ConfigProblem {
  return { path: formatPlace(place), line: lineOf(place), message: `${message}.` };
}
