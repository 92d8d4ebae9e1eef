/** The core on web-standard requests, behind the smallest server there is. */
import { expect, test } from "vitest";
import { sellerSuite } from "./seller.suite.ts";
import { ConfigurationError, createSeller } from "./index.ts";
import { listenFetch } from "./listen.testing.ts";

sellerSuite("core", (options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch((request) =>
    paid.charge(request, async (payment) => {
      const {
        body = "",
        status = 200,
        headers = {},
      } = await app({
        body: await request.text(),
        payment,
      });
      return new Response(body, { status, headers });
    }),
  );
});

const facilitator = { url: "https://facilitator.example" };
const payTo = "xdc209693Bc6afc0C5328bA36FaF03C514EF312287C";

test("charge uses the price of the seller's options", async () => {
  const seller = createSeller({ facilitator, payTo, price: 5n, network: ["xdc", "eip155:51"] });
  const response = await seller.charge(new Request("http://shop.example/a"), () => new Response());
  expect(await response.json()).toMatchObject({
    accepts: [
      { network: "xdc", payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" },
      { network: "xdc-apothem" },
      { network: "eip155:50", amount: "5" },
      { network: "eip155:51", amount: "5" },
    ],
  });
});

test("charge without any price says so", async () => {
  const seller = createSeller({ facilitator, payTo });
  const answer = seller.charge(new Request("http://shop.example/a"), () => new Response());
  await expect(answer).rejects.toThrow(ConfigurationError);
});

test("v2-only leaves version 1 out", async () => {
  const seller = createSeller({ facilitator, payTo, price: "1", mode: "v2-only" });
  const response = await seller.charge(new Request("http://shop.example/a"), () => new Response());
  expect(await response.json()).toMatchObject({ x402Version: 2, accepts: [{ amount: "1000000" }] });
});
