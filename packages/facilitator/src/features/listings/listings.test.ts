/** Listings over HTTP: who lists what, where it stands after checks of a real HTTPS seller. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { openSignedIn } from "../../../test/support/browser.testing.ts";
import { textAt, walletAt } from "../../../test/support/facilitator.testing.ts";
import { saying } from "../../../test/support/https-seller.testing.ts";
import {
  listingsPath,
  openListingFixture,
  type ListingFixture,
} from "./listing-fixture.testing.ts";

const hour = 60 * 60_000;

let fixture: ListingFixture;
beforeAll(async () => {
  fixture = await openListingFixture();
});
afterAll(() => fixture?.stop());
beforeEach(() => fixture.reset());

describe("a listing", () => {
  test("is checked by itself, as a buyer without payment would ask, and shown when in order", async () => {
    const listing = await fixture.create({ sample: { query: { city: "Rome", days: "2" } } });
    expect(listing).toMatchObject({
      check: { state: "pending", isPublic: false, checkedAt: null },
      advertised: { scheme: "exact", amount: "10000", payTo: fixture.devnet.seller.address },
    });
    expect(await fixture.shown(listing)).toEqual([]);
    await expect.poll(() => fixture.shown(listing)).toHaveLength(1);
    const [asked] = fixture.shop.asked;
    expect(asked).toMatchObject({ method: "GET" });
    expect(asked?.url).toMatch(/\?city=Rome&days=2$/);
    expect(asked?.headers["user-agent"]).toMatch(/^Farthing\/\S+ \(listing check; \+ops@pay\.ex/);
    for (const name of ["cookie", "authorization", "payment-signature", "x-payment"]) {
      expect(asked?.headers[name]).toBeUndefined();
    }
    expect(await fixture.read(listing)).toMatchObject({
      check: { state: "live", failures: 0, reason: null, message: "", differences: [] },
      lastSeen: { x402Version: 2 },
    });
  });

  test("with a body is asked with its sample", async () => {
    const listing = await fixture.create({ method: "POST", sample: { body: { query: "x" } } });
    expect(await fixture.recheckWhenFree(listing)).toMatchObject({ check: { state: "live" } });
    expect(fixture.shop.asked.at(-1)).toMatchObject({ method: "POST", body: '{"query":"x"}' });
    expect(fixture.shop.asked.at(-1)?.headers["content-type"]).toBe("application/json");
  });

  test("is its owner's alone", async () => {
    const listing = await fixture.createLive();
    const otherOwner = await openSignedIn(fixture.served, {
      wallet: walletAt(fixture.devnet.buyers, 1),
    });
    const at = `${listingsPath}/${textAt(listing, "id")}`;
    expect((await otherOwner.get(at)).status).toBe(404);
    expect((await otherOwner.send("PUT", at, fixture.inputOf())).status).toBe(404);
    expect((await otherOwner.post(`${at}/check`, {})).status).toBe(404);
    expect((await otherOwner.send("DELETE", at)).status).toBe(404);
    expect((await otherOwner.get(listingsPath)).body).toEqual({ listings: [] });
    expect((await fixture.served.get(at)).status).toBe(401);
    expect((await fixture.seller.send("DELETE", at)).status).toBe(204);
    expect(await fixture.shown(listing)).toEqual([]);
  });

  test("whose terms are changed is not shown until they were checked", async () => {
    const input = fixture.inputOf();
    const listing = await fixture.createLive(input);
    const at = `${listingsPath}/${textAt(listing, "id")}`;
    const titled = await fixture.seller.send("PUT", at, { ...input, title: "Another" });
    expect(titled.body).toMatchObject({ title: "Another", check: { state: "live" } });
    const dearer = await fixture.seller.send("PUT", at, { ...input, amount: "20000" });
    expect(dearer.body).toMatchObject({ check: { state: "pending", isPublic: false } });
    expect(await fixture.shown(listing)).toEqual([]);
    const clash = await fixture.create();
    const { resource, method } = clash;
    expect((await fixture.seller.send("PUT", at, { ...input, resource, method })).status).toBe(409);
    expect((await fixture.seller.post(listingsPath, { ...input, resource })).status).toBe(409);
  });

  test.each([
    ["resource", "http://scene.shop.example/r"],
    ["resource", "https://user:word@scene.shop.example/r"],
    ["resource", "https://scene.shop.example/r?city=Rome"],
    ["resource", "https://scene.shop.example/r#part"],
    ["resource", "https://scene.shop.example/a\\b"],
    ["resource", "ftp://scene.shop.example/r"],
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
    // The method is GET.
    ["sample", { tool: { name: "forecast" } }],
    ["colour", "red"],
  ])("with %s %j is refused", async (member, value) => {
    const answer = await fixture.seller.post(listingsPath, fixture.inputOf({ [member]: value }));
    expect([answer.status, answer.body["error"]]).toEqual([400, "invalid_request"]);
  });
});

describe("states", () => {
  test("one failure is shown to the owner only; two in a row hide; one success restores", async () => {
    const listing = await fixture.createLive();
    fixture.shop.answer = fixture.inOrder({ amount: 20_000n });
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "failing", isPublic: true, failures: 1, reason: "terms_differ" },
    });
    // What is asked for now, and not what was advertised.
    expect(await fixture.shown(listing)).toMatchObject([{ accepts: [{ amount: "20000" }] }]);
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "hidden", failures: 2 },
    });
    expect(await fixture.shown(listing)).toEqual([]);
    fixture.shop.answer = fixture.inOrder();
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "live", failures: 0, differences: [] },
    });
    expect(await fixture.shown(listing)).toHaveLength(1);
  });

  test("another payee hides at once", async () => {
    const listing = await fixture.createLive();
    fixture.shop.answer = fixture.inOrder({ payTo: walletAt(fixture.devnet.buyers, 0).address });
    expect(await fixture.recheck(listing)).toMatchObject({ check: { state: "hidden" } });
    expect(await fixture.shown(listing)).toEqual([]);
  });

  test("a check that could not run counts neither way, and says since when", async () => {
    const listing = await fixture.createLive();
    const before = Object(await fixture.read(listing)).check;
    fixture.shop.answer = saying(500);
    await fixture.recheck(listing);
    fixture.clock.aheadMs += 1_000;
    fixture.shop.answer = saying(429);
    const { check } = await fixture.recheck(listing);
    expect(check).toMatchObject({ state: "failing", failures: 1, reason: "server_error" });
    const { triedAt, checkedAt } = Object(check);
    expect(Date.parse(triedAt)).toBeGreaterThan(Date.parse(checkedAt));
    fixture.shop.answer = saying(500);
    expect(await fixture.recheck(listing)).toMatchObject({
      check: { state: "hidden", failures: 2 },
    });
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
    fixture.shop.answer = saying(status);
    const { check } = await fixture.recheckWhenFree(await fixture.create());
    expect(check).toMatchObject({ reason, isPublic: false });
    expect(textAt(Object(check), "message")).not.toBe("");
  });

  test("what is live is checked again by itself, an hour later or so", async () => {
    const listing = await fixture.createLive();
    const { nextAt, checkedAt } = Object(await fixture.read(listing)).check;
    const pause = Date.parse(nextAt) - Date.parse(checkedAt);
    expect(pause).toBeGreaterThan(0.89 * hour);
    expect(pause).toBeLessThan(1.11 * hour);
    fixture.shop.answer = saying(404);
    fixture.clock.aheadMs += 1.2 * hour;
    await expect
      .poll(() => fixture.read(listing))
      .toMatchObject({ check: { state: "failing", reason: "not_found" } });
    // The second look comes soon.
    fixture.clock.aheadMs += 0.2 * hour;
    await expect.poll(() => fixture.read(listing)).toMatchObject({ check: { state: "hidden" } });
  });

  test("what the operator blocks is neither shown nor checked", async () => {
    const listing = await fixture.createLive();
    await fixture.store.blockListing(textAt(listing, "id"), true, fixture.clock.nowMs());
    expect(await fixture.shown(listing)).toEqual([]);
    expect(
      (await fixture.seller.post(`${listingsPath}/${textAt(listing, "id")}/check`, {})).status,
    ).toBe(409);
    expect(await fixture.read(listing)).toMatchObject({
      check: { state: "blocked", nextAt: null },
    });
  });
});
