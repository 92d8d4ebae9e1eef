/** The use of a pass that is served quickly is the one that the whole exchange would serve. */
import { passHeaders } from "@farthing/protocol";
import { expect, test } from "vitest";
import { pay } from "./buyer.testing.ts";
import {
  createMemoryGrants,
  createSeller,
  type Facilitator,
  type RouteOptions,
  type SellerEvent,
  type SellerOptions,
} from "./index.ts";

const publicUrl = "https://api.example.com";
const target = "/reports/2026?full=yes";

/** Takes every payment. */
const facilitator: Facilitator = {
  verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
  settle: async () => ({
    kind: "settlement",
    settlement: { success: true, transaction: `0x${"cd".repeat(32)}`, network: "eip155:50" },
  }),
  settlement: async () => ({ kind: "not_found" }),
};

interface Content {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly text?: string;
}

/** A text would add a type to the response. */
const bytesOf = (text: string | undefined) =>
  text === undefined ? null : new TextEncoder().encode(text);

const none = () => false;

/** A seller whose buyer has a pass of three uses, of which one is taken. */
async function sellPass(options: Partial<SellerOptions> = {}, own: RouteOptions = {}) {
  const events: SellerEvent[] = [];
  const seller = createSeller<unknown>({
    facilitator,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    price: "1.00",
    publicUrl,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const route = seller.route({ pass: { uses: 3, validFor: "1d", scope: "all" }, ...own });
  const url = publicUrl + target;
  const { response: asked } = await route.charge(new Request(url), () => new Response());
  const bought = new Request(url, { headers: await pay(asked, "v2") });
  const { response } = await route.charge(bought, () => new Response("content"));
  const token = response.headers.get(passHeaders.token) ?? "";
  events.length = 0;
  return { route, events, token, headers: { [passHeaders.token.toLowerCase()]: token } };
}

type Sold = Awaited<ReturnType<typeof sellPass>>;

/** What a buyer reads of a response, but for the time at which the pass ends. */
const readable = async (response: Response) => ({
  status: response.status,
  headers: [...response.headers].filter(([name]) => name !== "x-pass-expires"),
  text: await response.text(),
});

/** One use by the whole exchange. */
async function useWholly({ route, events, headers }: Sold, content: () => Content) {
  events.length = 0;
  const request = new Request(publicUrl + target, { headers });
  const { response, outcome, payment } = await route.charge(request, () => {
    const { status, headers: own = {}, text } = content();
    return new Response(bytesOf(text), { status, headers: own });
  });
  return { told: await readable(response), outcome, payment, events: [...events] };
}

/** One use by the quick way. */
async function useQuickly({ route, events, headers }: Sold, content: () => Content, way: Way) {
  events.length = 0;
  const used = await route.usePass?.(
    { method: "GET", target, headers },
    async () => {
      const { status, headers: own = {}, text } = content();
      const bytes = bytesOf(text);
      if (way === "a Response") return new Response(bytes, { status, headers: own });
      return { status, headers: new Headers(own), body: bytes };
    },
    none,
  );
  if (!used) throw new Error("There is no quick use.");
  const { response, outcome, payment } = used;
  const told = response instanceof Response ? response : responseOf(response);
  return { told: await readable(told), outcome, payment, events: [...events] };
}

type Way = "plain bytes" | "a Response";

const responseOf = ({
  status,
  headers,
  body,
}: {
  status: number;
  headers: Headers;
  body: Uint8Array<ArrayBuffer> | null;
}) => new Response(body, { status, headers });

const plainText = { "content-type": "text/plain" };

test.each<[string, Partial<SellerOptions>, RouteOptions, () => Content]>([
  ["content", {}, {}, () => ({ status: 200, headers: plainText, text: "report" })],
  ["nothing", {}, {}, () => ({ status: 204 })],
  [
    "forged headers, and some for caches",
    {},
    {},
    () => ({
      status: 200,
      text: "report",
      headers: {
        "payment-response": "forged",
        "payment-pass": "forged",
        "cdn-cache-control": "max-age=60",
        "cache-control": "public",
        vary: "Accept, payment-pass",
        "access-control-allow-origin": "https://own.example",
      },
    }),
  ],
  [
    "another origin",
    { allowOrigin: "https://app.example" },
    {},
    () => ({ status: 200, text: "a" }),
  ],
  ["no origin", { allowOrigin: false }, {}, () => ({ status: 201, text: "a" })],
  ["a refusal", {}, {}, () => ({ status: 404, headers: plainText, text: "none" })],
  ["a failure", {}, {}, () => ({ status: 500, text: "broken" })],
  ["a redirect", {}, {}, () => ({ status: 302, headers: { location: "/elsewhere" } })],
  [
    "a redirect that is sold",
    {},
    { redirects: "charge" },
    () => ({ status: 302, headers: { location: "/elsewhere" } }),
  ],
  [
    "content, paid before the work",
    {},
    { settle: "before-work" },
    () => ({ status: 200, text: "a" }),
  ],
  [
    "a refusal, paid before the work",
    {},
    { settle: "before-work" },
    () => ({ status: 404, text: "none" }),
  ],
  [
    "a failure, paid before the work",
    {},
    { settle: "before-work" },
    () => ({ status: 503, text: "broken" }),
  ],
  [
    "an error",
    {},
    {},
    () => {
      throw new Error("The seller's code failed.");
    },
  ],
  [
    "an error, paid before the work",
    {},
    { settle: "before-work" },
    () => {
      throw new Error("The seller's code failed.");
    },
  ],
  ["a limit", { rateLimit: { perPayer: 2 } }, {}, () => ({ status: 200, text: "a" })],
  [
    "a pass for its own address",
    {},
    { pass: { uses: 3, validFor: "1d" } },
    () => ({ status: 200, text: "a" }),
  ],
  [
    "a pass for its own address, under a path",
    { publicUrl: "https://API.example.com:443/under//" },
    { pass: { uses: 3, validFor: "1d" } },
    () => ({ status: 200, text: "a" }),
  ],
])("%s: both ways say the same, and take the same", async (_case, options, own, content) => {
  for (const way of ["plain bytes", "a Response"] as const) {
    const [one, other] = [await sellPass(options, own), await sellPass(options, own)];
    for (let use = 0; use < 2; use++) {
      const wanted = await useWholly(one, content);
      const found = await useQuickly(other, content, way);
      expect(withoutId(found)).toEqual(withoutId(wanted));
    }
  }
});

function withoutId(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (key, member) => (key === "id" || key === "expiresAtMs" ? "" : member)),
  );
}

test.each<
  [string, (sold: Sold) => { method?: string; target?: string; headers: Record<string, string> }]
>([
  ["no pass", () => ({ headers: {} })],
  ["an unknown pass", ({ token }) => ({ headers: { "payment-pass": `${token}0` } })],
  ["a key for repeats", ({ headers }) => ({ headers: { ...headers, "idempotency-key": "a" } })],
  [
    "a payment beside it",
    ({ headers }) => ({ headers: { ...headers, "payment-signature": "e30=" } }),
  ],
  ["a payment of version 1", ({ headers }) => ({ headers: { ...headers, "x-payment": "" } })],
  ["a sign-in beside it", ({ headers }) => ({ headers: { ...headers, "sign-in-with-x": "x" } })],
  ["HEAD", ({ headers }) => ({ headers, method: "HEAD" })],
  ["OPTIONS", ({ headers }) => ({ headers, method: "OPTIONS" })],
  ["an escape", ({ headers }) => ({ headers, target: "/r%C3%A9port" })],
  ["a climbing path", ({ headers }) => ({ headers, target: "/a/../b" })],
  ["an address that is too long", ({ headers }) => ({ headers, target: `/${"a".repeat(4_096)}` })],
])("%s takes the whole exchange, and no use", async (_case, of) => {
  const sold = await sellPass();
  let served = 0;
  const serve = async () => {
    served += 1;
    return new Response();
  };
  const request = { method: "GET", target, ...of(sold) };
  expect(await sold.route.usePass?.(request, serve, none)).toBeUndefined();
  expect([served, sold.events]).toEqual([0, []]);
  const { told } = await useQuickly(sold, () => ({ status: 200 }), "plain bytes");
  expect(told.headers).toContainEqual(["x-pass-remaining", "1"]);
});

test("a pass for one address opens the same one with another query, and no other one", async () => {
  const sold = await sellPass({}, { pass: { uses: 3, validFor: "1d" } });
  const { route, headers } = sold;
  const use = (other: string) =>
    route.usePass?.({ method: "GET", target: other, headers }, serving("", 200), none);
  for (const other of ["/reports/2026/", "/reports/2027", "/reports", "/"]) {
    expect(await use(other)).toBeUndefined();
  }
  expect((await use("/reports/2026?full=no"))?.response.status).toBe(200);
});

const serving = (body: string, status: number) => async () => new Response(body, { status });

test("a pass that was paid on another network takes the whole exchange", async () => {
  const grants = createMemoryGrants();
  const { headers } = await sellPass({ grants });
  const shop = { facilitator, grants, publicUrl, price: "1.00", network: "eip155:51" } as const;
  const seller = createSeller({ ...shop, payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" });
  const route = seller.route({ pass: { uses: 3, validFor: "1d", scope: "all" } });
  const request = { method: "GET", target, headers };
  expect(await route.usePass?.(request, serving("", 200), none)).toBeUndefined();
});

test("a payment that has taken the last room for a pass is repeated all the same", async () => {
  const seller = createSeller<unknown>({
    facilitator,
    grants: createMemoryGrants({ entriesMax: 1 }),
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    price: "1.00",
    publicUrl,
  });
  const route = seller.route({ pass: { uses: 3, validFor: "1d", scope: "all" } });
  const send = async (headers: Record<string, string> = {}) => {
    const request = new Request(publicUrl + target, { headers });
    return (await route.charge(request, () => new Response("content"))).response;
  };
  const headers = { ...(await pay(await send(), "v2")) };
  for (const _nth of [1, 2]) {
    const response = await send(headers);
    expect([response.status, await response.text()]).toEqual([200, "content"]);
  }
});

test("a pass that is used up takes the whole exchange, which refuses it", async () => {
  const sold = await sellPass();
  for (const left of ["1", "0"]) {
    const { told } = await useQuickly(sold, () => ({ status: 200 }), "plain bytes");
    expect(told.headers).toContainEqual(["x-pass-remaining", left]);
  }
  const request = { method: "GET", target, headers: sold.headers };
  expect(await sold.route.usePass?.(request, serving("", 200), none)).toBeUndefined();
});

test("of two requests for the last use one gets it", async () => {
  const sold = await sellPass({}, { pass: { uses: 2, validFor: "1d", scope: "all" } });
  const serve = serving("content", 200);
  const use = () =>
    sold.route.usePass?.({ method: "GET", target, headers: sold.headers }, serve, none);
  const used = await Promise.all([use(), use(), use()]);
  expect(used.filter((one) => one !== undefined)).toHaveLength(1);
});

test("a use is not given back to a buyer who has left", async () => {
  const sold = await sellPass();
  const serve = serving("", 500);
  const request = { method: "GET", target, headers: sold.headers };
  const used = await sold.route.usePass?.(request, serve, () => true);
  expect(used?.outcome.type).toBe("undelivered");
  expect(used?.response.headers.get("X-Pass-Remaining")).toBe("1");
});

test("a store that fails is said as by the whole exchange, and nothing is served", async () => {
  const grants = createMemoryGrants();
  const sold = await sellPass({ grants });
  Object.assign(grants.passes ?? {}, {
    async find() {
      throw new Error("The store is gone.");
    },
  });
  let served = 0;
  const used = await sold.route.usePass?.(
    { method: "GET", target, headers: sold.headers },
    async () => {
      served += 1;
      return new Response();
    },
    none,
  );
  expect([used?.response.status, used?.outcome.type, served]).toEqual([503, "broken", 0]);
});

const scoped = { pass: { uses: 3, validFor: "1d", scope: "all" } };

test.each<[string, Partial<SellerOptions>, RouteOptions]>([
  ["without an address of its own", {}, scoped],
  ["with streams", { publicUrl }, { ...scoped, stream: true }],
  ["with a check of its input", { publicUrl }, { ...scoped, check: () => undefined }],
  ["without passes", { publicUrl }, {}],
])("a route %s has no quick use", (_case, options, own) => {
  const seller = createSeller<unknown>({
    facilitator,
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    price: "1.00",
    ...options,
  });
  expect(seller.route(own).usePass).toBeUndefined();
});
