/** What a seller is told at the start, by a facilitator that answers as the test says. */
import type { IncomingMessage, RequestListener } from "node:http";
import { channelScheme } from "@farthing/protocol";
import { afterEach, expect, test, vi } from "vitest";
import { listen, type Listening } from "./adapters/listen.testing.ts";
import type { RouteOptions, SellerOptions } from "./configuration.ts";
import { createMemoryGrants } from "./payment-records/memory/memory.ts";
import { createSeller } from "./seller.ts";

const payTo = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
const kind = { x402Version: 2, scheme: "exact", network: "eip155:50" };
const account = { account: payTo, mode: "live", label: "", credits: 5, plan: "active" };

let running: Listening | undefined;
afterEach(async () => {
  vi.restoreAllMocks();
  await running?.close();
  running = undefined;
});

type Answers = Readonly<Record<string, readonly [status: number, body: unknown]>>;

/** Serves these answers by path, and 404 for all else. */
async function serve(answers: Answers, asked: IncomingMessage[] = []): Promise<string> {
  const listener: RequestListener = (req, res) => {
    asked.push(req);
    const [status, body] = answers[req.url ?? ""] ?? [404, { error: "not_found" }];
    res.writeHead(status, { "content-type": "application/json" });
    res.end(typeof body === "string" ? body : JSON.stringify(body));
  };
  running = await listen(listener);
  return running.url;
}

const supported = (...kinds: object[]) => ({ "/supported": [200, { kinds }] }) as const;

async function codesOf(url: string, more: Partial<SellerOptions<Request>> = {}, apiKey?: string) {
  const facilitator = apiKey === undefined ? { url } : { url, apiKey };
  const problems = await createSeller({ facilitator, payTo, price: "0.01", ...more }).check();
  return problems.map(({ code }) => code);
}

test("a facilitator that serves the network, without keys: nothing to fix, one line", async () => {
  const asked: IncomingMessage[] = [];
  const url = await serve(supported(kind), asked);
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const seller = createSeller({ facilitator: { url }, payTo, price: "0.01" });
  expect(await seller.ready()).toEqual([]);
  expect(log.mock.calls).toEqual([[`Ready: sells on eip155:50, to ${payTo}`]]);
  expect(warn).not.toHaveBeenCalled();
  expect(asked.map((request) => `${request.method} ${request.url}`)).toEqual([
    "GET /supported",
    "GET /settlements/none",
  ]);
});

test("a seller in memory is told what a restart loses, before the first buyer pays", async () => {
  vi.spyOn(console, "log").mockImplementation(() => undefined);
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const ofKey = { "/v1/key": [200, { account: payTo, mode: "live", plan: "active" }] } as const;
  const url = await serve({ ...supported(kind, { ...kind, scheme: channelScheme }), ...ofKey });
  const warningsOf = async (route: RouteOptions, more: Partial<SellerOptions> = {}) => {
    warn.mockClear();
    const channels = { authorizerKey: `0x${"11".repeat(32)}` } as const;
    const seller = createSeller({ facilitator: { url }, payTo, channels, ...more });
    seller.route({ price: "0.01", ...route });
    expect(await seller.ready()).toEqual([]);
    return warn.mock.calls.flat();
  };
  const pass = { uses: 5, validFor: "30d" };
  expect(await warningsOf({})).toEqual([]);
  expect(await warningsOf({ pass })).toEqual([
    expect.stringMatching(/loses passes and balances that buyers paid for\. Set grants to/),
  ]);
  expect(await warningsOf({ channel: true })).toEqual([
    expect.stringMatching(/loses the money of vouchers that are not claimed\. Set grants to/),
  ]);
  expect(await warningsOf({ pass }, { grants: createMemoryGrants() })).toEqual([]);
  // The facilitator keeps the vouchers of a seller with a key.
  const facilitator = { url, apiKey: "fk_live_x" };
  expect(await warningsOf({ channel: true }, { facilitator })).toEqual([]);
});

test("a facilitator that is away is a warning that names it, and no exception", async () => {
  const warn = vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const url = "http://127.0.0.1:9";
  const seller = createSeller({ facilitator: { url }, payTo, price: "0.01" });
  const [problem] = await seller.ready();
  expect(problem).toMatchObject({ code: "facilitator_unreachable" });
  expect(warn.mock.calls).toEqual([
    [expect.stringMatching(/^Not ready: The facilitator http:\/\/127\.0\.0\.1:9 does not respond/)],
  ]);
});

test("an address that is no facilitator's, or one in trouble", async () => {
  expect(await codesOf(await serve({}))).toEqual(["facilitator_invalid"]);
  await running?.close();
  const page = await serve({ "/supported": [200, "<html></html>"] });
  expect(await codesOf(page)).toEqual(["facilitator_invalid"]);
  await running?.close();
  expect(await codesOf(await serve({ "/supported": [503, {}] }))).toEqual([
    "facilitator_unreachable",
  ]);
});

test.each([
  ["another network", { ...kind, network: "eip155:8453" }, "network_not_supported"],
  ["another scheme", { ...kind, scheme: "upto" }, "network_not_supported"],
  ["another token", { ...kind, asset: `0x${"11".repeat(20)}` }, "asset_not_supported"],
])("a facilitator of %s", async (_, served, code) => {
  expect(await codesOf(await serve(supported(served)))).toEqual([code]);
});

test("every network of the seller is looked for, also by its name in version 1", async () => {
  const url = await serve(supported({ ...kind, network: "xdc" }));
  expect(await codesOf(url, { network: ["eip155:50", "eip155:51"] })).toEqual([
    "network_not_supported",
  ]);
});

test("a key that is missing, refused, or another's", async () => {
  const asked: IncomingMessage[] = [];
  const strict = { ...supported(kind), "/settlements/none": [401, {}] } as const;
  expect(await codesOf(await serve(strict))).toEqual(["key_missing"]);
  await running?.close();
  const refused = { ...supported(kind), "/v1/key": [401, {}] } as const;
  expect(await codesOf(await serve(refused, asked), {}, "fk_live_x")).toEqual(["key_refused"]);
  expect(asked.map(({ headers }) => headers.authorization)).toEqual([
    "Bearer fk_live_x",
    "Bearer fk_live_x",
  ]);
  await running?.close();
  const other = { ...account, account: `0x${"22".repeat(20)}`, mode: "test", plan: "inactive" };
  const wrong = { ...supported(kind), "/v1/key": [200, other] } as const;
  expect(await codesOf(await serve(wrong), {}, "fk_test_x")).toEqual([
    "key_of_other_account",
    "key_of_other_network",
    "account_inactive",
  ]);
});

test("a key of the hosted surface is asked for above it; one without credits is told", async () => {
  const url = await serve({
    "/api/facilitator/supported": [200, { kinds: [kind] }],
    "/v1/key": [200, { ...account, credits: 0 }],
  });
  const hosted = `${url}/api/facilitator`;
  expect(await codesOf(hosted, {}, "fk_live_x")).toEqual(["credits_used_up"]);
});

test("a facilitator without the routes of keys is not doubted", async () => {
  expect(await codesOf(await serve(supported(kind)), {}, "other_vendors_key")).toEqual([]);
});

test.each([
  ["0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1", "payee_not_a_wallet"],
  ["0x2A8E898b6242355c290E1f4Fc966b8788729A4D4", "payee_not_a_wallet"],
  ["0x000000000000000000000000000000000000dEaD", "payee_not_a_wallet"],
  ["0x0000000000000000000000000000000000000001", "payee_not_a_wallet"],
  ["0x7A11830374F9a3aA26C125CAa932520D984B1024", "payee_key_is_public"],
])("money for %s would be lost", async (address, code) => {
  expect(await codesOf(await serve(supported(kind)), { payTo: address })).toEqual([code]);
});

test("payees of routes are checked too; wallets of the local chain are fine on it", async () => {
  const local = "0x7A11830374F9a3aA26C125CAa932520D984B1024";
  const url = await serve(supported({ ...kind, network: "eip155:51" }));
  const facilitator = { url };
  const seller = createSeller({ facilitator, payTo: local, price: "0.01", network: "eip155:51" });
  expect(await seller.check()).toEqual([]);
  seller.route({ payTo: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4" });
  expect(await seller.check()).toMatchObject([{ code: "payee_not_a_wallet" }]);
});
