/** From the settings of a file to the effective configuration. */
import { readFileSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import {
  findNetwork,
  isObject,
  parseAddress,
  parseUsdc,
  zeroAddress,
  type JsonObject,
} from "@farthing/protocol";
import { parse as parseYaml } from "yaml";
import type {
  FacilitatorPlace,
  GatewayConfig,
  ListenAddress,
  PassedHeader,
  RouteConfig,
  SettleMode,
  UpstreamConfig,
} from "./configuration.ts";
import { parseDuration, parseSize } from "./duration-size.ts";
import { forbiddenCredentials } from "./header-rules.ts";
import { parseRoutePattern, type RoutePattern } from "./route-pattern.ts";
import { fillSecrets, type Environment } from "./secret-texts.ts";
import type { SettingReader } from "./setting-reader.ts";

/** What the file refers to. */
export interface ConfigSurroundings {
  readonly environment: Environment;
  /** Where relative paths start. */
  readonly folder: string;
}

/** An OpenAPI document beyond this, in characters, is no description of one API. */
const openapiCharsMax = 8 * 1024 * 1024;

/** Undefined when something is missing or wrong, which is reported then. */
export function assembleConfig(
  settings: SettingReader,
  at: ConfigSurroundings,
): GatewayConfig | undefined {
  const upstreams = new Map(
    settings
      .get("upstreams")
      .entries()
      .map(([name, one]) => [name, readUpstream(name, one, at)] as const),
  );
  const maxTimeoutSeconds = settings.get("maxTimeoutSeconds").number();
  const routeOf = (one: SettingReader, index: number) =>
    readRoute(one, { index, upstreams, maxTimeoutSeconds });
  const items = settings.get("routes").items();
  const routes = items.map((one, index) => routeOf(one, index));
  const fallback = settings.get("default");
  const isDeny = fallback.text() === "deny";
  const [network, payTo] = [
    settings.get("network").parse(findNetwork),
    settings.get("payTo").parse(payableAddress),
  ];
  return complete({
    publicUrl: settings.get("publicUrl").parse(baseUrl),
    listen: complete({
      http: settings.get("listen").get("http").parse(listenAddress),
      metrics: orNull(settings.get("listen").get("metrics"), (one) => one.parse(listenAddress)),
    }),
    trustedProxies: completeList(
      settings.get("trustedProxies").items().map((one) => one.parse(proxyAddress)),
    ),
    facilitator: readFacilitator(settings.get("facilitator"), at),
    network,
    payTo,
    store: settings.get("store").parse((text) => storePlace(text, at.folder)),
    upstreams: completeMap(upstreams),
    routes: completeList(routes),
    fallback: isDeny ? null : routeOf(fallback, items.length),
    maxTimeoutSeconds,
    replay: complete({
      ttlMs: settings.get("replay").get("ttl").parse(parseDuration),
      entryBytesMax: settings.get("replay").get("maxEntryBytes").parse(parseSize),
      totalBytesMax: settings.get("replay").get("maxTotalBytes").parse(parseSize),
    }),
    discovery: readDiscovery(settings.get("discovery"), at),
  });
}
