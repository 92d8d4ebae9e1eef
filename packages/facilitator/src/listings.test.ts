/** Listings over HTTP: what is listed, what checks of a real HTTPS seller find, what the public sees. */
import { writeFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet } from "@farthing/devnet";
import { encodeHeader, isObject, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSignedIn, type Browser } from "./browser.testing.ts";
import { createAuthority, type TestAuthority } from "./certificates.testing.ts";
import {
  createSteeredClock,
  serveOn,
  startChain,
  textAt,
  walletAt,
  type Served,
} from "./facilitator.testing.ts";
import {
  challengeOf,
  charging,
  openHttpsSeller,
  saying,
  type Answerer,
  type HttpsSeller,
} from "./https-seller.testing.ts";
import { holdAnswers, readContract } from "./openapi.testing.ts";
import { openStore } from "./storage/open-store.ts";
import type { Store } from "./storage/store.ts";

const path = "/v1/account/listings";
const hour = 60 * 60_000;

let devnet: Devnet;
let served: Served;
let store: Store;
let authority: TestAuthority;
let shop: HttpsSeller;
let seller: Browser;
let letGo: () => void;
let folder: string;
const clock = createSteeredClock();

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-listings-"));
  authority = createAuthority();
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.cert);
  devnet = await startChain();
  served = await serveOn(devnet, {
    selfBuilt: false,
    clock,
    env: {
      FARTHING_LISTING_LOCAL: "yes",
      FARTHING_OUTBOUND_CA_FILE: caFile,
      FARTHING_CONTACT: "ops@pay.example",
      FARTHING_HEAD_AGE_MAX: "0",
    },
  });
  store = await openStore(served.databaseUrl);
  seller = await openSignedIn(served, { wallet: devnet.seller });
  shop = await openHttpsSeller(authority.identify(), saying(404));
  // Whatever is answered in these tests is as /openapi.json describes it.
  letGo = holdAnswers(served.url, await readContract(served.url));
});
afterAll(async () => {
  letGo?.();
  shop?.close();
  await store?.close();
  await served?.stop();
  await devnet?.stop();
  rmSync(folder, { recursive: true });
});
beforeEach(async () => {
  const { listings } = (await seller.get(path)).body;
  for (const one of Array.isArray(listings) ? listings.filter(isObject) : []) {
    expect((await seller.send("DELETE", `${path}/${textAt(one, "id")}`)).status).toBe(204);
  }
  shop.asked.length = 0;
  shop.answer = inOrder();
});

/** A seller in order for whatever is asked for, with changes. */
function inOrder(changes: Partial<Parameters<typeof challengeOf>[0]> = {}): Answerer {
  const payTo = devnet.seller.address;
  return (response, asked) => {
    const url = `${shop.origin}${asked.url}`;
    charging(challengeOf({ url, payTo, ...changes }))(response, asked);
  };
}

let places = 0;

/** A listing that may be made, of an endpoint of its own. */
function wishOf(changes: JsonObject = {}): JsonObject {
  return {
    resource: `${shop.origin}/r${++places}`,
    method: "GET",
    network: "eip155:51",
    amount: "10000",
    title: `Report ${places}`,
    description: "One report of the weather",
    tags: ["weather"],
    mimeType: "application/json",
    ...changes,
  };
}

async function create(changes: JsonObject = {}, browser = seller): Promise<JsonObject> {
  const made = await browser.post(path, wishOf(changes));
  expect([made.status, made.body["message"]]).toEqual([201, undefined]);
  return made.body;
}

const recheck = async (listing: JsonObject, browser = seller) => {
  const answer = await browser.post(`${path}/${textAt(listing, "id")}/check`, {});
  expect([answer.status, answer.body["message"]]).toEqual([200, undefined]);
  return answer.body;
};

const read = async (listing: JsonObject) =>
  (await seller.get(`${path}/${textAt(listing, "id")}`)).body;

/** A listing that a check has found in order. */
async function createLive(changes: JsonObject = {}): Promise<JsonObject> {
  const made = await create(changes);
  await expect
    .poll(() => read(made), { timeout: 10_000 })
    .toMatchObject({
      check: { state: "live", isPublic: true },
    });
  return made;
}

/** What the public sees under an address. */
async function shown(listing: JsonObject): Promise<JsonObject[]> {
  const { items } = (await served.get("/discovery/resources?limit=100")).body;
  if (!Array.isArray(items)) throw new Error("no items");
  return items.filter(isObject).filter(({ resource }) => resource === listing["resource"]);
}

describe("a listing", () => {
  test("is checked by itself, as a buyer without payment would ask, and shown when in order", async () => {
    const listing = await create({ sample: { query: { city: "Rome", days: "2" } } });
    expect(listing).toMatchObject({
      check: { state: "pending", isPublic: false, checkedAt: null },
      advertised: { scheme: "exact", amount: "10000", payTo: devnet.seller.address },
    });
    expect(await shown(listing)).toEqual([]);
    await expect.poll(() => shown(listing), { timeout: 10_000 }).toHaveLength(1);
    const [asked] = shop.asked;
    expect(asked).toMatchObject({ method: "GET" });
    expect(asked?.url).toMatch(/\?city=Rome&days=2$/);
    expect(asked?.headers["user-agent"]).toMatch(/^Farthing\/\S+ \(listing check; \+ops@pay\.ex/);
    for (const name of ["cookie", "authorization", "payment-signature", "x-payment"]) {
      expect(asked?.headers[name]).toBeUndefined();
    }
    expect(await read(listing)).toMatchObject({
      check: { state: "live", failures: 0, reason: null, message: "", differences: [] },
      lastSeen: { x402Version: 2 },
    });
  });

  test("with a body is asked with its sample", async () => {
    const listing = await create({ method: "POST", sample: { body: { query: "x" } } });
    expect(await recheckWhenFree(listing)).toMatchObject({ check: { state: "live" } });
    expect(shop.asked.at(-1)).toMatchObject({ method: "POST", body: '{"query":"x"}' });
    expect(shop.asked.at(-1)?.headers["content-type"]).toBe("application/json");
  });

  test("is its owner's alone", async () => {
    const listing = await createLive();
    const stranger = await openSignedIn(served, { wallet: walletAt(devnet.buyers, 1) });
    const at = `${path}/${textAt(listing, "id")}`;
    expect((await stranger.get(at)).status).toBe(404);
    expect((await stranger.send("PUT", at, wishOf())).status).toBe(404);
    expect((await stranger.post(`${at}/check`, {})).status).toBe(404);
    expect((await stranger.send("DELETE", at)).status).toBe(404);
    expect((await stranger.get(path)).body).toEqual({ listings: [] });
    expect((await served.get(at)).status).toBe(401);
    expect((await seller.send("DELETE", at)).status).toBe(204);
    expect(await shown(listing)).toEqual([]);
  });

  test("whose terms are changed is not shown until they were checked", async () => {
    const wish = wishOf();
    const listing = await createLive(wish);
    const at = `${path}/${textAt(listing, "id")}`;
    const titled = await seller.send("PUT", at, { ...wish, title: "Another" });
    expect(titled.body).toMatchObject({ title: "Another", check: { state: "live" } });
    const dearer = await seller.send("PUT", at, { ...wish, amount: "20000" });
    expect(dearer.body).toMatchObject({ check: { state: "pending", isPublic: false } });
    expect(await shown(listing)).toEqual([]);
    const clash = await create();
    const { resource, method } = clash;
    expect((await seller.send("PUT", at, { ...wish, resource, method })).status).toBe(409);
    expect((await seller.post(path, { ...wish, resource })).status).toBe(409);
  });

  test.each([
    ["resource", "http://shop.example/r"],
    ["resource", "https://user:word@shop.example/r"],
    ["resource", "https://shop.example/r?city=Rome"],
    ["resource", "https://shop.example/r#part"],
    ["resource", "https://shop.example/a\\b"],
    ["resource", "ftp://shop.example/r"],
    ["method", "TRACE"],
    ["network", "eip155:50"],
    ["network", "eip155:1"],
    ["amount", "0"],
    ["amount", "-1"],
    ["amount", "0.01"],
    ["amount", "9".repeat(70)],
    ["title", " "],
    ["title", "a\u202eb"],
    ["tags", ["<b>"]],
    ["tags", ["a", "a"]],
    ["mimeType", "json"],
    ["sample", { query: { a: 1 } }],
    ["sample", { body: "x".repeat(9_000) }],
    ["colour", "red"],
  ])("with %s %j is refused", async (member, value) => {
    const answer = await seller.post(path, wishOf({ [member]: value }));
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
  });
});

/** Checks a new listing as soon as its first check, which begins by itself, is over. */
async function recheckWhenFree(listing: JsonObject): Promise<JsonObject> {
  await expect
    .poll(async () => (await read(listing))["check"], { timeout: 10_000 })
    .not.toMatchObject({ triedAt: null });
  return recheck(listing);
}

describe("what differs is said field by field", () => {
  /** The entry of the challenge, with members changed, as header alone. */
  const asking =
    (changes: JsonObject, resource?: JsonObject): Answerer =>
    (response, asked) => {
      const url = `${shop.origin}${asked.url}`;
      const { body } = challengeOf({ url, payTo: devnet.seller.address, mode: "v2-only" });
      const { accepts } = body;
      const [entry] = Array.isArray(accepts) ? accepts : [];
      const challenge = {
        ...body,
        ...(resource && { resource }),
        accepts: [{ ...entry, ...changes }],
      };
      response.writeHead(402, { "PAYMENT-REQUIRED": encodeHeader(challenge) }).end("{}");
    };
  const other = `0x${"12".repeat(20)}`;
  const cases: readonly (readonly [string, Answerer, string])[] = [
    ["scheme", asking({ scheme: "upto" }), "upto"],
    ["network", asking({ network: "eip155:50" }), "eip155:50"],
    ["asset", asking({ asset: other }), other],
    ["payTo", asking({ payTo: other }), other],
    ["amount", asking({ amount: "10001" }), "10001"],
    ["amount", asking({ amount: 10_000 }), "10000"],
    ["resourceHost", asking({}, { url: "https://evil.example/r" }), "evil.example"],
    ["entry", asking({ extra: { assetTransferMethod: "permit2" } }), ""],
  ];
  test.each(cases)("%s", async (field, answer, value) => {
    shop.answer = answer;
    const listing = await create();
    const { check } = await recheckWhenFree(listing);
    expect(check).toMatchObject({
      isPublic: false,
      reason: "terms_differ",
      differences: [{ field, seen: expect.stringContaining(value) }],
    });
  });

  test("of several offers, the closest one says it, and one that is right is enough", async () => {
    const right = challengeOf({ url: shop.origin, payTo: devnet.seller.address, mode: "v2-only" });
    const [entry] = Array.isArray(right.body["accepts"]) ? right.body["accepts"] : [];
    const base = { ...entry, network: "eip155:8453", asset: other };
    const say =
      (accepts: unknown[]): Answerer =>
      (response) => {
        const header = encodeHeader({ x402Version: 2, accepts });
        response.writeHead(402, { "PAYMENT-REQUIRED": header }).end();
      };
    shop.answer = say([base, { ...entry, amount: "1", asset: other, payTo: other }]);
    const listing = await create();
    const { differences } = Object((await recheckWhenFree(listing))["check"]);
    expect(differences.map(({ field }: { field: string }) => field)).toEqual([
      "asset",
      "payTo",
      "amount",
    ]);
    shop.answer = say([base, entry]);
    expect(await recheck(listing)).toMatchObject({ check: { state: "live" } });
  });

  test("the header decides: a body in order beside it does not help, nor harm", async () => {
    const url = `${shop.origin}/x`;
    const good = challengeOf({ url, payTo: devnet.seller.address });
    const bad = challengeOf({ url, payTo: walletAt(devnet.buyers, 0).address });
    const listing = await create();
    shop.answer = charging({ headers: bad.headers, body: good.body });
    expect(await recheckWhenFree(listing)).toMatchObject({ check: { state: "hidden" } });
    shop.answer = charging({ headers: good.headers, body: bad.body });
    expect(await recheck(listing)).toMatchObject({ check: { state: "live" } });
    // Version 1 sellers have no such header.
    shop.answer = charging({ headers: {}, body: good.body });
    expect(await recheck(listing)).toMatchObject({ check: { state: "live" } });
    shop.answer = charging({ headers: {}, body: bad.body });
    expect(await recheck(listing)).toMatchObject({ check: { state: "hidden" } });
    const first = (Array.isArray(good.body["accepts"]) ? good.body["accepts"] : []).slice(0, 1);
    shop.answer = charging({ headers: {}, body: { x402Version: 1, accepts: first } });
    expect(await recheck(listing)).toMatchObject({
      check: { state: "live" },
      lastSeen: { x402Version: 1 },
    });
  });
});

describe("states", () => {
  test("one failure is shown to the owner only; two in a row hide; one success restores", async () => {
    const listing = await createLive();
    shop.answer = inOrder({ amount: 20_000n });
    expect(await recheck(listing)).toMatchObject({
      check: { state: "failing", isPublic: true, failures: 1, reason: "terms_differ" },
    });
    // What is asked for now, and not what was advertised.
    expect(await shown(listing)).toMatchObject([{ accepts: [{ amount: "20000" }] }]);
    expect(await recheck(listing)).toMatchObject({ check: { state: "hidden", failures: 2 } });
    expect(await shown(listing)).toEqual([]);
    shop.answer = inOrder();
    expect(await recheck(listing)).toMatchObject({
      check: { state: "live", failures: 0, differences: [] },
    });
    expect(await shown(listing)).toHaveLength(1);
  });

  test("another payee hides at once", async () => {
    const listing = await createLive();
    shop.answer = inOrder({ payTo: walletAt(devnet.buyers, 0).address });
    expect(await recheck(listing)).toMatchObject({ check: { state: "hidden" } });
    expect(await shown(listing)).toEqual([]);
  });

  test("a check that could not run counts neither way, and says since when", async () => {
    const listing = await createLive();
    const before = Object(await read(listing)).check;
    shop.answer = saying(500);
    await recheck(listing);
    clock.aheadMs += 1_000;
    shop.answer = saying(429);
    const { check } = await recheck(listing);
    expect(check).toMatchObject({ state: "failing", failures: 1, reason: "server_error" });
    const { triedAt, checkedAt } = Object(check);
    expect(Date.parse(triedAt)).toBeGreaterThan(Date.parse(checkedAt));
    shop.answer = saying(500);
    expect(await recheck(listing)).toMatchObject({ check: { state: "hidden", failures: 2 } });
    expect(before).toMatchObject({ state: "live" });
  });

  test.each([
    [404, "not_found"],
    [405, "method_not_allowed"],
    [400, "validates_first"],
    [422, "validates_first"],
    [200, "served_unpaid"],
    [503, "server_error"],
    [401, "no_challenge"],
    [402, "no_challenge"],
  ])("an answer of %d is %s", async (status, reason) => {
    shop.answer = saying(status);
    const { check } = await recheckWhenFree(await create());
    expect(check).toMatchObject({ reason, isPublic: false });
    expect(textAt(Object(check), "message")).not.toBe("");
  });

  test("what is live is checked again by itself, an hour later or so", async () => {
    const listing = await createLive();
    const { nextAt, checkedAt } = Object(await read(listing)).check;
    const pause = Date.parse(nextAt) - Date.parse(checkedAt);
    expect(pause).toBeGreaterThan(0.89 * hour);
    expect(pause).toBeLessThan(1.11 * hour);
    shop.answer = saying(404);
    clock.aheadMs += 1.2 * hour;
    await expect
      .poll(() => read(listing), { timeout: 10_000 })
      .toMatchObject({ check: { state: "failing", reason: "not_found" } });
    // The second look comes soon.
    clock.aheadMs += 0.2 * hour;
    await expect
      .poll(() => read(listing), { timeout: 10_000 })
      .toMatchObject({ check: { state: "hidden" } });
  });

  test("what the operator blocks is neither shown nor checked", async () => {
    const listing = await createLive();
    await store.blockListing(textAt(listing, "id"), true, clock.nowMs());
    expect(await shown(listing)).toEqual([]);
    expect((await seller.post(`${path}/${textAt(listing, "id")}/check`, {})).status).toBe(409);
    expect(await read(listing)).toMatchObject({ check: { state: "blocked", nextAt: null } });
  });
});

describe("an endpoint of a stranger", () => {
  test("is followed on its own host only, and not for ever", async () => {
    const other = await openHttpsSeller(authority.identify(), inOrder());
    const elsewhere = await create();
    const to = (location: string) => saying(307, { location });
    shop.answer = to(`${other.origin}/r`);
    expect(await recheckWhenFree(elsewhere)).toMatchObject({ check: { reason: "redirected" } });
    expect(other.asked).toEqual([]);
    other.close();
    shop.answer = to("http://127.0.0.1/r");
    expect(await recheck(elsewhere)).toMatchObject({ check: { reason: "redirected" } });
    shop.answer = to("/again");
    shop.asked.length = 0;
    expect(await recheck(elsewhere)).toMatchObject({ check: { reason: "redirected" } });
    expect(shop.asked).toHaveLength(4);
    shop.answer = (response, asked) =>
      (asked.url === "/paid" ? inOrder() : to("/paid"))(response, asked);
    expect(await recheck(elsewhere)).toMatchObject({ check: { state: "live" } });
  });

  const garbage: readonly (readonly [string, Answerer, string])[] = [
    ["base64 of nothing", saying(402, { "PAYMENT-REQUIRED": "%%%" }), "unreadable_challenge"],
    [
      "a header without offers",
      saying(402, { "PAYMENT-REQUIRED": encodeHeader({ x402Version: 2 }) }),
      "unreadable_challenge",
    ],
    [
      "a header with no offer",
      saying(402, { "PAYMENT-REQUIRED": encodeHeader({ x402Version: 2, accepts: [] }) }),
      "terms_differ",
    ],
    ["HTML", (response) => void response.writeHead(402).end("<h1>pay</h1>"), "no_challenge"],
    [
      "nesting without end",
      (response) => void response.writeHead(402).end("[".repeat(100_000)),
      "no_challenge",
    ],
    [
      "a body without end",
      (response) => {
        response.writeHead(402);
        const more = () => {
          while (response.write("x".repeat(64 * 1024)));
        };
        response.on("drain", more);
        more();
      },
      "unreadable_challenge",
    ],
    [
      "a packed body, which was not asked for",
      saying(402, { "content-encoding": "gzip" }),
      "unreadable_challenge",
    ],
    ["no HTTP", (response) => void response.socket?.end("220 ESMTP\r\n"), "unreachable"],
    ["a break", (response) => void response.socket?.destroy(), "unreachable"],
  ];
  test.each(garbage)("may answer %s", async (_name, answer, reason) => {
    shop.answer = answer;
    expect(await recheckWhenFree(await create())).toMatchObject({ check: { reason } });
  });

  test("has a certificate that is believed", async () => {
    const unknown = createAuthority("Another authority").identify();
    const otherName = authority.identify({ dns: ["shop.example"], ips: [] });
    for (const identity of [unknown, otherName]) {
      const bad = await openHttpsSeller(identity, inOrder());
      const listing = await create({ resource: `${bad.origin}/r` });
      const { check } = await recheckWhenFree(listing);
      expect(check).toMatchObject({ reason: "unreachable" });
      expect(textAt(Object(check), "message")).toMatch(/certificate/);
      expect(bad.asked).toEqual([]);
      bad.close();
    }
  });
});
