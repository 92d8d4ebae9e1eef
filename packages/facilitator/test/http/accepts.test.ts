/** POST /accepts, as `@faremeter/middleware` 0.22 asks it, and the sale that follows. */
import type { Devnet } from "@farthing/devnet";
import { apothem, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  memberAt,
  serveOn,
  startChain,
  withMember,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;

beforeAll(async () => {
  devnet = await startChain();
  served = await serveOn(devnet, { selfBuilt: false });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const payTo = "0x7A11830374F9a3aA26C125CAa932520D984B1024";
const offer = {
  scheme: "exact",
  network: "eip155:51",
  amount: "10000",
  asset: apothem.usdc,
  payTo,
};
const token = {
  name: "USDC",
  version: "2",
  decimals: 6,
  primaryType: "TransferWithAuthorization",
};
const extra = { assetTransferMethod: "eip3009", ...token, paymentFlow: "upfront" };

const ask = (body: unknown, path = "/api/facilitator/accepts") => served.post(path, body);

/** What is given back for some entries of version 2. */
async function completed(...accepts: unknown[]): Promise<unknown> {
  const { status, body } = await ask({ x402Version: 2, resource: { url: "" }, accepts });
  expect(status).toBe(200);
  return body["accepts"];
}

describe("entries are echoed and completed", () => {
  test("version 2, as the middleware sends it and reads the answer", async () => {
    const resource = { url: "https://shop.example/r", description: "d", mimeType: "text/plain" };
    const sent = { ...offer, maxTimeoutSeconds: 60, more: { own: true } };
    const { status, body } = await ask({ x402Version: 2, resource, accepts: [sent] });
    expect(status).toBe(200);
    expect(body).toEqual({ x402Version: 2, resource, accepts: [{ ...sent, extra }] });
  });

  test("version 1", async () => {
    const { amount, ...rest } = offer;
    const terms = { maxAmountRequired: amount, resource: "https://shop.example/r" };
    const sent = { ...rest, ...terms, maxTimeoutSeconds: 60, network: "xdc-apothem" };
    const { body } = await ask({ x402Version: 1, accepts: [sent] });
    expect(body).toEqual({
      x402Version: 1,
      accepts: [{ ...sent, extra: { ...token, paymentFlow: "upfront" } }],
      error: "",
    });
  });

  test("what is missing is filled in, a wrong domain is put right, the seller's own stays", async () => {
    const { asset: _asset, ...bare } = offer;
    const wrong = { name: "USD Coin", version: "1", paymentFlow: "authorization", own: 1 };
    expect(
      await completed({ ...bare, network: "xdc-testnet" }, { ...offer, extra: wrong }),
    ).toEqual([
      { ...offer, maxTimeoutSeconds: 300, extra },
      {
        ...offer,
        maxTimeoutSeconds: 300,
        extra: { ...extra, paymentFlow: "authorization", own: 1 },
      },
    ]);
  });

  test("a payment for the completed entry is settled, and opens one response", async () => {
    const [entry] = Array.from(
      [await completed({ ...offer, payTo: devnet.seller.address })].flat(),
    );
    const message = withMember(bodyOn(devnet), "paymentRequirements", entry);
    // The middleware sends no outer version.
    const { x402Version: _version, ...body }: JsonObject = withMember(
      message,
      "paymentPayload.accepted",
      entry,
    );
    const settled = await served.post("/api/facilitator/settle", body);
    expect(settled.body).toMatchObject({ success: true, network: "eip155:51" });
    expect(memberAt(body, "paymentRequirements.extra.decimals")).toBe(6);
    // The middleware never asks /verify, and serves for each success that it is told.
    const again = await served.post("/api/facilitator/settle", body);
    expect(again.body).toMatchObject({
      success: false,
      errorReason: "already_settled",
      transaction: settled.body["transaction"],
    });
  });
});

test("what is not settled here is left out", async () => {
  expect(
    await completed(
      { ...offer, scheme: "upto" },
      { ...offer, network: "eip155:50" },
      { ...offer, network: "solana:mainnet" },
      { ...offer, asset: devnet.seller.address },
      { ...offer, extra: { assetTransferMethod: "permit2" } },
    ),
  ).toEqual([]);
});

test.each([
  [{}, /x402Version must be 1 or 2/],
  [{ x402Version: 2 }, /accepts must be a list/],
  [{ x402Version: 2, accepts: Array.from({ length: 33 }, () => offer) }, /may have 32 entries/],
  [{ x402Version: 2, accepts: [null] }, /accepts\[0\] must be an object/],
  [{ x402Version: 2, accepts: [{ scheme: "exact" }] }, /texts scheme and network/],
  [{ x402Version: 2, accepts: [offer, { ...offer, amount: 1 }] }, /accepts\[1\]: amount must be/],
  [{ x402Version: 2, accepts: [{ ...offer, asset: "USDC" }] }, /accepts\[0\]: asset must be/],
  [{ x402Version: 2, accepts: [{ ...offer, amount: "999" }] }, /less than 0\.001000 USDC/],
  [{ x402Version: 2, accepts: [{ ...offer, payTo: "" }] }, /accepts\[0\]: payTo must be/],
  [{ x402Version: 2, accepts: [{ ...offer, extra: [] }] }, /accepts\[0\]: extra must be/],
])("%j is a 400", async (body, says) => {
  const { status, body: problem } = await ask(body);
  expect([status, problem]).toMatchObject([
    400,
    { error: "invalid_request", message: expect.stringMatching(says) },
  ]);
});

test("the public surface asks for a key, as for the other payment routes", async () => {
  expect((await ask({ x402Version: 2, accepts: [offer] }, "/accepts")).status).toBe(401);
});
