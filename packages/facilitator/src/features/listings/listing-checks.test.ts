/** What a check of an endpoint finds: field by field, and whatever a stranger's server answers. */
import { encodeHeader, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { createAuthority } from "../../../test/support/certificates.testing.ts";
import { textAt, walletAt } from "../../../test/support/facilitator.testing.ts";
import {
  challengeOf,
  charging,
  openHttpsSeller,
  saying,
  type Answerer,
} from "../../../test/support/https-seller.testing.ts";
import {
  listingsPath,
  openListingFixture,
  type ListingFixture,
} from "./listing-fixture.testing.ts";

let fixture: ListingFixture;
beforeAll(async () => {
  fixture = await openListingFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.reset());

/** The entry of the challenge, with members changed, as header alone. */
const asking =
  (changes: JsonObject, resource?: JsonObject): Answerer =>
  (response, asked) => {
    const url = `${fixture.shop.origin}${asked.url}`;
    const { body } = challengeOf({ url, payTo: fixture.devnet.seller.address, mode: "v2-only" });
    const { accepts } = body;
    const [entry] = Array.isArray(accepts) ? accepts : [];
    const challenge = {
      ...body,
      ...(resource && { resource }),
      accepts: [{ ...entry, ...changes }],
    };
    response.writeHead(402, { "PAYMENT-REQUIRED": encodeHeader(challenge) }).end("{}");
  };

/** Answers 402 with these offers, in the header alone. */
const say =
  (accepts: unknown[]): Answerer =>
  (response) => {
    const header = encodeHeader({ x402Version: 2, accepts });
    response.writeHead(402, { "PAYMENT-REQUIRED": header }).end();
  };

describe("what differs is said field by field", () => {
  const other = `0x${"12".repeat(20)}`;
  const cases: readonly (readonly [string, Answerer, string])[] = [
    ["scheme", asking({ scheme: "upto" }), "upto"],
    ["network", asking({ network: "eip155:50" }), "eip155:50"],
    ["asset", asking({ asset: other }), other],
    ["payTo", asking({ payTo: other }), other],
    ["amount", asking({ amount: "10001" }), "10001"],
    ["amount", asking({ amount: 10_000 }), "10000"],
    ["resourceHost", asking({}, { url: "https://evil.example/r" }), "evil.example"],
    ["resourceHost", asking({ resource: "https://evil.example/r" }), "evil.example"],
    ["entry", asking({ extra: { assetTransferMethod: "permit2" } }), ""],
  ];
  test.each(cases)("%s", async (field, answer, value) => {
    fixture.shop.answer = answer;
    const listing = await fixture.create();
    const { check } = await fixture.recheckWhenFree(listing);
    expect(check).toMatchObject({
      isPublic: false,
      reason: "terms_differ",
      differences: [{ field, seen: expect.stringContaining(value) }],
    });
  });

  test("of several offers, the closest one says it, and one that is right is enough", async () => {
    const right = challengeOf({
      url: fixture.shop.origin,
      payTo: fixture.devnet.seller.address,
      mode: "v2-only",
    });
    const [entry] = Array.isArray(right.body["accepts"]) ? right.body["accepts"] : [];
    const base = { ...entry, network: "eip155:8453", asset: other };
    fixture.shop.answer = say([base, { ...entry, amount: "1", asset: other, payTo: other }]);
    const listing = await fixture.create();
    const { differences } = Object((await fixture.recheckWhenFree(listing))["check"]);
    expect(differences.map(({ field }: { field: string }) => field)).toEqual([
      "asset",
      "payTo",
      "amount",
    ]);
    // One for less that is not what was checked: the list's first offer is taken for its price.
    const bait = { ...entry, amount: "1", payTo: other };
    fixture.shop.answer = say([base, bait, entry]);
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "live" },
      lastSeen: { accepts: [{ network: "eip155:51", amount: "10000" }, base, bait] },
    });
  });

  test("the header decides: a body in order beside it does not help, nor harm", async () => {
    const url = `${fixture.shop.origin}/x`;
    const good = challengeOf({ url, payTo: fixture.devnet.seller.address });
    const bad = challengeOf({ url, payTo: walletAt(fixture.devnet.buyers, 0).address });
    const listing = await fixture.create();
    fixture.shop.answer = charging({ headers: bad.headers, body: good.body });
    expect(await fixture.recheckWhenFree(listing)).toMatchObject({ check: { state: "hidden" } });
    fixture.shop.answer = charging({ headers: good.headers, body: bad.body });
    expect(await fixture.recheck(listing)).toMatchObject({ check: { state: "live" } });
    // Version 1 sellers have no such header.
    fixture.shop.answer = charging({ headers: {}, body: good.body });
    expect(await fixture.recheck(listing)).toMatchObject({ check: { state: "live" } });
    fixture.shop.answer = charging({ headers: {}, body: bad.body });
    expect(await fixture.recheck(listing)).toMatchObject({ check: { state: "hidden" } });
    const first = (Array.isArray(good.body["accepts"]) ? good.body["accepts"] : []).slice(0, 1);
    fixture.shop.answer = charging({ headers: {}, body: { x402Version: 1, accepts: first } });
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "live" },
      lastSeen: { x402Version: 1 },
    });
  });
});

/** Redirects. */
const to = (location: string) => saying(307, { location });

describe("an endpoint of a third party", () => {
  test("is followed on its own host only, and not for ever", async () => {
    const other = await openHttpsSeller(fixture.authority.identify(), fixture.inOrder());
    const elsewhere = await fixture.create();
    fixture.shop.answer = to(`${other.origin}/r`);
    expect(await fixture.recheckWhenFree(elsewhere)).toMatchObject({
      check: { reason: "redirected" },
    });
    expect(other.asked).toEqual([]);
    other.close();
    fixture.shop.answer = to("http://127.0.0.1/r");
    expect(await fixture.recheck(elsewhere)).toMatchObject({ check: { reason: "redirected" } });
    fixture.shop.answer = to("/again");
    fixture.shop.asked.length = 0;
    expect(await fixture.recheck(elsewhere)).toMatchObject({ check: { reason: "redirected" } });
    expect(fixture.shop.asked).toHaveLength(4);
    fixture.shop.answer = (response, asked) =>
      (asked.url === "/paid" ? fixture.inOrder() : to("/paid"))(response, asked);
    expect(await fixture.recheck(elsewhere)).toMatchObject({ check: { state: "live" } });
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
    [
      "a network that is no text, and cannot be made one",
      saying(402, {
        "PAYMENT-REQUIRED": encodeHeader({
          x402Version: 2,
          accepts: [{ network: { toString: 0, valueOf: 0 } }],
        }),
      }),
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
    fixture.shop.answer = answer;
    expect(await fixture.recheckWhenFree(await fixture.create())).toMatchObject({
      check: { reason },
    });
  });

  test("has a certificate that is believed", async () => {
    const unknown = createAuthority("Another authority").identify();
    const otherName = fixture.authority.identify({ dns: ["scene.shop.example"], ips: [] });
    for (const identity of [unknown, otherName]) {
      const bad = await openHttpsSeller(identity, fixture.inOrder());
      const listing = await fixture.create({ resource: `${bad.origin}/r` });
      const { check } = await fixture.recheckWhenFree(listing);
      expect(check).toMatchObject({ reason: "unreachable" });
      expect(textAt(Object(check), "message")).toMatch(/certificate/);
      expect(bad.asked).toEqual([]);
      bad.close();
    }
  });
});

/** Tries an endpoint; gives the steps that were not in order. */
async function trial(more: JsonObject = {}) {
  const body = { url: `${fixture.shop.origin}/r`, method: "GET", ...more };
  const answer = await fixture.seller.post("/v1/listings/check", body);
  expect([answer.status, answer.body["message"]]).toEqual([200, undefined]);
  const { ok, checks } = answer.body;
  const failed = (Array.isArray(checks) ? checks : [])
    .filter((check) => !check.ok && check.detail !== "Not looked at.")
    .map(({ name }) => name);
  return { ok, failed };
}

describe("an endpoint that is not listed", () => {
  test("is tried step by step, and nothing of it is kept", async () => {
    expect(await trial()).toEqual({ ok: true, failed: [] });
    expect(await trial({ network: "eip155:51", amount: "10000" })).toMatchObject({ ok: true });
    expect(await trial({ amount: "20000" })).toEqual({ ok: false, failed: ["amount"] });
    fixture.shop.answer = fixture.inOrder({ payTo: walletAt(fixture.devnet.buyers, 0).address });
    expect(await trial()).toEqual({ ok: false, failed: ["payTo"] });
    fixture.shop.answer = saying(404);
    expect(await trial()).toEqual({ ok: false, failed: ["returns402"] });
    fixture.shop.answer = saying(402);
    expect(await trial()).toEqual({ ok: false, failed: ["parse"] });
    fixture.shop.answer = to("https://127.0.0.1:1/");
    expect(await trial()).toEqual({ ok: false, failed: ["reachable"] });
    expect((await fixture.seller.get(listingsPath)).body).toEqual({ listings: [] });
  });

  test("is tried for whoever is signed in, within the rules for addresses", async () => {
    const path = "/v1/listings/check";
    const body = { url: `${fixture.shop.origin}/r`, method: "GET" };
    expect((await fixture.served.post(path, body, { origin: fixture.served.url })).status).toBe(
      401,
    );
    for (const url of ["http://127.0.0.1/", "https://10.0.0.1:22", "ftp://a.example/"]) {
      const { status, body: answer } = await fixture.seller.post(path, { url, method: "GET" });
      const isRefused = status === 400 || answer["ok"] === false;
      expect([url, isRefused]).toEqual([url, true]);
    }
  });
});
