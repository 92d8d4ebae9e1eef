/** The Next.js adapter, called as Next.js calls a route handler. */
import { NextRequest } from "next/server.js";
import { describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import { listenFetch } from "./listen.testing.ts";
import { farthing } from "./next.ts";
import { payTo, useScene, type Listen } from "../scene.testing.ts";
import { sellerSuite } from "../seller.suite.ts";

interface Context {
  readonly params: Promise<{ readonly city: string }>;
}

function toNextRequest({ url, method, headers, body }: Request): NextRequest {
  return new NextRequest(url, { method, headers, ...(body ? { body, duplex: "half" } : {}) });
}

const serve: Listen = async (options, route, app) => {
  const handler = farthing(options)(
    route,
    async (request: NextRequest, context: Context, payment) => {
      const {
        body = "",
        status = 200,
        headers = {},
      } = await app({
        body: await request.text(),
        payment,
      });
      const { city } = await context.params;
      const partial = request.headers.get("if-none-match") ?? city;
      return new Response(body, { status, headers: { ...headers, "X-Context": partial } });
    },
  );
  const listening = await listenFetch(async (request) => {
    try {
      return await handler(toNextRequest(request), {
        params: Promise.resolve({ city: "Paris" }),
      });
    } catch {
      // What Next.js does with a handler that throws.
      return new Response(null, { status: 500 });
    }
  });
  // Next.js calls every loopback address by this name.
  return { ...listening, url: listening.url.replace("127.0.0.1", "localhost") };
};

sellerSuite("next", serve);

describe("next: what only Next.js can get wrong", () => {
  const at = useScene(serve);

  test("the handler gets its context, and is asked for all of it", async () => {
    const url = await at.start(undefined, { payTo });
    const headers = { ...(await payFor(url)), "If-None-Match": "*" };
    const response = await fetch(url, { headers });
    expect([response.status, response.headers.get("X-Context")]).toEqual([200, "Paris"]);
  });
});
