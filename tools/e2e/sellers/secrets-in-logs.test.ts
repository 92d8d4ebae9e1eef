/**
 * What proves a buyer's repeat, the challenge's token and the salt of a bound nonce, is in no line
 * that a gateway, a seller or their facilitator writes at any level, however a request ends.
 */
import { inspect } from "node:util";
import { isObject, requestBindingKey } from "@farthing/protocol";
import { createSeller } from "@farthing/seller";
import {
  payBound,
  payloadOf,
  rebuildFromChain,
  type PaymentHeader,
} from "@farthing/seller/testing/buyer";
import { listenFetch } from "@farthing/seller/testing/listen";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { openGateway, report } from "../support/gateway.testing.ts";
import { startMarket, termsOn, type Market } from "../support/market.testing.ts";

const lines: string[] = [];
/** Everything a logger is given, before it leaves anything out. */
const keep = (...given: unknown[]) =>
  void lines.push(inspect(given, { depth: null, maxStringLength: null }));
const log = { debug: keep, info: keep, warn: keep, error: keep };

let market: Market;
beforeAll(async () => {
  market = await startMarket({ log });
});
afterAll(() => market?.stop());
afterEach(() => {
  lines.length = 0;
  market.tap.loses = () => false;
  vi.restoreAllMocks();
});

/** Token and salt of a payment, as text without their prefix. */
function secretsOf(headers: PaymentHeader): string[] {
  const { extensions } = payloadOf(headers);
  const extension = isObject(extensions) ? extensions[requestBindingKey] : undefined;
  const info = isObject(extension) ? extension["info"] : undefined;
  if (!isObject(info)) throw new Error("The payment is not bound.");
  return [info["token"], info["salt"]].map((secret) => String(secret).replace(/^0x/, ""));
}

/** A way for a seller's own part to end. */
type Ending = (url: string, headers: PaymentHeader) => Promise<number>;

const send: Ending = async (url, headers) => {
  const response = await fetch(url, { headers });
  await response.text();
  return response.status;
};

/** Sends payments that end in every way, and expects their secrets nowhere. */
async function expectKept(url: string, breakContent: (isBroken: boolean) => void) {
  const paid = await payBound(url);
  expect([await send(url, paid), await send(url, paid)]).toEqual([200, 200]);
  expect(await send(url, await rebuildFromChain(paid, url))).toBe(409);
  expect(await send(`${url}?another=1`, paid)).toBeGreaterThanOrEqual(400);
  const undelivered = await payBound(url);
  breakContent(true);
  expect(await send(url, undelivered)).toBe(500);
  breakContent(false);
  const lost = await payBound(url);
  market.tap.loses = () => true;
  expect(await send(url, lost)).toBe(503);
  market.tap.loses = () => false;
  expect(lines.length).toBeGreaterThan(0);
  const written = lines.join("\n").toLowerCase();
  for (const payment of [paid, undelivered, lost]) {
    // The header is base64, in which they cannot be seen and are there.
    const [header = ""] = Object.values(payment);
    for (const secret of [...secretsOf(payment), header]) {
      expect(secret.length).toBeGreaterThanOrEqual(32);
      expect(written).not.toContain(secret.toLowerCase());
    }
  }
  return written;
}

test("a gateway's", async () => {
  const gateway = await openGateway(market, { log });
  const { api } = gateway;
  try {
    const written = await expectKept(`${gateway.url}/paid/7`, (isBroken) => {
      api.answer = isBroken
        ? (_, response) => void response.writeHead(500).end()
        : report(api.heard);
    });
    expect(written).toContain("request completed");
  } finally {
    await gateway.stop();
  }
});

test.each(["to its listener", "to the console"])("a seller's, which goes %s", async (where) => {
  for (const level of ["debug", "log", "info", "warn", "error"] as const) {
    vi.spyOn(console, level).mockImplementation(keep);
  }
  const { onEvent: _, ...terms } = termsOn(market, "hosted");
  const listener = where === "to its listener" ? { onEvent: keep } : {};
  const seller = createSeller({ ...terms, ...listener });
  let isBroken = false;
  const shop = await listenFetch((request) =>
    seller
      .charge(request, () => {
        if (isBroken) throw new Error("The report is broken");
        return new Response("report");
      })
      .then(({ response }) => response),
  );
  try {
    await expectKept(shop.url, (now) => {
      isBroken = now;
    });
  } finally {
    await shop.close();
  }
});
