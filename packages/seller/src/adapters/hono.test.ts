/** The Hono adapter. */
import { Hono } from "hono";
import { describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { farthing, type PaidEnvironment } from "./hono.ts";
import { listenFetch } from "./listen.testing.ts";
import { payTo, useScene } from "../scene.testing.ts";
import { sellerSuite } from "../seller.suite.ts";

sellerSuite("hono", (options, route, app) => {
  const hono = new Hono<PaidEnvironment>();
  hono.use("*", farthing(options)(route));
  hono.all("*", async (c) => {
    const request = { body: await c.req.text(), payment: c.get("payment") };
    const { body = "", status = 200, headers = {} } = await app(request);
    return new Response(body, { status, headers });
  });
  // Hono's own answer to an error, without its line on the console.
  hono.onError((_error, c) => c.text("Internal Server Error", 500));
  return listenFetch((request) => hono.fetch(request));
});

describe("hono: what only Hono can get wrong", () => {
  const at = useScene(async (options, route, app) => {
    const hono = new Hono<PaidEnvironment>();
    hono.use("/read-before", async (c, next) => {
      await c.req.text();
      await next();
    });
    hono.all("*", farthing(options)(route), async (c) => {
      const answer = await app({ body: await c.req.text(), payment: c.get("payment") });
      return c.text(c.req.header("If-None-Match") ?? answer.body ?? "");
    });
    return listenFetch((request) => hono.fetch(request));
  });

  test("the handler is not asked for less than was sold", async () => {
    const url = await at.start(() => ({ body: "all of it" }), { payTo });
    const headers = { ...(await payFor(url)), "If-None-Match": "*" };
    expect(await (await fetch(url, { headers })).text()).toBe("all of it");
  });

  test("the books name the route as Hono does", async () => {
    const url = await at.start();
    expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
    const settled = at.facilitator.calls.find(({ operation }) => operation === "settle");
    expect(settled?.books).toEqual({ route: "GET /*" });
  });

  test("a body that was read before binds the payment all the same", async () => {
    const url = new URL("/read-before", await at.start(({ body }) => ({ body: `got ${body}` })))
      .href;
    const init = { method: "POST", headers: await payFor(url, { method: "POST" }) };
    expect(await (await fetch(url, { ...init, body: "a" })).text()).toBe("got a");
    expect((await fetch(url, { ...init, body: "b" })).status).toBe(409);
  });
});
