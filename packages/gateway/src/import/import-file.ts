/** The result of an import: a configuration to review, or the changes since the last one. */
import { isObject, parseUsdc, printableLine } from "@farthing/protocol";
import type { ImportedApi, ImportedRoute } from "./imported-api.ts";
import { readYamlSource } from "../configuration/yaml-source.ts";

/** The seller's choices, which no file contains. */
export interface ImportChoices {
  readonly publicUrl?: string | undefined;
  readonly facilitator?: string | undefined;
  readonly payTo?: string | undefined;
  readonly network?: string | undefined;
  /** The OpenAPI document, whose operations `/openapi.json` then describes. */
  readonly openapi?: string | undefined;
}

/** Writes a configuration; missing values are an ellipsis, which `check` refuses. */
export function writeGatewayFile(api: ImportedApi, choices: ImportChoices = {}): string {
  const { publicUrl = "https://…", facilitator = "https://…", payTo = "0x…" } = choices;
  const priced = api.routes.filter(({ price }) => price !== undefined);
  const unpriced = api.routes.filter(({ price }) => price === undefined);
  const location = facilitator === "embedded" ? facilitator : `{ url: ${quote(facilitator)} }`;
  return [
    "# Review this file, fill in every …, then: farthing gateway check",
    "version: 1",
    `publicUrl: ${quote(publicUrl)}`,
    `facilitator: ${location}`,
    `network: ${choices.network ?? "eip155:50"}`,
    `payTo: ${quote(payTo)}`,
    "store: sqlite:./gateway.db",
    "upstreams:",
    "  api:",
    `    url: ${quote(api.upstreamUrl ?? "https://…")}`,
    api.isGuarded
      ? '    headers: { Authorization: "Bearer ${ORIGIN_KEY}" }'
      : '    # headers: { Authorization: "Bearer ${ORIGIN_KEY}" }  # so that no one bypasses the gateway',
    `routes:${priced.length === 0 ? " []" : ""}`,
    ...priced.map((route) => `  - ${ruleOf(route)}`),
    ...listed(
      "# Without a price, so left to default:",
      unpriced.map(({ match }) => match),
    ),
    ...listed(
      "# No rule can match:",
      api.leftOut.map(({ operation, why }) => `${operation} (${why})`),
    ),
    "default: deny",
    ...discoveryOf(api, choices),
    "",
  ].join("\n");
}

/** The document has a title of its own. */
function discoveryOf({ title }: ImportedApi, { openapi }: ImportChoices): readonly string[] {
  if (openapi !== undefined) return ["discovery:", `  openapi: ${quote(openapi)}`];
  return title === undefined ? [] : ["discovery:", `  title: ${quote(title)}`];
}

function ruleOf({ match, price, description, isEventStream }: ImportedRoute): string {
  const cost = price === "free" ? "free: true" : `price: ${quote(price ?? "")}`;
  const said =
    description === undefined || price === "free" ? "" : `, description: ${quote(description)}`;
  const stream = isEventStream === true && price !== "free" ? ", stream: sse" : "";
  return `{ match: ${quote(match)}, upstream: api, ${cost}${stream}${said} }`;
}

function listed(title: string, lines: readonly string[]): readonly string[] {
  // A line end in a path of the document would end the comment and add a setting.
  return lines.length === 0 ? [] : [title, ...lines.map((line) => `#   ${printableLine(line)}`)];
}

/** A JSON string is a YAML string. */
function quote(text: string): string {
  return JSON.stringify(text);
}

export type ImportDifference = NonNullable<ReturnType<typeof compareImport>>;

/** Compares a configuration with an import. A route without a new price keeps its price. */
export function compareImport(text: string, api: ImportedApi) {
  const source = readYamlSource(text);
  const routes = "value" in source && isObject(source.value) ? source.value["routes"] : undefined;
  if (!Array.isArray(routes)) return undefined;
  const present = new Map(
    (routes as readonly unknown[]).flatMap((one) => {
      if (!isObject(one) || typeof one["match"] !== "string") return [];
      const price = typeof one["price"] === "string" ? one["price"] : "free";
      return [[one["match"], price] as const];
    }),
  );
  const offered = new Map(api.routes.map(({ match, price }) => [match, price]));
  const fresh = api.routes.filter(({ match }) => !present.has(match));
  return {
    added: fresh.flatMap(({ match, price }) => (price === undefined ? [] : [{ match, price }])),
    /** Rules of the configuration that the file does not have. */
    removed: [...present]
      .filter(([match]) => !offered.has(match))
      .map(([match, price]) => ({ match, price })),
    changed: [...present].flatMap(([match, before]) => {
      const after = offered.get(match);
      return after === undefined || isSamePrice(before, after) ? [] : [{ match, before, after }];
    }),
    /** Operations without a price that are not in the configuration. */
    unpriced: fresh.flatMap(({ match, price }) => (price === undefined ? [match] : [])),
  };
}

/** `0.10` is `0.1`. */
function isSamePrice(one: string, other: string): boolean {
  return one === other || (one !== "free" && parseUsdc(one) === parseUsdc(other));
}
