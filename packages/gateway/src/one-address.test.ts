/**
 * What a buyer pays for is what the upstream is asked for: any request that is refused by neither
 * has one address, in the challenge and at the upstream.
 */
import { decodeHeader, headerNames, parseChallenge } from "@farthing/protocol";
import { alike, anyRequest, evilHost } from "@farthing/seller/testing/any-request";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { assert as assertProperty, asyncProperty } from "fast-check";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import type { Gateway } from "./gateway.ts";
import { rawRequest, sendRaw, startBefore } from "./gateway.testing.ts";

let upstream: Listening;
let paid: Gateway;
let free: Gateway;
let asked: { target: string | undefined; host: string | undefined }[] = [];
beforeAll(async () => {
  upstream = await listen((req, res) => {
    asked.push({ target: req.url, host: req.headers.host });
    res.end();
  });
  const settings = { publicUrl: "https://shop.example", trustedProxies: ["127.0.0.1"] };
  const rule = { match: "* /*", upstream: "api" };
  const start = (route: object) =>
    startBefore(upstream.url, { ...settings, routes: [{ ...rule, ...route }] });
  paid = await start({ price: "0.01" });
  free = await start({ free: true });
});
afterAll(async () => {
  await paid?.stop();
  await free?.stop();
  await upstream?.close();
});
beforeEach(() => {
  asked = [];
});

/** The address in a raw 402; undefined for any other answer. */
function addressIn(text: string): URL | undefined {
  const header = new RegExp(`^${headerNames.paymentRequired}: (\\S+)`, "im").exec(text)?.[1];
  const parsed = parseChallenge(decodeHeader(header ?? "")?.value);
  const url = parsed.ok ? parsed.value.resource?.["url"] : undefined;
  return typeof url === "string" ? new URL(url) : undefined;
}

test("any request is sold under the address that the upstream gets, or refused", async () => {
  await assertProperty(
    asyncProperty(anyRequest, async ({ line, headers }) => {
      asked = [];
      const raw = rawRequest(line, headers);
      const { status, text } = await sendRaw(paid.url, raw);
      expect(status).toBeLessThan(500);
      expect(text).not.toMatch(/\n\s+at /);
      const sold = addressIn(text);
      expect([status === 402, asked]).toEqual([sold !== undefined, []]);
      if (!sold) return;
      await sendRaw(free.url, raw);
      expect(sold.origin).toBe("https://shop.example");
      expect([alike(sold.pathname + sold.search)]).toEqual(
        asked.map(({ target }) => alike(target ?? "")),
      );
      expect(asked[0]?.host).toBe(new URL(upstream.url).host);
    }),
    { numRuns: 400 },
  );
});

test.each([
  ["GET /report?days=30", `Host: ${evilHost}`],
  ["GET /report?days=30", "Host: shop.example/report"],
  ["GET /report?days=30", "Host:"],
  ["GET /report#days=30", "Host: shop.example"],
  ["GET /report?#&days=30", "Host: shop.example"],
  ['GET /report?a="1"', "Host: shop.example"],
  ["GET /report?a=%zz", "Host: shop.example"],
])("%s with %s is refused before it is sold", async (line, host) => {
  const { status, text } = await sendRaw(paid.url, rawRequest(line, [host]));
  expect(status).toBe(400);
  expect(text).toContain('"error":"malformed_request"');
});

test("a refusal stays one where a library has replaced the global Response", async () => {
  // Hono's server does so, for every program that it is a part of.
  const { getRequestListener } = await import("@hono/node-server");
  getRequestListener(() => new Response());
  const raw = rawRequest("GET /report?a=%zz", ["Host: shop.example"]);
  expect((await sendRaw(paid.url, raw)).status).toBe(400);
});
