/**
 * Assembles the effective configuration from a file that was read, and reports what only the
 * environment, other files or other settings tell.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { isObject, parsePrivateKey, type JsonObject } from "@farthing/protocol";
import { parse as parseYaml } from "yaml";
import { isPassedToUpstream, type RequestRule } from "../headers/header-rules.ts";
import { assembleRoute, needsEmbedded } from "./assemble-route.ts";
import type { ConfigContext } from "./config-context.ts";
import {
  nameOfFacilitator,
  servedByProxyUrl,
  type FacilitatorConfig,
  type GatewayConfig,
} from "./configuration.ts";
import type { GatewayFile, UpstreamSettings } from "./configuration-schema.ts";
import { whyNoOpenapi } from "../openapi/openapi-operations.ts";
import type { Location } from "./read-settings.ts";
import { fillSecrets } from "./secret-texts.ts";

/** A longer OpenAPI document describes more than one API. */
const maxOpenapiChars = 8 * 1024 * 1024;

export function assembleConfig(file: GatewayFile, context: ConfigContext): GatewayConfig {
  const { listen, replay, discovery, routes } = file;
  const upstreams = new Map(
    Object.entries(file.upstreams).map(([name, one]) => [
      name,
      readUpstream(name, one, file, context),
    ]),
  );
  const deps = { file, upstreams, context };
  if (file.serveWhen === "queued" && file.facilitator !== "embedded") {
    context.report(["serveWhen"], needsEmbedded);
  }
  if (routes.length === 0 && !context.isWrong(["routes"])) {
    context.report(["routes"], "is empty; nothing would be served");
  }
  return {
    publicUrl: file.publicUrl,
    listen: { http: listen.http, metrics: listen.metrics },
    trustedProxies: file.trustedProxies,
    rateLimit: file.rateLimit,
    paywall: file.paywall,
    facilitators: readFacilitators(file, context),
    rpcUrl: readRpcUrl(file, context),
    network: file.network,
    payTo: file.payTo,
    store: readStore(file.store, context),
    channels: readChannelKeys(file, context),
    upstreams,
    routes: routes.flatMap((one, index) => assembleRoute(one, index, deps) ?? []),
    fallback:
      file.default === "deny" ? undefined : assembleRoute(file.default, routes.length, deps),
    maxTimeoutSeconds: file.maxTimeoutSeconds,
    replay: {
      ttlMs: replay.ttl,
      entryBytesMax: replay.maxEntryBytes,
      totalBytesMax: replay.maxTotalBytes,
    },
    discovery: { ...discovery, openapi: readOpenapi(discovery.openapi, context) },
  };
}

function readFacilitators(
  { facilitator }: GatewayFile,
  context: ConfigContext,
): readonly FacilitatorConfig[] {
  if (!Array.isArray(facilitator)) return [readFacilitator(facilitator, ["facilitator"], context)];
  const names = new Set<string>();
  return facilitator.map((one, index) => {
    const location = ["facilitator", index];
    const read = readFacilitator(one, location, context);
    const name = nameOfFacilitator(read);
    if (names.has(name)) context.report(location, `names ${name} a second time`);
    names.add(name);
    return read;
  });
}

type OneFacilitator = Exclude<GatewayFile["facilitator"], readonly unknown[]>;

function readFacilitator(
  facilitator: OneFacilitator,
  at: Location,
  context: ConfigContext,
): FacilitatorConfig {
  if (facilitator === "embedded") return { kind: "embedded" };
  const location = [...at, "apiKey"];
  const apiKey = readSecret(facilitator.apiKey, location, context);
  if (apiKey !== undefined && !/^[\x21-\x7e]+$/.test(apiKey)) {
    context.report(location, "must be the key as the dashboard shows it, without spaces");
  }
  const { url, name = url, timeout: timeoutMs } = facilitator;
  return { kind: "remote", url, name, apiKey, timeoutMs };
}

function readRpcUrl(file: GatewayFile, context: ConfigContext): string | undefined {
  const rpcUrl = readSecret(file.rpcUrl, ["rpcUrl"], context);
  if (rpcUrl !== undefined && !(/^https?:/.test(rpcUrl) && URL.canParse(rpcUrl))) {
    context.report(["rpcUrl"], "must be an address of http or https");
  }
  return rpcUrl;
}

function readChannelKeys({ channels }: GatewayFile, context: ConfigContext) {
  const location = ["channels", "authorizerKey"];
  const text = readSecret(channels.authorizerKey, location, context);
  const authorizerKey = parsePrivateKey(text);
  if (text !== undefined && authorizerKey === undefined) {
    context.report(location, "must be a private key of 0x and 64 hex digits");
  }
  return { authorizerKey, maxUnvaulted: channels.maxUnvaulted };
}

function readUpstream(
  name: string,
  settings: UpstreamSettings,
  file: GatewayFile,
  context: ConfigContext,
) {
  if (settings.servedByProxy) checkServedByProxy(name, settings, file, context);
  const { timeouts, concurrency, maxRequestBytes, maxResponseBytes } = settings;
  const url = readUpstreamUrl(name, settings, context);
  // The file systems of macOS and Windows treat A as a.
  const ignoresCase = url.startsWith("file:") && process.platform !== "linux";
  const paths = ignoresCase ? { ...settings.paths, caseInsensitive: true } : settings.paths;
  return {
    name,
    url,
    headers: readCredentials(settings.headers, ["upstreams", name, "headers"], context),
    timeouts: {
      connectMs: timeouts.connect,
      headersMs: timeouts.headers,
      idleMs: timeouts.idle,
      totalMs: timeouts.total,
    },
    concurrency,
    requestBytesMax: maxRequestBytes,
    responseBytesMax: maxResponseBytes,
    paths,
  };
}

/** Returns the address of an API, or the `file:` address of a folder. */
function readUpstreamUrl(
  name: string,
  { url, folder, servedByProxy, paths }: UpstreamSettings,
  context: ConfigContext,
): string {
  const at = ["upstreams", name];
  if (servedByProxy) return servedByProxyUrl;
  if (folder === undefined) {
    if (url !== undefined) return url;
    if (!context.isWrong([...at, "url"])) {
      const message =
        'needs url, the address of an API, or folder, or servedByProxy. Example: "https://origin.internal"';
      context.report([...at, "url"], `is missing; the upstream ${message}`);
    }
    return missingUrl;
  }
  if (url !== undefined)
    context.report([...at, "folder"], "stands beside url; leave one of them out");
  if (paths.allowEncodedSlash) {
    const message = "is true for a folder, whose files are found by / and %2F alike; leave it out";
    context.report([...at, "paths", "allowEncodedSlash"], message);
  }
  const path = resolve(context.folder, folder);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    context.report([...at, "folder"], `names ${path}, which is no folder; create it`);
  }
  return pathToFileURL(path).href;
}

/** What only a gateway that passes requests on can keep to. */
const ofPassedRequests = [
  "url",
  "folder",
  "headers",
  "timeouts",
  "concurrency",
  "maxRequestBytes",
  "maxResponseBytes",
] as const;

function checkServedByProxy(
  name: string,
  { paths }: UpstreamSettings,
  { trustedProxies }: GatewayFile,
  { isGiven, report }: ConfigContext,
): void {
  const at = ["upstreams", name];
  for (const setting of ofPassedRequests) {
    if (!isGiven([...at, setting])) continue;
    report(
      [...at, setting],
      "stands beside servedByProxy, whose requests never come here; remove it",
    );
  }
  if (paths.allowEncodedSlash) {
    const message = "is true for what a proxy serves, which may read %2F as /; leave it out";
    report([...at, "paths", "allowEncodedSlash"], message);
  }
  if (trustedProxies.length === 0) {
    const message =
      "needs trustedProxies with the address of the proxy, which alone may ask about requests. Example: trustedProxies: [127.0.0.1]";
    report([...at, "servedByProxy"], message);
  }
}

/** Stands in for an address that was reported as missing. */
const missingUrl = "http://localhost";

/** A client may send these unless the configuration sets them. */
const settable: RequestRule = {
  isPaid: false,
  pass: new Set(["authorization", "cookie"]),
  configured: new Set(),
};

function readCredentials(
  given: UpstreamSettings["headers"],
  location: Location,
  context: ConfigContext,
): Map<string, string> {
  const headers = new Map<string, string>();
  for (const [name, text] of Object.entries(given)) {
    const at = [...location, name];
    const lower = name.toLowerCase();
    const value = readSecret(text, at, context);
    if (!isPassedToUpstream(name, settable)) {
      const message = "cannot be set; the connection and the gateway write this header themselves";
      context.report(at, message);
    } else if (headers.has(lower)) context.report(at, "is there twice, in two spellings");
    else if (value !== undefined && !/^[\x20-\x7e]+$/.test(value)) {
      context.report(at, "must be printable ASCII, also what the environment gives");
    } else headers.set(lower, value ?? "");
  }
  return headers;
}

function readSecret(text: string | undefined, location: Location, context: ConfigContext) {
  if (text === undefined) return undefined;
  const filled = fillSecrets(text, context.environment);
  if ("text" in filled) return filled.text;
  context.report(location, `cannot be filled in: ${filled.problem}`);
  return undefined;
}

function readOpenapi(path: string | undefined, context: ConfigContext): JsonObject | undefined {
  if (path === undefined) return undefined;
  const document = readDocument(resolve(context.folder, path));
  const problem = typeof document === "string" ? document : whyNoOpenapi(document);
  if (problem !== undefined) context.report(["discovery", "openapi"], problem);
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

function readStore(store: string, { folder, report }: ConfigContext): GatewayConfig["store"] {
  if (store === "memory") return { kind: "memory" };
  const path = resolve(folder, store.slice("sqlite:".length));
  if (!existsSync(dirname(path))) {
    report(["store"], `is in the folder ${dirname(path)}, which is not there; create it`);
  }
  return { kind: "sqlite", path };
}
