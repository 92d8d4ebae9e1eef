/** Discovery for agents, and what is said to the extensions of a payment. */
import type { Devnet } from "@farthing/devnet";
import { apothem, decodeHeader, isObject, type Address, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import type { ListingState, ListingTerms, SeenChallenge } from "./model.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { openStore, type ServiceStore } from "../open-store.ts";

let devnet: Devnet;
let served: Served;
let store: ServiceStore;
let letGo: () => void;
let seller: Address;
const other: Address = `0x${"44".repeat(20)}`;

beforeAll(async () => {
  devnet = await startChain();
  seller = devnet.seller.address;
  served = await serveOn(devnet, { selfBuilt: false });
  store = await openStore(served.databaseUrl);
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
});

/** Far from now: nothing here is checked by itself. */
const later = Date.now() + 365 * 24 * 60 * 60_000;

let made = 0;

/** A listing in a state, as a check has left it. */
async function listed(
  state: ListingState,
  terms: Partial<ListingTerms> = {},
  { account = seller, bazaar = null }: { account?: Address; bazaar?: JsonObject | null } = {},
): Promise<string> {
  const id = `lst_${String(++made).padStart(24, "0")}`;
  const resource = terms.resource ?? `https://shop.example/r${made}`;
  const full = {
    resource,
    method: "GET" as const,
    chainId: apothem.chainId,
    amount: 10_000n,
    title: "Report",
    description: "",
    tags: [],
    mimeType: null,
    sample: {},
    ...terms,
  };
  await store.createListing(
    { ...full, id, account, createdAt: later + made },
    { listingsMax: 500 },
  );
  if (state === "blocked") await store.blockListing(id, true, later);
  if (state === "pending" || state === "blocked") return resource;
  const taken = await store.takeListing(account, id, { now: later, leaseMs: 1 });
  if (typeof taken !== "object") throw new Error("not taken");
  const seen: SeenChallenge = {
    at: 1_700_000_000_000,
    x402Version: 2,
    accepts: [{ scheme: "exact", network: apothem.id, amount: "10000" }],
    bazaar,
    description: "As the seller says it",
    mimeType: "text/plain",
  };
  await store.recordListingCheck(id, taken.fence, {
    check: {
      state,
      checkedAt: 1_700_000_000_000,
      triedAt: 1_700_000_000_000,
      passedAt: state === "live" ? 1_700_000_000_000 : null,
      nextAt: later,
      failures: 0,
      reason: state === "hidden" ? "not_found" : null,
      message: state === "hidden" ? "It answered 404." : "",
      differences: [],
      days: null,
    },
    seen,
    stats: { settlements: made, units: 0n, payers: 1, lastSettledAt: 1_700_000_000_000 },
  });
  return resource;
}

async function ask(path: string): Promise<JsonObject> {
  const answer = await served.get(path);
  expect(answer.status).toBe(200);
  return answer.body;
}

const resourcesIn = (list: unknown) =>
  (Array.isArray(list) ? list : []).filter(isObject).map(({ resource }) => resource);

describe("what agents find", () => {
  test("has the shape of the bazaar, and says what was seen and not what is advertised", async () => {
    const resource = await listed("live", { tags: ["rain"], sample: { query: { city: "Rome" } } });
    const answer = await served.get(`/discovery/resources?payTo=${seller}&limit=1`);
    expect(answer.headers.get("cache-control")).toBe("public, max-age=60");
    expect(answer.headers.get("access-control-allow-origin")).toBe("*");
    expect(answer.body).toMatchObject({
      x402Version: 2,
      items: [
        {
          resource,
          type: "http",
          x402Version: 2,
          accepts: [{ scheme: "exact", network: "eip155:51", amount: "10000" }],
          lastUpdated: "2023-11-14T22:13:20.000Z",
          description: "As the seller says it",
          mimeType: "text/plain",
          serviceName: "Report",
          tags: ["rain"],
          metadata: { method: "GET", sample: { query: { city: "Rome" } } },
          quality: { l30DaysUniquePayers: 1, lastCalledAt: "2023-11-14T22:13:20.000Z" },
          extensions: {
            bazaar: {
              info: { input: { type: "http", method: "GET", queryParams: { city: "Rome" } } },
            },
          },
        },
      ],
      pagination: { limit: 1, offset: 0, total: 1 },
    });
  });

  test("is what is live, page by page, filtered as asked", async () => {
    const before = Number(Object((await ask("/discovery/resources"))["pagination"]).total);
    const bazaar = { info: { input: { type: "http", method: "GET" } }, schema: {} };
    const rich = await listed("live", {}, { account: other, bazaar });
    const plain = await listed("live", {}, { account: other });
    for (const state of ["pending", "failing", "hidden", "blocked"] as const) {
      await listed(state, {}, { account: other });
    }
    const all = await ask("/discovery/resources");
    expect(all["pagination"]).toEqual({ limit: 20, offset: 0, total: before + 2 });
    const find = async (query: string) =>
      resourcesIn((await ask(`/discovery/resources?payTo=${other}&${query}`))["items"]);
    expect(await find("")).toEqual([plain, rich]);
    expect(await find("limit=1&offset=1")).toEqual([rich]);
    expect(await find("extensions=bazaar")).toEqual([rich]);
    expect(await find("type=http&scheme=exact&network=xdc-apothem")).toEqual([plain, rich]);
    for (const none of ["type=mcp", "scheme=upto", "network=eip155:8453", "network=eip155:50"]) {
      expect(await find(none)).toEqual([]);
    }
    const merchant = await ask(`/discovery/merchant?payTo=xdc${other.slice(2)}`);
    expect(merchant).toMatchObject({ payTo: other, pagination: { total: 2 } });
    expect(resourcesIn(merchant["resources"])).toEqual([plain, rich]);
  });

  test("is found by words, the best first, page by page", async () => {
    const words = "zeppelin timetable";
    const inBoth = await listed("live", { title: "Zeppelin Timetable" });
    const tagged = await listed("live", { tags: ["zeppelin"] });
    const described = await listed("live", { description: "A timetable of trains" });
    await listed("hidden", { title: "Zeppelin" });
    const search = (more = "") =>
      ask(`/discovery/search?query=${encodeURIComponent(words)}${more}`);
    const first = await search("&limit=2");
    expect(resourcesIn(first["resources"])).toEqual([inBoth, tagged]);
    expect(first).toMatchObject({ partialResults: false, pagination: { limit: 2, cursor: "2" } });
    const second = await search("&limit=2&cursor=2");
    expect(resourcesIn(second["resources"])).toEqual([described]);
    expect(second["pagination"]).toEqual({ limit: 2, cursor: null });
    expect((await ask("/discovery/search?query=nothinglikeit"))["resources"]).toEqual([]);
    expect((await ask("/discovery/search?query=%25"))["resources"]).toEqual([]);
    const apart = await ask("/discovery/search?query=%00zeppelin%1btimetable&limit=1");
    expect(resourcesIn(apart["resources"])).toEqual([inBoth]);
  });

  test.each([
    "resources?colour=red",
    "resources?limit=many",
    "resources?limit=-1",
    "resources?payTo=me",
    "resources?limit=1&limit=2",
    "search",
    "search?query=",
    "search?query=a&offset=1",
    "search?query=a&cursor=x",
    "merchant",
    "merchant?payTo=0x12",
  ])("what is not understood is refused: %s", async (path) => {
    const answer = await served.get(`/discovery/${path}`);
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
  });

  test("both surfaces say so; the self-built one has no catalogue", async () => {
    expect((await served.get("/supported")).body["extensions"]).toEqual([
      "bazaar",
      "payment-identifier",
    ]);
    await ask("/api/facilitator/discovery/resources");
    const selfBuilt = await serveOn(devnet, { wallets: [1] });
    expect((await selfBuilt.get("/supported")).body["extensions"]).toEqual(["payment-identifier"]);
    expect((await selfBuilt.get("/discovery/resources")).status).toBe(404);
    const answer = await selfBuilt.post(
      "/verify",
      withExtensions({ bazaar: bazaarFor("GET") }, ""),
    );
    expect(answer.headers.has("extension-responses")).toBe(false);
    await selfBuilt.stop();
  });
});

const bazaarFor = (method: string) => ({
  info: { input: { type: "http", method } },
  schema: { type: "object" },
});

/** A payment that comes with extensions, for a resource. */
function withExtensions(extensions: unknown, url: string): JsonObject {
  const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
  const payload = isObject(body["paymentPayload"]) ? body["paymentPayload"] : {};
  return { ...body, paymentPayload: { ...payload, extensions, resource: { url } } };
}

function saidIn(headers: Headers): unknown {
  return decodeHeader(headers.get("extension-responses"))?.value;
}

const rejected = (code: string) => ({ status: "rejected", code });

describe("the extensions of a payment", () => {
  const hosted = "/api/facilitator";
  const say = async (extensions: unknown, url: string, path = `${hosted}/verify`) =>
    saidIn((await served.post(path, withExtensions(extensions, url))).headers);

  test("are told where the listing of what is paid for stands", async () => {
    const bazaar = bazaarFor("GET");
    for (const [state, said] of [
      ["live", { status: "success" }],
      ["pending", { status: "processing", code: "pending" }],
      ["failing", { status: "processing", code: "failing" }],
      ["hidden", { status: "rejected", code: "hidden", rejectedReason: "It answered 404." }],
      ["blocked", { status: "rejected", code: "blocked" }],
    ] as const) {
      const url = await listed(state);
      expect(await say({ bazaar }, url)).toMatchObject({ bazaar: said });
      // As it calls itself behind a proxy, with what it was asked.
      const behind = `${url.replace("https:", "http:")}?city=Rome`;
      expect(await say({ bazaar }, behind)).toMatchObject({ bazaar: said });
    }
    const posted = await listed("live", { method: "POST" });
    expect(await say({ bazaar }, posted)).toMatchObject({ bazaar: { code: "not_listed" } });
  });

  test("are answered where they are ours, and whatever becomes of the payment", async () => {
    const url = "https://nowhere.example/r";
    expect(await say({ bazaar: bazaarFor("GET") }, url)).toMatchObject({
      bazaar: rejected("not_listed"),
    });
    expect(await say({ bazaar: {}, "payment-identifier": {} }, url)).toEqual({
      bazaar: expect.objectContaining(rejected("invalid_extension")),
    });
    expect(await say({ bazaar: bazaarFor("GET") }, "")).toMatchObject({
      bazaar: rejected("no_resource"),
    });
    const mcp = { info: { input: { type: "mcp", toolName: "x" } }, schema: {} };
    // A payment for a tool names `mcp://tool/x`, and not the server that is listed.
    expect(await say({ bazaar: mcp }, url)).toMatchObject({ bazaar: rejected("not_http") });
    const foreign = { "payment-identifier": { info: { required: false } }, "request-binding": {} };
    for (const none of [undefined, null, {}, [], "bazaar", foreign]) {
      expect(await say(none, url)).toBeUndefined();
    }
    const settled = await served.post(
      `${hosted}/settle`,
      withExtensions({ bazaar: bazaarFor("GET") }, url),
    );
    expect(settled.body).toMatchObject({ success: true });
    expect(saidIn(settled.headers)).toMatchObject({ bazaar: rejected("not_listed") });
    const broken = { paymentPayload: { extensions: { bazaar: {} } } };
    const evaluated = await served.post(`${hosted}/verify`, broken);
    expect(evaluated.body).toMatchObject({ isValid: false });
    expect(saidIn(evaluated.headers)).toMatchObject({ bazaar: rejected("invalid_extension") });
  });
});
