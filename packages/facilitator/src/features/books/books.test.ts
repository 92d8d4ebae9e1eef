/** What a settlement was for: kept from the payment and the seller's headers, found and exported. */
import { createServer, type IncomingMessage, type Server } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Devnet } from "@farthing/devnet";
import { isObject, type Address, type JsonObject } from "@farthing/protocol";
import { openSignedIn, stepUp, type Browser } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  serveOn,
  startChain,
  textAt,
  withMember,
  type Answer,
  type Served,
} from "../../../test/support/facilitator.testing.ts";
import { keyIn } from "../../../test/support/api-keys.testing.ts";
import { holdAnswers, readContract } from "../../../test/support/openapi.testing.ts";
import { bothEngines } from "../../../test/stores/store-benches.testing.ts";
import { claimOf, next } from "../../../test/stores/store-values.testing.ts";

describe("over HTTP", () => {
  let devnet: Devnet;
  let served: Served;
  let letGo: () => void;
  let seller: Browser;
  let key: string;
  let receiver: Server;
  let receive: (body: JsonObject) => void;
  const received = new Promise<JsonObject>((resolve) => {
    receive = resolve;
  });

  async function takeMessage(request: IncomingMessage): Promise<void> {
    receive(JSON.parse(await text(request)));
  }

  beforeAll(async () => {
    devnet = await startChain();
    served = await serveOn(devnet, { selfBuilt: false, env: { FARTHING_WEBHOOK_INSECURE: "yes" } });
    key = await keyIn(served.databaseUrl, devnet.seller.address);
    seller = await openSignedIn(served, { wallet: devnet.seller });
    receiver = createServer((request, response) => {
      void takeMessage(request);
      response.end();
    });
    await new Promise<void>((resolve) => receiver.listen(0, "127.0.0.1", resolve));
    const at = receiver.address();
    const url = `http://127.0.0.1:${typeof at === "object" ? (at?.port ?? 0) : 0}/hook`;
    const approval = await stepUp(seller, devnet.seller, "webhook_secret", { url });
    const events = ["settlement.confirmed"];
    await seller.post("/v1/account/webhooks", { url, events, stepUp: approval });
    letGo = holdAnswers(served.url, await readContract(served.url));
  });
  afterAll(async () => {
    letGo?.();
    await served?.stop();
    receiver?.close();
    await devnet?.stop();
  });

  function settle(headers: object = {}, resource?: string): Promise<Answer> {
    const named = { url: resource };
    const body =
      resource === undefined
        ? bodyOn(devnet)
        : withMember(bodyOn(devnet), "paymentPayload.resource", named);
    return served.post("/settle", body, {
      authorization: `Bearer ${key}`,
      prefer: "wait=20",
      ...headers,
    });
  }

  async function list(query: string): Promise<JsonObject[]> {
    const { body } = await seller.get(`/v1/account/settlements?${query}`);
    const { settlements } = body;
    return Array.isArray(settlements) ? settlements.filter(isObject) : [];
  }

  test("the seller's headers are kept, listed, exported and sent to webhooks", async () => {
    const books = {
      resource: "https://shop.example/reports/7",
      route: "GET /reports/:id",
      reference: "order 2026-1",
    };
    const { body } = await settle(
      {
        "x-payment-resource": "https://user:secret@shop.example/reports/7?who=me#part",
        "x-payment-route": books.route,
        "x-payment-reference": books.reference,
        "x-payment-opens": "pass",
      },
      "https://other.example/",
    );
    const { data } = await received;
    expect(data).toMatchObject({ id: body["id"], ...books });
    await settle();
    for (const [name, value] of Object.entries(books)) {
      const found = await list(`${name}=${encodeURIComponent(value)}`);
      expect(found).toMatchObject([{ id: body["id"], ...books }]);
      expect(await list(`${name}=${encodeURIComponent(`${value}0`)}`)).toEqual([]);
    }
    expect(await list("reference=order%202026-1&route=other")).toEqual([]);
    expect(await list("reference=order%202026-1&state=failed")).toEqual([]);
    const unprintable = await seller.get("/v1/account/settlements?reference=%00");
    expect(unprintable).toMatchObject({ status: 400, body: { error: "invalid_request" } });
    const story = await seller.get(`/v1/account/settlements/${textAt(body, "id")}`);
    expect(story.body).toMatchObject({ ...books, opens: "pass" });
    const cookie = [...seller.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const file = await fetch(`${served.url}/v1/account/settlements?format=csv`, {
      headers: { cookie },
    });
    const lines = (await file.text()).split("\r\n");
    expect(lines[0]).toMatch(/,resource,route,reference,/);
    expect(lines.some((line) => line.includes(`,${Object.values(books).join(",")},`))).toBe(true);
  });

  test("without headers the payment names the resource, never with its query", async () => {
    const { body } = await settle({}, "https://shop.example/search?q=private");
    const [found] = await list("resource=https%3A%2F%2Fshop.example%2Fsearch");
    expect(found).toMatchObject({ id: body["id"], route: null, reference: null });
    await settle({}, "javascript:alert(1)");
    const [newest] = await list("limit=1");
    expect(newest).toMatchObject({ resource: null });
  });

  test("a header that cannot be kept is refused before anything is settled", async () => {
    const before = (await list("limit=200")).length;
    for (const headers of [
      { "x-payment-reference": "x".repeat(65) },
      { "x-payment-route": "caf\u00e9" },
      { "x-payment-resource": "reports" },
      { "x-payment-opens": "door" },
    ]) {
      expect(await settle(headers)).toMatchObject({
        status: 400,
        body: { error: "invalid_request" },
      });
    }
    expect(await list("limit=200")).toHaveLength(before);
  });
});

describe.each(bothEngines())("on %s", (_, start) => {
  test("a page of a route reads on where it was, within a span of time", async () => {
    const bench = await start();
    const store = await bench.open();
    const account: Address = `0x${next().toString(16).padStart(40, "0")}`;
    const terms = { books: { resource: null, route: "GET /r", reference: null } };
    const payer: Address = `0x${"77".repeat(20)}`;
    const oldest = claimOf({ account, terms, payer });
    const claims = [oldest, ...Array.from({ length: 6 }, () => claimOf({ account, terms }))];
    for (const [index, claim] of claims.entries()) {
      await store.claimSettlements([claim, claimOf({ account })], 1_000 + index);
    }
    const found: string[] = [];
    let from: { readonly createdAt: number; readonly id: string } | undefined;
    do {
      const filter = { route: "GET /r" };
      const page = await store.listAccountSettlements(account, filter, { from, limit: 3 });
      found.push(...page.items.map(({ id }) => id));
      from = page.next ?? undefined;
    } while (from);
    expect(found).toEqual(claims.map(({ id }) => id).toReversed());
    // A filter that narrows looks further than a page.
    const narrowed = { route: "GET /r", payer };
    const rare = await store.listAccountSettlements(account, narrowed, { limit: 1 });
    expect(rare).toMatchObject({ items: [{ id: oldest.id }], next: null });
    const since = { route: "GET /r", since: 1_002, before: 1_004 };
    const { items } = await store.listAccountSettlements(account, since, { limit: 9 });
    expect(items.map(({ id }) => id)).toEqual([claims[3]?.id, claims[2]?.id]);
    const other = { route: "GET /other" };
    expect(await store.listAccountSettlements(account, other, { limit: 9 })).toEqual({
      items: [],
      next: null,
    });
    await store.close();
    await bench.stop();
  });
});
