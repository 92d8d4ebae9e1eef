/** The page of the gateway's configuration, made from the schema that the gateway checks it with. */
import {
  gatewayMetricTable,
  gatewaySchema,
  type GatewayMetric,
  type Schema,
} from "@farthing/gateway";

/** The page. */
export function gatewayPage(made: string): string {
  return [
    made,
    "# Gateway",
    "",
    "`farthing gateway --config gateway.yaml` sells an API that knows nothing of payments. One YAML file says which routes there are, what each costs, and where the API is. Whatever is unknown or wrong in it stops the start and is named with its line; at a reload the last good configuration stays in force.",
    "",
    "```yaml",
    ...example,
    "```",
    "",
    "| command | what it does |",
    "| --- | --- |",
    ...commands.map(([command, what]) => `| \`${command}\` | ${what} |`),
    "",
    "## Settings",
    "",
    "Editors that know JSON Schema take [gateway.schema.json](gateway.schema.json), which `farthing gateway check --schema` prints as well: put `# yaml-language-server: $schema=gateway.schema.json` at the top of the file. Paths of files are relative to the configuration. Times have a unit (`300ms`, `20s`, `10m`, `1h`), sizes too (`64KiB`, `1MiB`).",
    "",
    "| setting | value | default |",
    "| --- | --- | --- |",
    ...rowsOf(gatewaySchema, ""),
    "",
    "`${NAME}` in `facilitator.apiKey` and in an upstream's `headers` is replaced by the environment variable `NAME`, or by the content of the file that `NAME_FILE` names, which is read anew at every reload. Nowhere else.",
    "",
    ...rest,
    "",
    "## Metrics",
    "",
    "With `listen.metrics` set, `GET /metrics` on that address gives these in Prometheus' text format. `route` is a rule as the file writes it, never a path.",
    "",
    "| metric | kind | labels | what it says |",
    "| --- | --- | --- | --- |",
    ...metricRows(),
    "",
  ].join("\n");
}

const example = [
  "version: 1",
  "publicUrl: https://api.example.com",
  'facilitator: { url: https://facilitator.example, apiKey: "${X402_API_KEY}" }',
  "network: eip155:50",
  'payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C"',
  "upstreams:",
  "  api:",
  "    url: https://origin.internal",
  '    headers: { Authorization: "Bearer ${ORIGIN_KEY}" }',
  "routes: # the first that matches holds",
  '  - { match: "GET /health", upstream: api, free: true }',
  '  - { match: "GET /v1/reports/:id", upstream: api, price: "0.01", description: "One report" }',
  '  - { match: "POST /v1/jobs", upstream: api, price: "0.25", settle: before-upstream }',
  '  - { match: "POST /v1/stream", upstream: api, price: "0.05", stream: sse }',
  "default: deny",
];

const commands: readonly (readonly [string, string])[] = [
  [
    "farthing gateway -c gateway.yaml",
    "runs it; `--dry-run` challenges and checks payments, and settles none",
  ],
  [
    "farthing gateway check gateway.yaml",
    "reads it as the gateway does, shows the rules as they are tried, and what to look at; `--online` also asks the facilitator, connects to every upstream, asks those of `after-success` routes with a fixed path for their headers (a redirect is warned of), and compares two challenges of the gateway where it runs (two equal tokens mean that something keeps them). Exit code 0: nothing must be fixed; 3: something in the file must; 4: something does not answer as it should",
  ],
  [
    "farthing gateway explain GET /v1/reports/7",
    "says which rule takes a request and why earlier ones do not, the price, the upstream's address, the headers that are removed and added, and the challenge. Sends nothing",
  ],
  [
    "farthing gateway import openapi.json --prices prices.yaml",
    "prints a configuration to review, also from a `gateway.json` of xdcai.tech; with `--against gateway.yaml` what has changed since",
  ],
];

/** What the schema cannot say. */
const rest = [
  "## Rules",
  "",
  "A rule's `match` is a method and a path. `:name` stands for one segment, `*` at the end for any number of them, none included; `*` as the method for all. A slash at the end counts for nothing. HEAD takes the rule of GET, and on a paid route is told the price without a payment being taken (see `head`); OPTIONS is answered by the gateway, other methods than GET, HEAD, POST, PUT, PATCH and DELETE get 405. The query has no part in it, so one path with many operations (GraphQL, JSON-RPC batches) has one price. As soon as a rule names a `host`, requests for hosts that no rule names get 421, but for the host of `publicUrl`.",
  "",
  "A configuration is refused when a rule is never reached, when two rules at different prices share requests and neither path is the more exact, and when the time at the upstream, 20 s for the settlement and 15 s of margin do not fit into `maxTimeoutSeconds`.",
  "",
  "## Paths",
  "",
  "A path is made canonical once: that form is matched, bound to the payment, and sent to the upstream. What servers read in different ways is refused with 400 and not repaired: empty segments, `.` and `..`, backslashes, `;`, controls, bytes outside ASCII, broken escapes and those that are no UTF-8, escaped `/` `\\` `%` `;` `?` `#`, segments that end in a dot or a space, and targets that are no path.",
  "",
  "Letters of another case do not match, unless the upstream has `caseInsensitive: true`, as Express has by default. A rule at another price never takes a path that differs from an earlier rule only in the case of letters: it gets 404.",
  "",
  "## When the money moves",
  "",
  "| `settle` | order | the buyer pays when |",
  "| --- | --- | --- |",
  "| `after-success` | check, upstream, settlement, answer | the upstream answered in the 200s, or with a redirect, whose address often is the content (`redirects: withhold` answers 502 instead and charges nothing); any other answer goes out without the headers that lead to content, and nothing is settled |",
  "| `before-upstream` | check, settlement, upstream, answer | always; when the upstream then fails, the same payment with the same request runs it again without a new charge |",
  "",
  "With `stream`, the settlement comes after the upstream's headers and before the first byte of the body. With `after-success`, a payer can cancel the authorization or empty the wallet while the upstream works; use `before-upstream` for work that costs or changes something.",
  "",
  "## Nobody goes round the gateway",
  "",
  "The upstream must not be reachable otherwise: let it listen on a private address, and demand a secret that the gateway adds with `headers`. Only then do the headers `X-Payment-Payer`, `X-Payment-Amount`, `X-Payment-Network` and `X-Payment-Id`, with which the gateway tells of a payment, prove anything.",
  "",
  "## What the gateway answers itself",
  "",
  "`GET /openapi.json` (with prices; with `discovery.openapi` the upstream's own document, less what is not sold), `GET /.well-known/x402`, `GET /__x402/health`, `GET /__x402/ready`.",
];

function rowsOf(schema: Schema, prefix: string): readonly string[] {
  const group = schema.anyOf?.find(({ type }) => type === "object") ?? schema;
  const members = Object.entries(group.properties ?? {}).map(([key, one]) => ({
    name: prefix === "" ? key : `${prefix}.${key}`,
    one,
    isRequired: (group.required ?? []).includes(key),
  }));
  const named = Object.values(group.patternProperties ?? {}).map((one) => ({
    name: `${prefix}.<name>`,
    one,
    isRequired: false,
  }));
  return [...members, ...named].flatMap(({ name, one, isRequired }) => {
    const shown = isRequired ? "required" : fallbackOf(one);
    // It is a route without match, whose settings stand above.
    if (name === "default") return [`| \`default\` | ${shapeOf(one)} | ${shown} |`];
    const inner = one.items?.properties ? rowsOf(one.items, `${name}[]`) : rowsOf(one, name);
    return [`| \`${name}\` | ${shapeOf(one)} | ${shown} |`, ...inner];
  });
}

function fallbackOf({ default: fallback }: Schema): string {
  if (fallback === undefined) return "";
  return `\`${typeof fallback === "string" ? fallback : JSON.stringify(fallback)}\``;
}

function metricRows(): readonly string[] {
  return Object.entries(gatewayMetricTable).map(
    ([name, { kind, help, labels }]: [string, GatewayMetric]) =>
      `| \`${name}\` | ${kind} | ${labels.map((label) => `\`${label}\``).join(", ")} | ${help} |`,
  );
}

function shapeOf({ description = "", enum: choices, minimum, maximum }: Schema): string {
  const range = minimum === undefined ? "" : `, ${minimum} to ${maximum}`;
  const known = choices && choices.length > 1 ? `${choices.join(", ")}: ` : "";
  return `${known}${description}${range}`.replaceAll("|", "\\|").replaceAll("*", "\\*");
}
