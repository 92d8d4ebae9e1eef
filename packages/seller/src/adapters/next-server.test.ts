/** The Next.js adapter in a real server of Next.js, as it is built for production. */
import { decodeHeader, headerNames, parseChallenge, readReceipt } from "@farthing/protocol";
import { assert as assertProperty, asyncProperty } from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { payer, payFor } from "../buyer.testing.ts";
import { anyRequest, attacks } from "./any-request.testing.ts";
import { rawRequest, sendRaw } from "./listen.testing.ts";
import { startNextApp } from "./next-server.testing.ts";
import {
  startScriptedFacilitator,
  transferHash,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let facilitator: ScriptedFacilitator;
let app: Awaited<ReturnType<typeof startNextApp>>;
beforeAll(async () => {
  facilitator = await startScriptedFacilitator();
  app = await startNextApp(facilitator.url);
});
afterAll(async () => {
  await app?.stop();
  await facilitator?.close();
});

test("a paid GET opens the content once, with its context", async () => {
  const url = `${app.url}/report/Paris?day=2`;
  const unpaid = await fetch(url);
  expect(unpaid.status).toBe(402);
  expect(await unpaid.json()).toMatchObject({
    accepts: [{ resource: "https://shop.example/report/Paris?day=2" }, {}],
  });
  const headers = { ...(await payFor(url)), "If-None-Match": "*" };
  for (const isReplay of [null, "true"]) {
    const response = await fetch(url, { headers });
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ city: "Paris", made: 1, paidBy: payer });
    expect(readReceipt(response.headers)?.transaction).toBe(transferHash);
    expect(response.headers.get("X-Payment-Replayed")).toBe(isReplay);
    expect(response.headers.get("Cache-Control")).toBe("private, no-store");
  }
  expect(facilitator.transfers()).toBe(1);
  const elsewhere = url.replace("Paris", "Rome");
  expect((await fetch(elsewhere, { headers })).status).toBe(402);
});

test("a POST has its body, and is charged only when it succeeds", async () => {
  const before = facilitator.transfers();
  const url = `${app.url}/report/Paris`;
  const headers = await payFor(url, { method: "POST" });
  const bad = await fetch(url, { method: "POST", headers, body: "bad" });
  expect([bad.status, await bad.text()]).toEqual([422, "no"]);
  expect(facilitator.transfers()).toBe(before);
  const good = await fetch(url, { method: "POST", headers, body: "good" });
  expect([good.status, await good.text()]).toEqual([200, "good"]);
  expect(facilitator.transfers()).toBe(before + 1);
});

/** The terms in a raw 402: address and amount. */
function termsIn(text: string): { url: unknown; amount: bigint | undefined } | undefined {
  const header = new RegExp(`^${headerNames.paymentRequired}: (\\S+)`, "im").exec(text)?.[1];
  const parsed = parseChallenge(decodeHeader(header ?? "")?.value);
  if (!parsed.ok) return undefined;
  const { resource, entries } = parsed.value;
  return { url: resource?.["url"], amount: entries[0]?.requirements.amount };
}

test.each(attacks)("%s does not buy thirty days for the price of one", async (...attack) => {
  const [, line, headers] = attack;
  const oneDay = Object.entries(await payFor(`${app.url}/report?days=1`));
  for (const payment of [[], oneDay]) {
    const own = payment.map(([name, value]) => `${name}: ${value}`);
    const { status, text } = await sendRaw(app.url, rawRequest(line, [...headers, ...own]));
    expect(text).not.toContain("30 days");
    expect(status).toBeLessThan(500);
    // Next.js cuts a fragment off before anybody reads the address: that is a request for one day.
    if (!line.includes("#")) expect(termsIn(text)?.amount ?? 30n).toBe(30n);
  }
});

/** A path that Next.js shortens, as URL parsers do, before anybody reads it. */
const dotted = { line: "GET /report/./:", target: "/report/./:", headers: ["Host: shop.example"] };

test("any request is read alike by price function and handler, or refused", async () => {
  await assertProperty(
    asyncProperty(anyRequest, async ({ line, target, headers }) => {
      const { text } = await sendRaw(app.url, rawRequest(line, headers));
      expect(text).not.toContain("Two addresses");
      const terms = termsIn(text);
      if (!terms) return;
      // Next.js writes the query anew and takes dots out of the path, for function and handler alike.
      const asked = new URL(`http://localhost${target.replace(/[?#].*/s, "")}`);
      expect(new URL(String(terms.url)).pathname).toBe(asked.pathname);
    }),
    { numRuns: 150, examples: [[dotted]] },
  );
});

test("a browser may ask what it may send", async () => {
  const response = await fetch(`${app.url}/report/Paris`, { method: "OPTIONS" });
  expect(response.status).toBe(204);
  expect(response.headers.get("Access-Control-Allow-Headers")).toContain("PAYMENT-SIGNATURE");
});
