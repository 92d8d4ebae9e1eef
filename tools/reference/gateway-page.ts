/** The page of the gateway's configuration, generated from the schema that validates it. */
import {
  gatewayMetricTable,
  gatewayErrors,
  gatewaySchema,
  isRetryable,
  type GatewayMetric,
  type Schema,
} from "@farthing/gateway";

export function gatewayPage(made: string): string {
  return [
    made,
    "# Gateway",
    "",
    "`farthing gateway --config gateway.yaml` sells an API that knows nothing of payments. One YAML file lists the routes, the price of each, and the API's address. An unknown or invalid setting stops the start with a message that names its line. After an invalid reload the last valid configuration stays active.",
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
    "Editors that support JSON Schema can use [gateway.schema.json](gateway.schema.json), which `farthing gateway check --schema` also prints: put `# yaml-language-server: $schema=gateway.schema.json` at the top of the file. Paths of files are relative to the configuration. Times have a unit (`300ms`, `20s`, `10m`, `1h`), sizes too (`64KiB`, `1MiB`).",
    "",
    "| setting | value | default |",
    "| --- | --- | --- |",
    ...rowsOf(gatewaySchema, ""),
    "",
    "`${NAME}` in `facilitator.apiKey` and in an upstream's `headers` is replaced by the environment variable `NAME`, or by the content of the file that `NAME_FILE` names, which every reload reads again. Other settings have no such replacement.",
    "",
    ...rest,
    "",
    "## Metrics",
    "",
    "With `listen.metrics` set, `GET /metrics` on that address returns these metrics in Prometheus' text format. `route` is a rule as written in the file, never a path.",
    "",
    "| metric | kind | labels | meaning |",
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
  "routes: # the first match applies",
  '  - { match: "GET /health", upstream: api, free: true }',
  '  - { match: "GET /v1/reports/:id", upstream: api, price: "0.01", description: "One report" }',
  '  - { match: "POST /v1/jobs", upstream: api, price: "0.25", settle: before-upstream }',
  '  - { match: "POST /v1/stream", upstream: api, price: "0.05", stream: sse }',
  "default: deny",
];

const commands: readonly (readonly [string, string])[] = [
  [
    "farthing gateway -c gateway.yaml",
    "runs the gateway; `--dry-run` sends challenges and verifies payments, but settles none",
  ],
  [
    "farthing gateway --to http://127.0.0.1:3000 --price 0.01 --pay-to 0x…",
    "sells every path of an API at one price, without a file. `--network`, `--facilitator` (a base address, which gets the key in `FARTHING_API_KEY`, or `embedded`, the default), `--listen` and `--public-url` are the settings of the same names; everything else has its default. `--print-config` prints the file that the options stand for",
  ],
  [
    "farthing gateway check gateway.yaml",
    "reads the file as the gateway does, and shows the rules in their order and any warnings. `--online` also calls the facilitator, connects to every upstream, requests the headers of `after-success` routes with a fixed path (and warns of redirects), and compares two challenges of the running gateway (two equal tokens mean that a cache stores them). Exit code 0: nothing must be fixed; 3: the file has errors; 4: a server does not respond correctly",
  ],
  [
    "farthing gateway explain GET /v1/reports/7",
    "shows which rule matches a request and why earlier ones do not, the price, the upstream's address, the removed and added headers, and the challenge. Sends nothing",
  ],
  [
    "farthing gateway channels list",
    "lists the channels of the gateway's store with something to claim; `claim` claims it and sends it to `payTo`, and `refund 0x…` gives back what is left in one. Works beside a gateway that runs",
  ],
  [
    "farthing gateway import openapi.json --prices prices.yaml",
    "prints a configuration to review, also from a `gateway.json` of xdcai.tech; with `--against gateway.yaml` it prints the changes since",
  ],
];

/** Sections that the schema does not contain. */
const rest = [
  "## Rules",
  "",
  "A rule's `match` is a method and a path. `:name` stands for one segment, `*` at the end for any number of segments including none, and `*` as the method for all methods. A slash at the end is ignored. HEAD uses the rule of GET, and on a paid route gets the price without a payment (see `head`). The gateway itself responds to OPTIONS. Methods other than GET, HEAD, POST, PUT, PATCH and DELETE get 405. Matching ignores the query, so one path with many operations (GraphQL, JSON-RPC batches) has one price. As soon as a rule names a `host`, requests for hosts that no rule names get 421, except for the host of `publicUrl`.",
  "",
  "The gateway refuses a configuration if a rule is never reached, if two rules with different prices share requests and neither path is more specific, or if the upstream's time, 20 s for the settlement and 15 s of margin do not fit into `maxTimeoutSeconds`.",
  "",
  "## Paths",
  "",
  "The gateway makes a path canonical once. It matches that form, binds it to the payment, and sends it to the upstream. Paths that servers read in different ways are refused with 400 and not repaired: empty segments, `.` and `..`, backslashes, `;`, controls, bytes outside ASCII, broken escapes and escapes that are not UTF-8, escaped `/` `\\` `%` `;` `?` `#`, segments that end in a dot or a space, and targets that are not a path.",
  "",
  "Matching is case-sensitive unless the upstream has `caseInsensitive: true`, which corresponds to the default of Express. A path that differs from an earlier rule only in case never matches a rule with another price: it gets 404.",
  "",
  "## Settlement timing",
  "",
  "| `settle` | order | the buyer pays when |",
  "| --- | --- | --- |",
  "| `after-success` | verification, upstream, settlement, response | the upstream responds with 2xx, or with a redirect, whose address is often the content (`redirects: withhold` returns 502 instead and charges nothing). Any other response is sent without the headers that lead to content, and nothing is settled |",
  "| `before-upstream` | verification, settlement, upstream, response | always. If the upstream then fails, the same payment with the same request calls it again without a new charge |",
  "",
  "With `stream`, the settlement comes after the upstream's headers and before the first byte of the body. With `after-success`, a payer can cancel the authorization or empty the wallet while the upstream works; use `before-upstream` for work that is expensive or changes something.",
  "",
  "## Channels",
  "",
  "With `channel`, a buyer deposits once and signs a voucher for each request ([channels](../concepts/channels.md)). One channel pays for all routes of the gateway. A request is charged after the upstream's response, and only for 2xx or a redirect; `settle` is about single payments. It costs its price, or with `costHeader` what that header says, or with `costFrom` the usage, and never more than the price; a cost that cannot be read is the price. The charge is a header of the response, so a route with `stream` costs its price. Without `stream`, an event stream is complete before it is sent, up to `maxResponseBytes`, and costs its usage.",
  "",
  "The key in `channels.authorizerKey` signs claims and refunds; without it, a facilitator with an `apiKey` does. A channel names one address for ever, so keep the key. All sellers and gateways of one `payTo` share one store, or each has a key of its own: two stores would count the same channels. With an `apiKey`, the gateway passes its vouchers on to the facilitator within a second and when it stops, and the facilitator claims them in time. Without one, the gateway claims at its start and three times within the shortest `withdrawDelay`; keep its store in a file then, because vouchers that are lost are not paid. `farthing gateway channels` lists what is unclaimed, claims at once, and gives back what is left in a channel. A changed price is charged to the same channels: a voucher for another sum gets a 402 that says the right one. `--dry-run` sells by single payments only.",
  "",
  "## Input before money",
  "",
  "With `discovery.openapi`, the gateway validates requests for paid routes against that document before it asks for money, again before it takes a new payment or a use of a pass, and never for a payment that was begun. It checks parameters in path and query (400), the media type (415), and JSON bodies against their schema (400, 422); the response is `invalid_input` with the first five problems, and nothing is charged. It does not check headers, cookies, query parameters that are objects, and what the document does not describe. Bodies have at most `maxRequestBytes` of the upstream and 32 levels; the schema of an operation has at most 20,000 parts and refers to the document's own components only. `farthing gateway check` names operations whose schemas cannot be used; their requests go to the upstream unchecked. `discovery.validate: false` turns all of it off.",
  "",
  "## Descriptions for catalogues",
  "",
  "With `discovery.openapi`, the challenge of a request for an operation of that document declares what it takes and what comes back (extension `bazaar`): parameters in path, query and headers, the body, the JSON of the first response of 2xx, and examples that fit their schemas. Catalogues such as the marketplace of a Farthing facilitator show it. References are resolved; a schema that contains itself is cut where it does. Members that are `readOnly` are left out of requests, and those that are `writeOnly` of responses. Headers that the gateway writes or removes are not declared. A challenge has room for 3,000 characters of schemas. Where they are longer, titles and descriptions go first, then examples, then whole schemas, the response's first; `farthing gateway check` warns of each schema that is left out. `discovery.describe: false` turns all of it off, for example where a proxy in front allows for short headers only.",
  "",
  "## Free requests and limits",
  "",
  "With `freeRequests: 5`, each address may make five requests a day for a paid route without a payment. HEAD and requests that show a payment or a pass are not counted and get the usual response. The upstream gets a free request without payment headers. With `rateLimit: { perAddress: 600 }`, further requests in a minute of the clock get 429 with `Retry-After`; the built-in endpoints are not limited. An address is that of the client behind `trustedProxies`; IPv6 counts by /64. Both counts are kept in memory, by each process for itself, for 100,000 addresses; further addresses share one count. With `rateLimit: { perPayer: 60 }`, one payer can make 60 requests at once and after that 60 a minute, over all paid routes. Further ones get 429 with `Retry-After` and the error `rate_limited`, and nothing is taken: the same payment, pass or balance can be used after that time. Only a payer counts whose payment is valid, or who shows a token; a repeat of what was paid does not count. This count, too, is kept by each process for itself, for the last 100,000 payers, and a changed file does not reset it. A marketplace that checks a listing expects a 402, so a route with free requests cannot be listed.",
  "",
  "## TLS",
  "",
  "The gateway speaks HTTP. Let a server with certificates stand in front of it, for example [Caddy](https://caddyserver.com), which gets and renews them by itself:",
  "",
  "```",
  "api.example.com {",
  "\treverse_proxy 127.0.0.1:8402",
  "}",
  "```",
  "",
  "The gateway then needs `publicUrl: https://api.example.com` and `trustedProxies: [127.0.0.1]`. The server in front must not cache responses with status 402 and must allow for headers of 16 KiB.",
  "",
  "## No way around the gateway",
  "",
  "The upstream must be reachable only through the gateway: let it listen on a private address, and let it require a secret that the gateway adds with `headers`. Otherwise the headers with which the gateway reports a payment (`X-Payment-Payer`, `X-Payment-Amount`, `X-Payment-Network`, `X-Payment-Id` and `X-Payment-Channel`) prove nothing. `X-Payment-Id` is there where the money moves before the upstream is called, and `X-Payment-Channel` in calls of a channel.",
  "",
  "## Errors",
  "",
  "Where no payment was evaluated, the body of the gateway's own response is `{ error, message, retryable }`. Browsers get a page instead.",
  "",
  "| error | status | again | meaning |",
  "| --- | --- | --- | --- |",
  ...Object.entries(gatewayErrors).map(
    ([code, { statuses, meaning }]) =>
      `| \`${code}\` | ${statuses.join(", ")} | ${statuses.some(isRetryable) ? "yes" : "no"} | ${meaning} |`,
  ),
  "",
  "## Built-in endpoints",
  "",
  "`GET /openapi.json` (with prices; with `discovery.openapi` the upstream's own document without the operations that are not sold), `GET /.well-known/x402`, `GET /__x402/health`, `GET /__x402/ready`.",
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
    // The default is a route without match; its settings are listed above.
    if (name === "default") return [`| \`default\` | ${shapeOf(one)} | ${shown} |`];
    const inner = one.items?.properties ? rowsOf(one.items, `${name}[]`) : rowsOf(one, name);
    return [`| \`${name}\` | ${shapeOf(one)} | ${shown} |`, ...inner];
  });
}

function fallbackOf({ default: fallback }: Schema): string {
  // The defaults of a group are those of its settings, which are listed below it.
  if (fallback === undefined || typeof fallback === "object") return "";
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
