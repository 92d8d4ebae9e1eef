/**
 * The gateway's configuration file as a JSON Schema, for the check, for editors and for the
 * reference page. Errors about a value show its `description`, the shape, and its `examples`.
 */
import { Type, type TProperties, type TSchema } from "typebox";
import { durationPattern, sizePattern } from "./duration-size.ts";
import { matchPattern } from "../routing/route-pattern.ts";

/** A name, not an address: editors open the file itself. */
const schemaId = "urn:farthing:gateway:1";

/** USDC with at most six decimals, no sign, no exponent. */
const usdcPattern = String.raw`^\$?\d{1,12}(\.\d{1,6})?$`;
const listenPattern = String.raw`^(\[[0-9a-fA-F:.]+\]|[^\s:/\[\]]+):\d{1,5}$`;
const namePattern = "^[A-Za-z][A-Za-z0-9_-]{0,63}$";
/** A header's name, RFC 9110. */
const headerNamePattern = "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,128}$";
const hostPattern = String.raw`^[A-Za-z0-9]([A-Za-z0-9.-]{0,251}[A-Za-z0-9])?(:\d{1,5})?$`;

/** Descriptions travel in a header of at most about 8 KiB. */
const maxDescriptionChars = 500;
/** Rules are tried one after the other for every request. */
const maxRoutes = 1000;
const maxList = 100;
/** More connections to one upstream than a process serves well. */
const maxConcurrency = 10_000;
/** A signature must outlive the wait for its settlement, with room for one slow block. */
const minTimeoutSeconds = 30;
/** A longer validity is a risk to the payer and has no use. */
const maxTimeoutSeconds = 86_400;

interface Notes {
  /** Further keywords of JSON Schema: an expression's part, a bound, a default. */
  readonly [keyword: string]: unknown;
}

function text(description: string, example: string, notes: Notes = {}) {
  return Type.String({ description, examples: [example], minLength: 1, ...notes });
}

function oneOf(description: string, choices: readonly string[], notes: Notes = {}) {
  return Type.Unsafe({ type: "string", enum: choices, description, ...notes });
}

function whole(description: string, least: number, most: number, notes: Notes = {}) {
  return Type.Integer({ description, minimum: least, maximum: most, ...notes });
}

function yesOrNo(description: string, fallback: boolean) {
  return Type.Boolean({ description, default: fallback });
}

function duration(description: string, fallback: string) {
  const shape = `${description}: a whole number with ms, s, m or h`;
  return text(shape, fallback, { pattern: durationPattern, default: fallback });
}

function size(description: string, fallback: string) {
  const shape = `${description}: a whole number with B, KiB, MiB or GiB`;
  return text(shape, fallback, { pattern: sizePattern, default: fallback });
}

/** An object without other keys; `optional` ones may be absent. */
function exactly(description: string, required: TProperties, optional: TProperties = {}) {
  const rest = Object.entries(optional).map(([key, one]) => [key, Type.Optional(one)] as const);
  return Type.Object(
    { ...required, ...Object.fromEntries(rest) },
    { description, additionalProperties: false },
  );
}

/** Any number of entries under names that the operator chooses. */
function named(description: string, pattern: string, one: TSchema, nameShape: string) {
  return Type.Unsafe({
    type: "object",
    description,
    patternProperties: { [pattern]: one },
    additionalProperties: false,
    propertyShape: nameShape,
  });
}

const facilitator = Type.Union(
  [
    exactly(
      "a remote facilitator",
      { url: text("its base address, http or https", "https://facilitator.example") },
      {
        apiKey: text("the seller's key there", "${X402_API_KEY}", { isSecret: true }),
        timeout: duration("longest wait for one response", "30s"),
      },
    ),
    oneOf("an engine in the same process, configured like `farthing serve`", ["embedded"]),
  ],
  {
    description:
      "who settles: { url: … } of a remote facilitator, or embedded for an engine in the same process",
    examples: ["embedded"],
  },
);

const upstream = exactly(
  "an API that is sold",
  {
    url: text("its base address, http or https; never from a request", "https://origin.internal"),
  },
  {
    headers: named(
      "headers added to every request, for the upstream's own credentials",
      headerNamePattern,
      text("printable ASCII; ${NAME} for secrets", "Bearer ${ORIGIN_KEY}", { isSecret: true }),
      "the name of a header",
    ),
    timeouts: exactly(
      "how long it may take",
      {},
      {
        connect: duration("until the connection is open", "3s"),
        headers: duration("until the response starts", "15s"),
        idle: duration("between two pieces of a body", "15s"),
        total: duration("until a buffered response is complete", "20s"),
      },
    ),
    concurrency: whole("concurrent requests", 1, maxConcurrency, { default: 64 }),
    maxRequestBytes: size("largest request body", "1MiB"),
    maxResponseBytes: size("largest response of a route that is not streamed", "4MiB"),
    paths: exactly(
      "how it reads paths",
      {},
      {
        caseInsensitive: yesOrNo("whether it treats /A as /a, like Express and IIS", false),
        allowEncodedSlash: yesOrNo("whether it treats %2F as data, never as /", false),
      },
    ),
  },
);

const serveWhens = ["confirmed", "queued"] as const;
const redelivers = ["bound", "anyone", "never"] as const;

/** The settings of every route except its match, which `default` shares. */
const ways = {
  free: Type.Unsafe({ type: "boolean", const: true, description: "true: costs nothing" }),
  price: text('USDC as text in quotes, with at most 6 decimals: "0.01"', "0.01", {
    pattern: usdcPattern,
  }),
  settle: oneOf(
    "when the money moves: only for a 2xx response, or before the upstream is called",
    ["after-success", "before-upstream"],
    { default: "after-success" },
  ),
  redirects: oneOf(
    "an upstream's redirect with settle: after-success is charged and passed on, or withheld with a 502 and not charged",
    ["charge", "withhold"],
    { default: "charge" },
  ),
  head: oneOf(
    "the response to HEAD: the headers of a 402 without a payment, the upstream's without payment, or as for GET",
    ["challenge", "free", "charge"],
    { default: "challenge" },
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
  pass: Type.Array(
    oneOf("authorization, cookie or set-cookie", ["authorization", "cookie", "set-cookie"]),
    {
      description:
        "headers of the client (authorization, cookie) and of the upstream (set-cookie) that are passed on",
      maxItems: 3,
    },
  ),
};

const upstreamName = text("the name of one of upstreams", "api");

const route = exactly(
  "a rule; the first match applies",
  {
    match: text(
      "METHOD /path with :name for one segment and * at the end for the rest; * for all methods",
      "GET /v1/reports/:id",
      { pattern: matchPattern },
    ),
    upstream: upstreamName,
  },
  {
    host: text("only requests with this Host header", "api.example.com", { pattern: hostPattern }),
    ...ways,
  },
);

export const gatewaySchema: TSchema = Type.Object(
  exactly(
    "",
    {
      version: Type.Unsafe({
        type: "integer",
        const: 1,
        description: "1, the version of this file",
      }),
      publicUrl: text(
        "address at which buyers reach the gateway, http or https; the Host header is ignored",
        "https://api.example.com",
      ),
      facilitator,
      payTo: text(
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
    },
    {
      listen: exactly(
        "where the gateway listens",
        {},
        {
          http: text("host:port for buyers; port 0 selects a free one", "127.0.0.1:8402", {
            pattern: listenPattern,
            default: "127.0.0.1:8402",
          }),
          metrics: text(
            "host:port of /metrics, which requires no key; omit it for no metrics",
            "127.0.0.1:9402",
            {
              pattern: listenPattern,
            },
          ),
        },
      ),
      trustedProxies: Type.Array(text("an address or a range", "10.0.0.0/8"), {
        description:
          "proxies whose X-Forwarded-For is trusted and whose connections are not counted",
        maxItems: maxList,
      }),
      network: text(
        "network the buyers pay on: eip155:50 (XDC) or eip155:51 (Apothem)",
        "eip155:50",
        {
          default: "eip155:50",
        },
      ),
      store: text(
        "where payments and paid responses are stored: memory, or sqlite: with a file",
        "sqlite:./gateway.db",
        {
          pattern: "^(memory|sqlite:.+)$",
          default: "sqlite:./gateway.db",
        },
      ),
      default: Type.Union(
        [
          oneOf("other paths get 404", ["deny"]),
          exactly("the route of all other paths", { upstream: upstreamName }, ways),
        ],
        {
          description: "the route of all other paths: deny, or a route without match",
          examples: ["deny"],
          default: "deny",
        },
      ),
      maxTimeoutSeconds: whole(
        "seconds that a buyer's signature is valid",
        minTimeoutSeconds,
        maxTimeoutSeconds,
        { default: 60 },
      ),
      serveWhen: oneOf(
        "when the response may be sent: once the transfer is confirmed, or, only with facilitator: embedded, once the engine has stored the settlement",
        serveWhens,
        { default: "confirmed" },
      ),
      redeliver: oneOf(
        "who gets a paid response again: a repeat that proves to come from the same buyer, every repeat, or none",
        redelivers,
        { default: "bound" },
      ),
      requireBinding: yesOrNo(
        "whether only payments whose nonce commits to the request are accepted; stock buyers make none",
        false,
      ),
      replay: exactly(
        "how paid responses are kept for a buyer who lost the connection",
        {},
        {
          ttl: duration("how long", "10m"),
          maxEntryBytes: size("largest response that is kept", "1MiB"),
          maxTotalBytes: size("all of them together", "512MiB"),
        },
      ),
      discovery: exactly(
        "information for software that searches for APIs",
        {},
        {
          openapi: text(
            "file of the upstream's OpenAPI document; /openapi.json adds the prices",
            "./openapi.json",
          ),
          wellKnown: yesOrNo("whether /.well-known/x402 lists the paid routes", true),
          title: text("name of the API", "Reports", { maxLength: 200 }),
          guidance: text(
            "how to use the API, for software that buys",
            "List reports, then buy one by its id.",
            {
              maxLength: 4000,
            },
          ),
          contact: text("an e-mail address for buyers", "support@api.example", {
            pattern: "^[^\\s@]+@[^\\s@]+$",
          }),
        },
      ),
    },
  ).properties,
  {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    $id: schemaId,
    title: "Farthing gateway",
    description: "the gateway's configuration",
    additionalProperties: false,
  },
);

/** Keywords of the schema that only our messages need and validators do not know. */
const ownWords = new Set(["isSecret", "propertyShape"]);

/** Returns the published schema as JSON text. */
export function publishedSchema(): string {
  return `${JSON.stringify(gatewaySchema, withoutOwnWords, 2)}\n`;
}

function withoutOwnWords(key: string, value: unknown): unknown {
  return ownWords.has(key) ? undefined : value;
}
