import { parseUsdc } from "@farthing/protocol";
import type { PassedHeader, RouteConfig, SettleMode, UpstreamConfig } from "./configuration.ts";
import { parseRoutePattern, type RoutePattern } from "../routing/route-pattern.ts";
import type { SettingReader } from "./setting-reader.ts";

export interface RouteContext {
  readonly index: number;
  readonly upstreams: ReadonlyMap<string, UpstreamConfig>;
  /** The default of all routes. */
  readonly maxTimeoutSeconds: number;
  readonly redeliver: string | undefined;
  readonly requireBinding: boolean;
  readonly serveWhen: string | undefined;
  readonly isEmbedded: boolean;
}

/** Reported where a facilitator elsewhere would have to serve before confirmation. */
export const needsEmbedded = 'is "queued", which needs facilitator: embedded; write confirmed';

/** The pattern of `default`: every request. */
const everything: RoutePattern = { method: "*", path: "/*", segments: [], hasRest: true };

const settleModes: readonly SettleMode[] = ["after-success", "before-upstream"];
const streams = ["sse", "raw"] as const;
const redirects = ["charge", "withhold"] as const;
const redelivers = ["bound", "anyone", "never"] as const;
const heads = ["challenge", "free", "charge"] as const;
const passed: readonly PassedHeader[] = ["authorization", "cookie", "set-cookie"];

/** Assembles a route; undefined, and reported, for a rule without a pattern or upstream. */
export function readRoute(
  settings: SettingReader,
  { index, upstreams, ...forAll }: RouteContext,
): RouteConfig | undefined {
  const isDefault = settings.location[0] === "default";
  const match = settings.get("match");
  const pattern = isDefault ? everything : readMatch(match);
  const upstream = readUpstreamName(settings.get("upstream"), upstreams);
  const amountUnits = readPrice(settings);
  const [settle, stream] = [settings.get("settle"), settings.get("stream")];
  const [redirect, head] = [settings.get("redirects").text(), settings.get("head").text()];
  const redeliver = settings.get("redeliver").text() ?? forAll.redeliver;
  const serveWhen = settings.get("serveWhen").text() ?? forAll.serveWhen;
  if (settings.get("serveWhen").text() === "queued" && !forAll.isEmbedded) {
    settings.get("serveWhen").report(needsEmbedded);
  }
  if (!pattern || !upstream) return undefined;
  return {
    name: isDefault ? "default" : (match.text() ?? ""),
    index,
    pattern,
    host: settings.get("host").text()?.toLowerCase(),
    upstream,
    amountUnits,
    settle: settleModes.find((one) => one === settle.text()) ?? "after-success",
    redirects: redirects.find((one) => one === redirect) ?? "charge",
    head: heads.find((one) => one === head) ?? "challenge",
    serveWhen: serveWhen === "queued" ? "queued" : "confirmed",
    redeliver: redelivers.find((one) => one === redeliver) ?? "bound",
    requireBinding: settings.get("requireBinding").boolean() ?? forAll.requireBinding,
    stream: streams.find((one) => one === stream.text()),
    description: settings.get("description").text(),
    mimeType: settings.get("mimeType").text(),
    maxTimeoutSeconds: settings.get("maxTimeoutSeconds").number() ?? forAll.maxTimeoutSeconds,
    pass: new Set(
      settings
        .get("pass")
        .items()
        .flatMap((item) => passed.find((one) => one === item.text()) ?? []),
    ),
  };
}

function readMatch(settings: SettingReader): RoutePattern | undefined {
  const text = settings.text();
  const pattern = text === undefined ? undefined : parseRoutePattern(text);
  if (typeof pattern !== "string") return pattern;
  settings.report(`is ${JSON.stringify(text)}, but ${pattern}`);
  return undefined;
}

function readUpstreamName(
  settings: SettingReader,
  upstreams: ReadonlyMap<string, UpstreamConfig>,
): UpstreamConfig | undefined {
  const name = settings.text();
  const upstream = name === undefined ? undefined : upstreams.get(name);
  if (name !== undefined && !upstream) {
    const known = [...upstreams.keys()].join(", ") || "none";
    settings.report(`is ${JSON.stringify(name)}, but upstreams has: ${known}`);
  }
  return upstream;
}

/** Reads a price. Settings of paid routes are a mistake on a free one. */
function readPrice(settings: SettingReader): bigint | undefined {
  const [free, price] = [settings.get("free"), settings.get("price")];
  if (free.isGiven === price.isGiven) {
    settings.report('must have either free: true or a price, for example price: "0.01"');
  }
  for (const name of ["settle", "redirects", "head", "serveWhen", "redeliver", "requireBinding"]) {
    const setting = settings.get(name);
    if (free.isGiven && setting.isGiven)
      setting.report("makes no sense on a free route; remove it");
  }
  const amount = price.parse((text) => parseUsdc(text));
  if (amount === 0n) price.report("is 0; write free: true for a route that costs nothing");
  return amount;
}
