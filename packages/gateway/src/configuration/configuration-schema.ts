/** The configuration file, declared once for checks, types, defaults, editors and the reference. */
import { findNetwork } from "@farthing/protocol";
import { maxPassUses, parseValidFor } from "@farthing/seller";
import { Type, type StaticDecode } from "typebox";
import { matchPattern } from "../routing/route-pattern.ts";
import { balanceSettings } from "./balance-settings.ts";
import { agentSettings, callerSettings } from "./caller-settings.ts";
import { channelSetting, channelsSettings } from "./channel-settings.ts";
import { paywallSettings } from "./paywall-settings.ts";
import { facilitatorSetting } from "./facilitator-setting.ts";
import {
  baseUrl,
  listenAddress,
  payableAddress,
  price,
  proxyAddress,
  routePattern,
  whyNoPattern,
} from "./parse-setting.ts";
import {
  choice,
  duration,
  group,
  headerNamePattern,
  named,
  oneOf,
  optionalGroup,
  optionalList,
  parsed,
  size,
  text,
  usdcPattern,
  whole,
  withDefault,
  yesOrNo,
} from "./setting-kinds.ts";

const listenPattern = String.raw`^(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):\d{1,5}$`;
const namePattern = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";
const hostPattern = String.raw`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:\d{1,5})?$`;

/** Descriptions travel in a header of at most about 8 KiB. */
const maxDescriptionChars = 500;
/** Rules are tried one after the other for every request. */
const maxRoutes = 1000;
const maxProxies = 100;
/** A thousand requests a second from one address are no client. */
const maxPerMinute = 60_000;
const maxFreeRequests = 1_000_000;
/** More connections to one upstream than a process serves well. */
const maxConcurrency = 10_000;
/** A signature must outlive the wait for its settlement, with room for one slow block. */
const minTimeoutSeconds = 30;
/** A longer validity is a risk to the payer and has no use. */
const maxTimeoutSeconds = 86_400;

const upstream = group(
  "an API or a folder that is sold: it has url, folder or servedByProxy",
  {},
  {
    url: parsed(
      baseUrl,
      "base address of the API, http or https; never from a request",
      "https://origin.internal",
    ),
    folder: text(
      "a folder whose files are sold without a server; the path of a request is that of a file in it, and names that begin with a dot are hidden. Files above maxResponseBytes need stream: raw",
      "./reports",
    ),
    servedByProxy: Type.Literal(true, {
      description:
        "true: the proxy in front serves these requests, after it has asked /__x402/authorize about each",
    }),
    headers: withDefault(
      named(
        "headers added to every request, for the upstream's own credentials",
        headerNamePattern,
        text("printable ASCII; ${NAME} for secrets", "Bearer ${ORIGIN_KEY}", { isSecret: true }),
        "the name of a header",
      ),
      {},
    ),
    timeouts: optionalGroup("how long it may take", {
      connect: duration("until the connection is open", "3s"),
      headers: duration("until the response starts", "15s"),
      idle: duration("between two pieces of a body", "15s"),
      total: duration("until a buffered response is complete", "20s"),
    }),
    concurrency: withDefault(
      whole(
        "concurrent requests; where some cost something, free ones get three quarters of them at most",
        1,
        maxConcurrency,
      ),
      64,
    ),
    maxRequestBytes: size("largest request body", "1MiB"),
    maxResponseBytes: size("largest response of a route that is not streamed", "4MiB"),
    paths: optionalGroup("how it reads paths", {
      caseInsensitive: yesOrNo("whether it treats /A as /a, like Express and IIS", false),
      allowEncodedSlash: yesOrNo("whether it treats %2F as data, never as /", false),
    }),
  },
);

const serveWhens = ["confirmed", "queued"] as const;
const redelivers = ["bound", "anyone", "never"] as const;

const upstreamName = text("the name of one of upstreams", "api");

/** The settings of every route except its match, which `default` shares. */
const routeSettings = {
  free: Type.Literal(true, { description: "true: costs nothing" }),
  price: parsed(
    price,
    'USDC as text in quotes, with at most 6 decimals: "0.01"',
    "0.01",
    { pattern: usdcPattern },
    () => "is 0; write free: true for a route that costs nothing",
  ),
  freeRequests: whole(
    "requests a day (UTC) that each address may make without a payment; counted in memory, by this process",
    1,
    maxFreeRequests,
    { examples: [5] },
  ),
  settle: choice(
    "when the money moves: only for a 2xx response, or before the upstream is called",
    ["after-success", "before-upstream"],
  ),
  redirects: choice(
    "an upstream's redirect with settle: after-success is charged and passed on, or withheld with a 502 and not charged",
    ["charge", "withhold"],
  ),
  head: choice(
    "the response to HEAD: the headers of a 402 without a payment, the upstream's without payment, or as for GET",
    ["challenge", "free", "charge"],
  ),
  serveWhen: oneOf(
    "when the response may be sent; overrides the setting for all routes",
    serveWhens,
  ),
  redeliver: oneOf(
    "who gets a paid response again; overrides the setting for all routes",
    redelivers,
  ),
  requireBinding: Type.Boolean({
    description: "whether only bound payments are accepted; overrides the setting for all routes",
  }),
  stream: oneOf(
    "sends the response while it is produced: sse for event streams, raw for other content",
    ["sse", "raw"],
  ),
  description: text("one sentence about what is sold; it is sent in a header", "One report", {
    maxLength: maxDescriptionChars,
  }),
  mimeType: text("media type of the response", "application/json", {
    pattern: "^[^\\s/]+/[^\\s/]+$",
  }),
  maxTimeoutSeconds: whole(
    "seconds that a buyer's signature is valid; overrides the setting for all routes",
    minTimeoutSeconds,
    maxTimeoutSeconds,
  ),
  passes: group(
    "one payment opens this and later requests, which show the header PAYMENT-PASS",
    {
      uses: whole("requests that one payment opens, the paid one among them", 1, maxPassUses, {
        examples: [100],
      }),
      validFor: parsed(
        parseValidFor,
        "how long: a whole number with s, m, h or d, at most 400 days",
        "30d",
        { pattern: "^[1-9][0-9]{0,8}[smhd]$" },
      ),
    },
    {
      scope: text("routes with the same name share their passes", "reports", { maxLength: 200 }),
      finalAbove: Type.Optional(
        parsed(
          price,
          'USDC as text in quotes: above this price a pass opens requests once its payment is final, for example "100"',
          "100",
          { pattern: usdcPattern },
        ),
      ),
    },
  ),
  referenceHeader: text(
    "header of the client that holds the seller's own name of a sale, such as an order number; the facilitator keeps up to 64 printable ASCII characters",
    "X-Order-Id",
    { pattern: headerNamePattern },
  ),
  ...balanceSettings,
  channel: channelSetting,
  for: callerSettings,
  pass: optionalList(
    "headers of the client (authorization, cookie) and of the upstream (set-cookie) that are passed on",
    oneOf("authorization, cookie or set-cookie", ["authorization", "cookie", "set-cookie"]),
    3,
  ),
};

const route = group(
  "a rule; the first match applies",
  {
    match: parsed(
      routePattern,
      "METHOD /path with :name for one segment and * at the end for the rest; * for all methods",
      "GET /v1/reports/:id",
      { pattern: matchPattern },
      whyNoPattern,
    ),
    upstream: upstreamName,
  },
  {
    host: text("only requests with this Host header", "api.example.com", { pattern: hostPattern }),
    ...routeSettings,
  },
);

const fallback = Type.Union(
  [
    oneOf("other paths get 404", ["deny"]),
    group("the route of all other paths", { upstream: upstreamName }, routeSettings),
  ],
  {
    description: "the route of all other paths: deny, or a route without match",
    examples: ["deny"],
  },
);

const required = {
  version: Type.Literal(1, { type: "integer", description: "1, the version of this file" }),
  publicUrl: parsed(
    baseUrl,
    "address at which buyers reach the gateway, http or https; the Host header is ignored",
    "https://api.example.com",
  ),
  facilitator: facilitatorSetting,
  payTo: parsed(
    payableAddress,
    "address that gets the money, 0x… or xdc…, in quotes: YAML reads a bare 0x… as a number",
    "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  ),
  upstreams: named(
    "the APIs that are sold",
    namePattern,
    upstream,
    "a name of letters, digits, - and _",
  ),
  routes: Type.Array(route, {
    description: "rules; the first match applies",
    maxItems: maxRoutes,
  }),
};

const optional = {
  listen: optionalGroup("where the gateway listens", {
    http: withDefault(
      parsed(listenAddress, "host:port for buyers; port 0 selects a free one", "127.0.0.1:8402", {
        pattern: listenPattern,
      }),
      "127.0.0.1:8402",
    ),
    metrics: parsed(
      listenAddress,
      "host:port of /metrics, which requires no key; omit it for no metrics",
      "127.0.0.1:9402",
      { pattern: listenPattern },
    ),
  }),
  trustedProxies: optionalList(
    "proxies whose X-Forwarded-For is trusted, whose connections are not counted, and which alone may ask /__x402/authorize",
    parsed(proxyAddress, "an address or a range", "10.0.0.0/8"),
    maxProxies,
  ),
  rateLimit: optionalGroup("how often the gateway may be asked", {
    perAddress: whole(
      "requests in a minute of the clock from one address (IPv6: one /64), paid ones too; others get 429",
      1,
      maxPerMinute,
      { examples: [600] },
    ),
    perPayer: whole(
      "requests of one payer in a minute over all routes, with payments, passes and balances; others get 429 and cost nothing",
      1,
      maxPerMinute,
      { examples: [60] },
    ),
  }),
  network: withDefault(
    parsed(
      findNetwork,
      "network the buyers pay on: eip155:50 (XDC) or eip155:51 (Apothem)",
      "eip155:50",
    ),
    "eip155:50",
  ),
  rpcUrl: text(
    "a node of the network, asked whether a contract wallet has signed in for its pass or balance (ERC-1271, and ERC-6492 for wallets that are not deployed), and which payments above finalAbove are final where the facilitator names no settlement; without it, an embedded facilitator uses its own node, and with any other such wallets show their token",
    "https://erpc.xinfin.network",
    { isSecret: true },
  ),
  store: withDefault(
    text(
      "where payments and paid responses are stored: memory, or sqlite: with a file",
      "sqlite:./gateway.db",
      { pattern: "^(memory|sqlite:.+)$" },
    ),
    "sqlite:./gateway.db",
  ),
  default: withDefault(fallback, "deny"),
  maxTimeoutSeconds: withDefault(
    whole("seconds that a buyer's signature is valid", minTimeoutSeconds, maxTimeoutSeconds),
    60,
  ),
  serveWhen: choice(
    "when the response may be sent: once the transfer is confirmed, or, only with facilitator: embedded, once the engine has stored the settlement",
    serveWhens,
  ),
  redeliver: choice(
    "who gets a paid response again: a repeat that proves to come from the same buyer, every repeat, or none",
    redelivers,
  ),
  requireBinding: yesOrNo(
    "whether only payments whose nonce commits to the request are accepted; stock buyers make none",
    false,
  ),
  replay: optionalGroup("how paid responses are kept for a buyer who lost the connection", {
    ttl: duration("how long", "10m"),
    maxEntryBytes: size("largest response that is kept", "1MiB"),
    maxTotalBytes: size("all of them together", "512MiB"),
  }),
  channels: channelsSettings,
  agents: agentSettings,
  paywall: paywallSettings,
  discovery: optionalGroup("information for software that searches for APIs", {
    openapi: text(
      "file of the upstream's OpenAPI document; /openapi.json adds the prices",
      "./openapi.json",
    ),
    validate: yesOrNo(
      "whether requests for paid routes are validated against that document before the payment",
      true,
    ),
    describe: yesOrNo(
      "whether challenges declare input and output of an operation of that document, for catalogues",
      true,
    ),
    wellKnown: yesOrNo("whether /.well-known/x402 lists the paid routes", true),
    page: yesOrNo(
      "whether browsers get a page of the routes at /, where no rule matches that path, and pages in place of JSON for errors of the gateway",
      true,
    ),
    title: text("name of the API", "Reports", { maxLength: 200 }),
    guidance: text(
      "how to use the API, for software that buys",
      "List reports, then buy one by its id.",
      { maxLength: 4000 },
    ),
    contact: text("an e-mail address for buyers", "support@api.example", {
      pattern: "^[^\\s@]+@[^\\s@]+$",
    }),
  }),
};

export const gatewaySchema = group("the gateway's configuration", required, optional, {
  $schema: "https://json-schema.org/draft/2020-12/schema",
  // A name, not an address: editors open the file itself.
  $id: "urn:farthing:gateway:1",
  title: "Farthing gateway",
});

/** A configuration file as it is read: with all defaults, and its texts parsed. */
export type GatewayFile = StaticDecode<typeof gatewaySchema>;
export type RouteSettings = GatewayFile["routes"][number];
export type UpstreamSettings = GatewayFile["upstreams"][string];

/** Keywords of the schema that only our messages need and validators do not know. */
const ownWords = new Set(["isSecret", "propertyShape"]);

/** Returns the published schema as JSON text. */
export function publishedSchema(): string {
  return `${JSON.stringify(gatewaySchema, withoutOwnWords, 2)}\n`;
}

function withoutOwnWords(key: string, value: unknown): unknown {
  return ownWords.has(key) ? undefined : value;
}
