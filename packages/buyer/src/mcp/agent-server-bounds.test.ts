/** The server that pays for an agent: the owner's yes, what a request may be, the catalogue. */
import { createServer } from "node:http";
import { describe, expect, test } from "vitest";
import { openServer, openShop, startAgent, type Owner } from "./agent-server.testing.ts";
import { challenge, oneCent, otherPayee } from "../scripted-seller.testing.ts";

describe("the owner", () => {
  const dear = { ...oneCent, amount: 80_000n };

  test.each<[string, Owner | undefined, string]>([
    ["says no", () => ({ action: "accept", content: { approve: false } }), "The owner said no"],
    ["declines", () => ({ action: "decline" }), "The owner said no"],
    ["closes the question", () => ({ action: "cancel" }), "The owner said no"],
    ["answers what is no answer", () => ({ action: "accept", content: {} }), "Not approved"],
    ["has a host that breaks", () => Promise.reject(new Error("no window")), "Not approved"],
    ["cannot be asked", undefined, "Not approved"],
  ])("who %s pays nothing", async (_case, owner, said) => {
    const seller = await openShop({ unpaid: challenge(dear) });
    const { call, signer } = await startAgent({}, owner);
    const { words } = await call("fetch_paid", { url: seller.url });
    expect(words).toMatchObject({ error: "approval_required", payment_state: "unused" });
    expect(words["message"]).toContain(said);
    expect([signer.count, seller.paid]).toEqual([0, []]);
  });

  test("who says yes says it to these terms alone", async () => {
    let asks = dear;
    const seller = await openShop({ unpaid: () => challenge(asks) });
    const asked: string[] = [];
    const { call, signer } = await startAgent({}, (message) => {
      asked.push(message);
      return { action: "accept", content: { approve: true } };
    });
    expect((await call("fetch_paid", { url: seller.url })).isError).toBe(false);
    asks = { ...dear, amount: 90_000n, payTo: otherPayee };
    expect((await call("fetch_paid", { url: seller.url })).isError).toBe(false);
    expect(asked).toHaveLength(2);
    expect(asked[0]).toContain("Pay 0.080000 USDC");
    expect(asked[1]).toContain("Pay 0.090000 USDC");
    expect(asked[1]).toContain(otherPayee);
    expect(asked[1]).toContain("was paid at");
    expect(signer.count).toBe(2);
  });

  test("is not asked for what is above his limits", async () => {
    const seller = await openShop({ unpaid: challenge({ ...oneCent, amount: 500_000n }) });
    const asked: string[] = [];
    const { call } = await startAgent({}, (message) => {
      asked.push(message);
      return { action: "accept", content: { approve: true } };
    });
    expect((await call("fetch_paid", { url: seller.url })).words).toMatchObject({
      error: "per_payment_cap",
    });
    expect(asked).toEqual([]);
  });
});

describe("requests", () => {
  test.each([
    [{ url: "http://example.com/" }],
    [{ url: "https://user:pass@example.com/" }],
    [{ url: "https://example.com/", method: "GET", body: "x" }],
    [{ url: "https://example.com/", headers: { "bad header": "x" } }],
    [{ url: "https://example.com/", headers: { "PAYMENT-SIGNATURE": "x" } }],
  ])("%j is not sent", async (values) => {
    const { call, signer } = await startAgent();
    const { isError, words } = await call("fetch_paid", values);
    expect([isError, words["payment_state"], signer.count]).toEqual([true, "unused", 0]);
    expect(words["error"]).toMatch(/^(invalid_input|payment_header_present)$/);
  });

  test("this machine is asked only where the owner lets it", async () => {
    const seller = await openShop();
    const { call } = await startAgent({ allowsLocal: false });
    expect((await call("inspect_url", { url: seller.url })).words["error"]).toBe("invalid_input");
    expect(seller.requests).toEqual([]);
  });

  test.each([
    "https://127.0.0.1:8443/",
    "https://localhost./",
    "https://api.localhost/",
    "https://[::1]/",
    "https://[::ffff:127.0.0.1]/",
    "https://0.0.0.0/",
    "https://0x7f.1/",
    "https://10.0.0.1/",
    "https://172.16.0.1/",
    "https://192.168.1.1/",
    "https://169.254.169.254/latest/meta-data/",
    "https://[fd00::1]/",
  ])("nor is it, or its network, over https: %s", async (url) => {
    const { call } = await startAgent({ allowsLocal: false });
    for (const tool of ["inspect_url", "fetch_paid"]) {
      expect((await call(tool, { url })).words["error"]).toBe("invalid_input");
    }
  });

  test.each([
    ["to this machine", ["127.0.0.1"]],
    ["to its network, among others", ["93.184.215.14", "10.0.0.1"]],
    ["nowhere", []],
  ])("nor where a name leads, which leads %s", async (_case, addresses) => {
    let connections = 0;
    const server = createServer().on("connection", () => connections++);
    const { port } = new URL(await openServer(server));
    const { call, signer } = await startAgent({
      allowsLocal: false,
      resolveHost: async () => addresses,
    });
    const url = `https://shop.example:${port}/`;
    for (const tool of ["inspect_url", "fetch_paid"]) {
      const { words } = await call(tool, { url });
      expect(words).toMatchObject({ error: "invalid_input", payment_state: "unused" });
    }
    expect([connections, signer.count]).toEqual([0, 0]);
  });

  test.each([
    [{ url: "https://example.com/", maxAmount: "1e3" }],
    [{ url: "https://example.com/", maxAmount: "-1" }],
    [{ url: "https://example.com/", requestId: "../../x" }],
    [{ url: "https://example.com/", method: "CONNECT" }],
    [{ method: "GET" }],
  ])("%j is no call", async (values) => {
    expect((await (await startAgent()).call("fetch_paid", values)).text).toContain(
      "Invalid arguments",
    );
  });
});

async function openCatalogue(body: unknown, status = 200) {
  const asked: string[] = [];
  const url = await openServer(
    createServer((request, response) => {
      asked.push(request.url ?? "");
      response.writeHead(status).end(JSON.stringify(body));
    }),
  );
  return { asked, url };
}

describe("the catalogue", () => {
  const listing = {
    resource: "https://api.example.com/report",
    type: "http",
    accepts: [
      { scheme: "exact", network: "eip155:50", amount: "10000", payTo: otherPayee, evil: 1 },
    ],
    lastUpdated: "2026-11-20T10:00:00Z",
    metadata: {
      title: "Report\u0007",
      description: "x".repeat(1000),
      sample: { query: { city: "Paris" } },
    },
  };

  test("is searched, and its texts are bounded", async () => {
    const { asked, url } = await openCatalogue({
      resources: Array.from({ length: 30 }, () => listing),
    });
    const { call } = await startAgent({ catalogueUrl: `${url}/` });
    const { words } = await call("search_listings", { query: "weather & more", limit: 2 });
    expect(asked).toEqual(["/discovery/search?query=weather+%26+more&type=http&limit=2"]);
    expect(words["listings"]).toEqual([
      {
        resource: "https://api.example.com/report",
        type: "http",
        untrustedTitle: "Report",
        untrustedDescription: `${"x".repeat(200)}…`,
        untrustedSample: '{"query":{"city":"Paris"}}',
        lastUpdated: "2026-11-20T10:00:00Z",
        accepts: [{ scheme: "exact", network: "eip155:50", amount: "10000", payTo: otherPayee }],
      },
      expect.anything(),
    ]);
  });

  test.each([
    [{ resources: "none" }, 200],
    [{ error: "no" }, 500],
  ])("%j is no list", async (body, status) => {
    const { url } = await openCatalogue(body, status);
    const { call } = await startAgent({ catalogueUrl: url });
    expect(await call("search_listings", { query: "x" })).toMatchObject({
      isError: true,
      words: { error: "catalogue_unavailable" },
    });
  });

  test("is absent where the owner names none", async () => {
    const { client } = await startAgent();
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).not.toContain("search_listings");
  });
});
