/** On a devnet, an endpoint of this machine is listed over plain http, so that listings can be tried. */
import { createServer } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findUrlProblem } from "../../http/outbound/url-rules.ts";
import { openListingFixture, type ListingFixture } from "./listing-fixture.testing.ts";

let market: ListingFixture;
beforeAll(async () => {
  market = await openListingFixture();
});
afterAll(() => market?.stop());

test("an endpoint at http://localhost is checked, goes live and is found", async () => {
  const shop = createServer();
  await new Promise<void>((resolve) => void shop.listen(0, "127.0.0.1", resolve));
  const address = shop.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  const resource = `http://localhost:${address.port}/report`;
  const answer = market.inOrder({ url: resource });
  shop.on("request", (request, response) => {
    const { method = "", url = "", headers } = request;
    answer(response, { method, url, headers, body: "" });
  });
  const listing = await market.createLive({ resource });
  expect(await market.shown(listing)).toMatchObject([{ resource }]);
  shop.close();
});

test("plain http stays on this machine", () => {
  const reach = { isLocal: true, isPlain: false };
  expect(findUrlProblem("http://127.0.0.1:3000/report", reach)).toBeUndefined();
  expect(findUrlProblem("http://shop.example/report", reach)).toBe("It must begin with https://.");
  expect(findUrlProblem("http://localhost/report", { ...reach, isLocal: false })).toBe(
    "It must begin with https://.",
  );
});
