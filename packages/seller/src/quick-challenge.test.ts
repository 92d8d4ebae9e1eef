/** The challenge of a route that is written once is the one that the whole exchange would write. */
import { decodeHeader, headerNames } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createSeller, type RouteOptions, type SellerEvent, type SellerOptions } from "./index.ts";

const publicUrl = "https://api.example.com/shop";

function sell(options: Partial<SellerOptions> = {}, own: RouteOptions = {}) {
  const events: SellerEvent[] = [];
  const seller = createSeller<unknown>({
    facilitator: { url: "https://facilitator.example" },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    price: "0.01",
    publicUrl,
    onEvent: (event) => void events.push(event),
    ...options,
  });
  return { route: seller.route(own), events };
}

const plain = (target: string, headers = {}, method = "GET") => ({ method, target, headers });

/** The token of a challenge, which is another one each time. */
const tokens = /"token":"[0-9a-f]{32}"/g;

/** What a buyer reads of a challenge, but for the token. */
function readable(headers: Headers, body: string) {
  const inHeader = JSON.stringify(decodeHeader(headers.get(headerNames.paymentRequired))?.value);
  const others = [...headers].filter(([name]) => name !== "payment-required");
  const known: unknown[] = [inHeader, JSON.stringify(JSON.parse(body))].map((text) =>
    JSON.parse(text.replaceAll(tokens, '"token":""')),
  );
  return { others, known, tokens: `${inHeader}${body}`.match(tokens) };
}

test.each<[string, Partial<SellerOptions>, RouteOptions, string]>([
  ["as it comes", {}, {}, "/report"],
  ["with a query", {}, {}, "/reports/2026-11/?days=30&full=yes"],
  ["with words of many letters", {}, { description: 'Zürich, "東京" 😀 \\ <b>' }, "/report"],
  ["with a type", {}, { mimeType: "application/json", maxTimeoutSeconds: 60 }, "/a"],
  ["of version 2 alone", { mode: "v2-only" }, {}, "/report"],
  ["on two networks", { network: ["eip155:50", "eip155:51"] }, {}, "/report"],
  ["without pages", { paywall: false, allowOrigin: "https://app.example" }, {}, "/report"],
  ["with an extension", { extensions: [{ key: "acme", declaration: { a: "b" } }] }, {}, "/report"],
])("%s, both challenges say the same", async (_case, options, own, target) => {
  const { route, events } = sell(options, own);
  const quick = route.challenge?.(plain(target));
  if (!quick) throw new Error("There is no quick challenge.");
  const request = new Request(`${publicUrl.replace("/shop", "")}${target}`);
  const { response, outcome } = await route.charge(request, () => new Response("content"));
  expect([quick.status, quick.outcome]).toEqual([response.status, outcome]);
  const found = readable(new Headers(quick.headers), quick.body);
  const wanted = readable(response.headers, await response.text());
  expect(found.others).toEqual(wanted.others);
  expect(found.known).toEqual(wanted.known);
  // In the header and in the body there is one and the same, and another one in each challenge.
  expect(new Set(found.tokens).size).toBe(1);
  expect(found.tokens?.[0]).not.toBe(wanted.tokens?.[0]);
  expect(quick.body).toMatch(/^[\x20-\x7e]*$/);
  expect(events.map(({ type, url }) => `${type} ${url}`)).toEqual([
    `challenged ${publicUrl}${target}`,
    `challenged ${publicUrl}${target}`,
  ]);
});

test.each([
  ["a payment", plain("/report", { "payment-signature": "e30=" })],
  ["a payment of version 1", plain("/report", { "x-payment": "e30=" })],
  ["an empty payment", plain("/report", { "x-payment": "" })],
  ["a pass", plain("/report", { "payment-pass": "x" })],
  ["a sign-in", plain("/report", { "sign-in-with-x": "x" })],
  ["a browser", plain("/report", { accept: "text/HTML,*/*" })],
  ["HEAD", plain("/report", {}, "HEAD")],
  ["OPTIONS", plain("/report", {}, "OPTIONS")],
  ["an escape", plain("/r%C3%A9port")],
  ["a climbing path", plain("/a/../report")],
  ["two slashes", plain("//evil.example/report")],
  ["an empty query", plain("/report?")],
  ["a quotation mark", plain('/report?"')],
  ["a long address", plain(`/${"a".repeat(2_000)}`)],
])("%s takes the whole exchange", (_case, request) => {
  expect(sell().route.challenge?.(request)).toBeUndefined();
});

const receiptSigner = { format: "eip712", signTypedData: async () => "0x" } as const;

test.each<[string, Partial<SellerOptions>, RouteOptions]>([
  ["a price of its own for each request", {}, { price: () => "0.02" }],
  ["a payee for each request", {}, { payTo: () => "0x209693Bc6afc0C5328bA36FaF03C514EF312287C" }],
  ["a description of its input", {}, { describe: { output: { type: "object" } } }],
  ["a check of its input", {}, { check: () => undefined }],
  ["offers that are signed", { receiptSigner }, {}],
  ["a pass, whose challenge is signed", {}, { pass: { uses: 2, validFor: "1d" } }],
])("a route with %s has no such challenge", (_case, options, own) => {
  expect(sell(options, own).route.challenge).toBeUndefined();
});
