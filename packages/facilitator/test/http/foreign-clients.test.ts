/** What clients meet that know only the service description, or come through proxies. */
import { gzipSync } from "node:zlib";
import type { Devnet } from "@farthing/devnet";
import { apothem } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  serveOn,
  startChain,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";
import { rawPost, sendRaw } from "../support/raw-http.testing.ts";

let devnet: Devnet;
let served: Served;
let selfBuilt: Served;

beforeAll(async () => {
  devnet = await startChain({ relayers: 2 });
  served = await serveOn(devnet, { selfBuilt: false });
  selfBuilt = await serveOn(devnet, { wallets: [1] });
});
afterAll(async () => {
  await served?.stop();
  await selfBuilt?.stop();
  await devnet?.stop();
});

const json = { "content-type": "application/json" };
const routes = ["/api/facilitator/verify", "/api/facilitator/settle", "/api/facilitator/accepts"];

describe("/supported", () => {
  const token = { decimals: 6, name: "USDC", version: "2" };
  const kind = { scheme: "exact", asset: apothem.usdc };
  const second = {
    ...kind,
    x402Version: 2,
    network: "eip155:51",
    extra: { ...token, assetTransferMethod: "eip3009" },
  };
  const first = { ...kind, x402Version: 1, extra: token };
  // Without an authorizer, which only accounts have, and only where the operator set a secret.
  const channel = { ...second, scheme: "batch-settlement" };

  test("lists both names of Apothem in version 1, on the surfaces that speak it", async () => {
    const kinds = [
      second,
      { ...first, network: "xdc-apothem" },
      { ...first, network: "xdc-testnet" },
      channel,
    ];
    expect((await served.get("/api/facilitator/supported")).body["kinds"]).toEqual(kinds);
    expect((await selfBuilt.get("/supported")).body["kinds"]).toEqual(kinds);
    expect((await served.get("/supported")).body["kinds"]).toEqual([second, channel]);
  });

  test("what it lists can be paid, by each name", async () => {
    for (const network of ["xdc-apothem", "xdc-testnet"]) {
      const message = ["paymentPayload.network", "paymentRequirements.network"].reduce(
        (body, path) => withMember(body, path, network),
        bodyOn(devnet, { shape: "v1" }),
      );
      const { body } = await served.post("/api/facilitator/settle", message);
      expect(body).toMatchObject({ success: true, network });
    }
  });
});

test("a proxy may send the whole address as the target", async () => {
  const targets = [
    `${served.url}/api/facilitator/supported`,
    `HTTP://facilitator.example//api/facilitator//supported?x=http://a`,
  ];
  for (const target of targets) {
    const text = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    const { status, body } = await sendRaw(served.url, text);
    expect([status, body]).toMatchObject([200, { extensions: ["bazaar", "payment-identifier"] }]);
  }
  for (const target of ["http://localhost", "http://localhost?x"]) {
    const text = `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`;
    expect((await sendRaw(served.url, text)).body).toMatchObject({ error: "not_found" });
  }
});

describe("bodies", () => {
  test.each(routes)("%s: a compressed one is a 415 that says so", async (path) => {
    for (const encoding of ["gzip", "br", "x-unknown"]) {
      const response = await fetch(`${served.url}${path}`, {
        method: "POST",
        headers: { ...json, "content-encoding": encoding },
        body: gzipSync(JSON.stringify(bodyOn(devnet))),
      });
      expect([response.status, await response.json()]).toMatchObject([
        415,
        { error: "unsupported_media_type", message: expect.stringMatching(/compressed/) },
      ]);
    }
  });

  test("one that says it is not compressed is read", async () => {
    const { body } = await served.post("/api/facilitator/verify", bodyOn(devnet), {
      "content-encoding": "identity",
    });
    expect(body).toMatchObject({ isValid: true });
  });

  test.each(routes)("%s: none at all is a 400 that says so", async (path) => {
    const answer = await sendRaw(served.url, rawPost(path, ["Content-Length: 0"], ""));
    expect([answer.status, answer.body]).toMatchObject([
      400,
      { error: "invalid_request", message: expect.stringMatching(/body is empty/) },
    ]);
  });
});

test("what a stock seller passes on to buyers asks no buyer for a key", async () => {
  const { status, body } = await served.post("/verify", bodyOn(devnet));
  expect([status, body["error"]]).toEqual([401, "unauthorized"]);
  expect(body["message"]).toMatch(/^The seller asked without a valid API key.*a buyer needs none/);
});
