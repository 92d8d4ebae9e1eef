/**
 * Assembles the effective configuration from the settings of a file. A placeholder stands in for
 * each wrong value, so that the rest is checked too; a configuration with problems never leaves
 * this package.
 */
import { existsSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { dirname, resolve } from "node:path";
import {
  findNetwork,
  isObject,
  parseAddress,
  xdc,
  zeroAddress,
  type Address,
  type JsonObject,
} from "@farthing/protocol";
import { parse as parseYaml } from "yaml";
import { isPassedToUpstream, type RequestRule } from "../headers/pass-header.ts";
import { needsEmbedded, readRoute } from "./assemble-route.ts";
import type {
  DiscoveryConfig,
  FacilitatorConfig,
  GatewayConfig,
  ListenAddress,
  UpstreamConfig,
} from "./configuration.ts";
import { parseDuration, parseSize } from "./duration-size.ts";
import { whyNoOpenapi } from "../openapi/openapi-operations.ts";
import { fillSecrets, type Environment } from "./secret-texts.ts";
import type { SettingReader } from "./setting-reader.ts";

export interface ConfigContext {
  readonly environment: Environment;
  /** Base of relative paths. */
  readonly folder: string;
}

/** A longer OpenAPI document describes more than one API. */
const maxOpenapiChars = 8 * 1024 * 1024;

/** Reports problems to the settings' reader. */
export function assembleConfig(settings: SettingReader, at: ConfigContext): GatewayConfig {
  const upstreams = new Map(
    settings
      .get("upstreams")
      .entries()
      .map(([name, one]) => [name, readUpstream(name, one, at)]),
  );
  const maxTimeoutSeconds = settings.get("maxTimeoutSeconds").number() ?? 0;
  const redeliver = settings.get("redeliver").text();
  const requireBinding = settings.get("requireBinding").boolean() ?? false;
  const serveWhen = settings.get("serveWhen").text();
  const isEmbedded = settings.get("facilitator").text() === "embedded";
  if (serveWhen === "queued" && !isEmbedded) settings.get("serveWhen").report(needsEmbedded);
  const shared = { redeliver, serveWhen, requireBinding, isEmbedded };
  const forAll = { upstreams, maxTimeoutSeconds, ...shared };
  const routeOf = (one: SettingReader, index: number) => readRoute(one, { index, ...forAll });
  const routes = settings.get("routes").items();
  if (settings.get("routes").isGiven && routes.length === 0) {
    settings.get("routes").report("is empty; nothing would be served");
  }
  const fallback = settings.get("default");
  const [listen, replay] = [settings.get("listen"), settings.get("replay")];
  return {
    publicUrl: settings.get("publicUrl").parse(baseUrl) ?? "",
    listen: {
      http: listen.get("http").parse(listenAddress) ?? { host: "", port: 0 },
      metrics: listen.get("metrics").parse(listenAddress),
    },
    trustedProxies: settings
      .get("trustedProxies")
      .items()
      .flatMap((one) => one.parse(proxyAddress) ?? []),
    facilitator: readFacilitator(settings.get("facilitator"), at),
    network: settings.get("network").parse(findNetwork) ?? xdc,
    payTo: settings.get("payTo").parse(payableAddress) ?? zeroAddress,
    store: readStore(settings.get("store"), at),
    upstreams,
    routes: routes.flatMap((one, index) => routeOf(one, index) ?? []),
    fallback: fallback.text() === "deny" ? undefined : routeOf(fallback, routes.length),
    maxTimeoutSeconds,
    replay: {
      ttlMs: replay.get("ttl").parse(parseDuration) ?? 0,
      entryBytesMax: replay.get("maxEntryBytes").parse(parseSize) ?? 0,
      totalBytesMax: replay.get("maxTotalBytes").parse(parseSize) ?? 0,
    },
    discovery: readDiscovery(settings.get("discovery"), at),
  };
}

function readFacilitator(settings: SettingReader, at: ConfigContext): FacilitatorConfig {
  if (settings.text() === "embedded") return { kind: "embedded" };
  const apiKey = readSecret(settings.get("apiKey"), at);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    settings.get("apiKey").report("must be the key as the dashboard shows it, without spaces");
  }
  return {
    kind: "remote",
    url: settings.get("url").parse(baseUrl) ?? "",
    apiKey,
    timeoutMs: settings.get("timeout").parse(parseDuration) ?? 0,
  };
}

function readUpstream(name: string, settings: SettingReader, at: ConfigContext): UpstreamConfig {
  const [timeouts, paths] = [settings.get("timeouts"), settings.get("paths")];
  return {
    name,
    url: settings.get("url").parse(baseUrl) ?? "",
    headers: readCredentials(settings.get("headers"), at),
    timeouts: {
      connectMs: timeouts.get("connect").parse(parseDuration) ?? 0,
      headersMs: timeouts.get("headers").parse(parseDuration) ?? 0,
      idleMs: timeouts.get("idle").parse(parseDuration) ?? 0,
      totalMs: timeouts.get("total").parse(parseDuration) ?? 0,
    },
    concurrency: settings.get("concurrency").number() ?? 0,
    requestBytesMax: settings.get("maxRequestBytes").parse(parseSize) ?? 0,
    responseBytesMax: settings.get("maxResponseBytes").parse(parseSize) ?? 0,
    paths: {
      caseInsensitive: paths.get("caseInsensitive").boolean() ?? false,
      allowEncodedSlash: paths.get("allowEncodedSlash").boolean() ?? false,
    },
  };
}

/** A client may send these unless the configuration sets them. */
const settable: RequestRule = {
  isPaid: false,
  pass: new Set(["authorization", "cookie"]),
  configured: new Set(),
};

function readCredentials(settings: SettingReader, at: ConfigContext): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, one] of settings.entries()) {
    const lower = name.toLowerCase();
    const value = readSecret(one, at);
    if (!isPassedToUpstream(name, settable)) {
      one.report("cannot be set; the connection and the gateway write this header themselves");
    } else if (headers.has(lower)) one.report("is there twice, in two spellings");
    else if (value !== undefined && !/^[\x20-\x7e]+$/.test(value)) {
      one.report("must be printable ASCII, also what the environment gives");
    } else headers.set(lower, value ?? "");
  }
  return headers;
}

function readSecret(settings: SettingReader, at: ConfigContext): string | undefined {
  const text = settings.text();
  if (text === undefined) return undefined;
  const filled = fillSecrets(text, at.environment);
  if ("text" in filled) return filled.text;
  settings.report(`cannot be filled in: ${filled.problem}`);
  return undefined;
}

function readDiscovery(settings: SettingReader, at: ConfigContext): DiscoveryConfig {
  return {
    openapi: readOpenapi(settings.get("openapi"), at),
    wellKnown: settings.get("wellKnown").boolean() ?? true,
    title: settings.get("title").text(),
    guidance: settings.get("guidance").text(),
    contact: settings.get("contact").text(),
  };
}

function readOpenapi(settings: SettingReader, at: ConfigContext): JsonObject | undefined {
  const text = settings.text();
  if (text === undefined) return undefined;
  const document = readDocument(resolve(at.folder, text));
  const problem = typeof document === "string" ? document : whyNoOpenapi(document);
  if (problem !== undefined) settings.report(problem);
  return typeof document === "string" || problem !== undefined ? undefined : document;
}

/** Reads an OpenAPI document in JSON or YAML; a text explains a failure. */
export function readDocument(path: string): JsonObject | string {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return `names ${path}, which cannot be read; check the path and its rights`;
  }
  if (text.length > maxOpenapiChars)
    return `names a file of more than ${maxOpenapiChars} characters`;
  try {
    const value: unknown = parseYaml(text);
    if (isObject(value)) return value;
  } catch {
    // Reported below; the parser's message would repeat the file.
  }
  return `names ${path}, which is neither a JSON nor a YAML object`;
}

/** Parses an http or https address without query, fragment, user name and trailing slash. */
export function baseUrl(text: string): string | undefined {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || text.includes("\\")) return undefined;
  const isPlain =
    url.search === "" && url.hash === "" && url.username === "" && url.password === "";
  return isPlain ? url.href.replace(/\/+$/, "") : undefined;
}

function payableAddress(text: string): Address | undefined {
  const address = parseAddress(text);
  return address === zeroAddress ? undefined : address;
}

function readStore(settings: SettingReader, at: ConfigContext): GatewayConfig["store"] {
  const text = settings.text();
  if (text === undefined || text === "memory") return { kind: "memory" };
  const path = resolve(at.folder, text.slice("sqlite:".length));
  if (!existsSync(dirname(path))) {
    settings.report(`is in the folder ${dirname(path)}, which is not there; create it`);
  }
  return { kind: "sqlite", path };
}

const maxPort = 65_535;

function listenAddress(text: string): ListenAddress | undefined {
  const at = text.lastIndexOf(":");
  const port = Number(text.slice(at + 1));
  return port <= maxPort ? { host: text.slice(0, at).replace(/^\[|\]$/g, ""), port } : undefined;
}

/** Parses an address, or a range such as 10.0.0.0/8. */
function proxyAddress(text: string): string | undefined {
  const [, address = "", bits] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const bitsMax = { 4: 32, 6: 128 }[isIP(address)];
  return bitsMax !== undefined && Number(bits ?? 0) <= bitsMax ? text : undefined;
}
