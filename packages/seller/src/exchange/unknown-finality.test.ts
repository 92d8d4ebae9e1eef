/** Passes and top-ups above `finalAbove` at a facilitator that names no settlement, as stock ones do. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payBound } from "../buyer.testing.ts";
import { createMemoryGrants, createSeller, type RouteOptions, type SellerEvent } from "../index.ts";
import type { Finality, ReadFinality } from "../finality-at.ts";
import { expectLater, payTo, reasonOf } from "../scene.testing.ts";
import {
  confirmedReply,
  startScriptedFacilitator,
  transferHash,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";

let facilitator: ScriptedFacilitator;
let shop: Listening | undefined;
let events: SellerEvent[];
let grants: ReturnType<typeof createMemoryGrants>;
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  facilitator.script.settle.push(...Array.from({ length: 5 }, () => confirmedReply()));
  events = [];
  grants = createMemoryGrants();
});
afterEach(async () => {
  await shop?.close();
  await facilitator.close();
});

/** Starts the shop, again with the same store. */
async function open(route: RouteOptions, finality?: ReadFinality): Promise<string> {
  await shop?.close();
  let nowMs = Date.now();
  const clock = { now: () => nowMs, sleep: async (ms: number) => void (nowMs += ms) };
  const options = {
    facilitator: { url: facilitator.url },
    payTo,
    grants,
    waitMs: 10_000,
    onEvent: (event: SellerEvent) => void events.push(event),
    ...(finality && { finality }),
  };
  const seller = createSeller({ ...options, ...route }, clock);
  const charge = (request: Request) => seller.charge(request, () => new Response("content"));
  shop = await listenFetch((request) => charge(request).then(({ response }) => response));
  return shop.url;
}

async function buy(url: string) {
  const response = await fetch(url, { headers: await payBound(url) });
  const token = response.headers.get("PAYMENT-PASS") ?? "";
  return { response, headers: { "PAYMENT-PASS": token } };
}

const settles = () => facilitator.operations().filter((name) => name === "settle").length;

const brokenBy = (says: RegExp) => ({
  type: "broken",
  error: expect.objectContaining({ message: expect.stringMatching(says) }),
});

const pass = { uses: 5, validFor: "1d", finalAbove: "0.50" };
const balance = { topUp: "1.00", reserve: "0.10", finalAbove: "0.50" };

describe.each<{ name: string; route: RouteOptions; refusal: string }>([
  { name: "a pass", route: { price: "1.00", pass }, refusal: "pass_void" },
  { name: "a balance", route: { balance }, refusal: "balance_exhausted" },
])("$name", ({ route, refusal }) => {
  test("tells the seller what to change, and no second buyer pays for it", async () => {
    const url = await open(route);
    const { response, headers } = await buy(url);
    expect(response.status).toBe(200);
    expect(events).toContainEqual(expect.objectContaining(brokenBy(/finalityAt\(rpcUrl\)/)));
    const other = await buy(url);
    await expectLater(other.response, "busy");
    expect(settles()).toBe(1);
    await expectLater(await fetch(url, { headers }), "settlement_pending");
    // With the option, what was bought opens.
    const asked: unknown[] = [];
    const again = await open(route, (payment) => {
      asked.push(payment);
      return "final";
    });
    expect((await fetch(again, { headers })).status).toBe(200);
    expect(asked).toEqual([{ network: "eip155:50", transaction: transferHash }]);
  });

  test("opens once the node calls its payment final, also when it has failed in between", async () => {
    const found: (Finality | Error)[] = ["open", new Error("The node is away."), "final"];
    const url = await open(route, () => {
      const next = found.shift();
      if (next === undefined || next instanceof Error) throw next ?? new Error("asked again");
      return next;
    });
    const { headers } = await buy(url);
    for (let nth = 0; nth < 2; nth++) {
      expect((await fetch(url, { headers })).status).toBe(200);
    }
    expect(events.map(({ type }) => type)).not.toContain("broken");
  });

  test("is void when its transaction has moved no money, and waits when no one knows", async () => {
    const known: { finality: Finality } = { finality: "open" };
    const url = await open(route, () => known.finality);
    const { headers } = await buy(url);
    await expectLater(await fetch(url, { headers }), "settlement_pending");
    known.finality = "void";
    expect(await reasonOf(await fetch(url, { headers }))).toBe(refusal);
  });
});

test("a price that need not be final is sold as before", async () => {
  const url = await open({ price: "1.00", pass: { ...pass, finalAbove: "2.00" } });
  const { headers } = await buy(url);
  expect((await fetch(url, { headers })).status).toBe(200);
  await buy(url);
  expect(settles()).toBe(2);
  expect(events.map(({ type }) => type)).not.toContain("broken");
});
