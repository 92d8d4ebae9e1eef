/**
 * Every refusal, provoked over HTTP on a real chain: its code, the ecosystem's name for it, a
 * sentence that says what to change, HTTP 200, and nothing sent.
 */
import type { Devnet } from "@farthing/devnet";
import { refusalCodes, type Hex, type JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  byContract,
  countOf,
  memberAt,
  newNonce,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Served,
  type PaymentInput,
} from "../support/facilitator.testing.ts";
import { chainCases, shapeCases, termsCases } from "../support/refusal-cases.testing.ts";
import {
  operatorsCodes,
  refundOnlyCodes,
  sellerOnlyCodes,
  settleOnlyCodes,
  x402Reasons,
} from "../support/refusal-table.testing.ts";
import { signatureCases } from "../support/signature-cases.testing.ts";
import { toCompact, toErc6492, toParityV } from "../support/signature-forms.testing.ts";

let devnet: Devnet;
let served: Served;

// Mainnet's chain id, since only there a look-alike token is known.
beforeAll(async () => {
  devnet = await startChain({ chainId: 50, buyers: 6 });
  served = await serveOn(devnet);
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const body = (input?: PaymentInput) => bodyOn(devnet, input);
const cases = [...shapeCases, ...termsCases, ...signatureCases, ...chainCases];

test("every refusal of the table is provoked, here or after a claim", () => {
  const provoked = new Set([
    ...cases.map(({ code }) => code),
    ...settleOnlyCodes,
    ...operatorsCodes,
    ...refundOnlyCodes,
    ...sellerOnlyCodes,
  ]);
  expect([...provoked].toSorted()).toEqual(refusalCodes.toSorted());
  expect(Object.keys(x402Reasons).toSorted()).toEqual(refusalCodes.toSorted());
});

describe.each(cases)("$code: $name", ({ code, says, body: make, arrange, restore, ...rest }) => {
  const { x402Reason = x402Reasons[code] } = rest;
  test("is refused by /verify and by /settle, and nothing is sent", async () => {
    await arrange?.(devnet);
    try {
      const before = await countOf(devnet, served.relayer);
      const message = make(devnet);
      const verified = await served.post("/verify", message);
      expect(verified.status).toBe(200);
      expect(verified.body).toMatchObject({
        isValid: false,
        invalidReason: code,
        invalidMessage: expect.stringMatching(says),
        extra: { x402Reason },
      });
      const settled = await served.post("/settle", message);
      expect(settled.status).toBe(200);
      expect(settled.body).toMatchObject({
        success: false,
        errorReason: code,
        errorMessage: expect.stringMatching(says),
        extra: { x402Reason },
        transaction: "",
      });
      expect(namedNetworks(message)).toContain(settled.body["network"]);
      expect(settled.body).not.toHaveProperty("id");
      expect(await countOf(devnet, served.relayer)).toBe(before);
    } finally {
      await restore?.(devnet);
    }
  });
});

/** The networks that a request names; an answer must name one of them. */
function namedNetworks(message: JsonObject): unknown[] {
  return [
    "paymentPayload.accepted.network",
    "paymentPayload.network",
    "paymentRequirements.network",
  ].map((path) => memberAt(message, path));
}

describe("what looks odd and is in order is verified and settled", () => {
  const odd: [string, () => JsonObject][] = [
    ["version 1", () => body({ shape: "v1" })],
    ["official version 2", () => body({ shape: "v2" })],
    ["flat version 2", () => body({ shape: "flat-v2" })],
    ["v as 0 or 1", () => body({ alter: toParityV })],
    ["EIP-2098, 64 bytes", () => body({ alter: toCompact })],
    ["another amount and payee in accepted", () => acceptedIgnored()],
    ["a contract wallet", () => byContract(devnet)],
    ["no extra", () => withMember(body(), "paymentRequirements.extra", undefined)],
    ["addresses in lower case", () => lowerCased(body())],
  ];

  test.each(odd)("%s", async (_, make) => {
    const message = make();
    const verified = await served.post("/verify", message);
    expect([verified.status, verified.body["isValid"], verified.body]).toMatchObject([
      200,
      true,
      {},
    ]);
    const { status, body: settled } = await served.post("/settle", message);
    expect(status).toBe(200);
    expect(settled).toMatchObject({ success: true, status: "confirmed", amount: "10000" });
    expect(await usesOf(devnet, message)).toEqual([settled["transaction"]]);
  });

  test.each([
    ["of 200 bytes", "ab".repeat(200)],
    ["of no bytes", ""],
  ])("a contract's signature %s is passed on as it is", async (_, bytes) => {
    await devnet.walletMode("accept-all");
    try {
      const message = byContract(devnet, { alter: () => `0x${bytes}` });
      expect((await served.post("/verify", message)).body).toMatchObject({ isValid: true });
      const { body: settled } = await served.post("/settle", message);
      expect(settled).toMatchObject({ success: true });
      const hash = textAt(settled, "transaction");
      const { input } = await devnet.rpc<{ input: Hex }>("eth_getTransactionByHash", [hash]);
      // The last argument: its length in one word, then the bytes, padded to whole words.
      const length = (bytes.length / 2).toString(16).padStart(64, "0");
      const padded = bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0");
      expect(input.endsWith(`${length}${padded}`)).toBe(true);
    } finally {
      await devnet.walletMode("owner-signed");
    }
  });

  test("a deployed wallet's wrapped signature is unwrapped, and sent as it was simulated", async () => {
    const message = byContract(devnet, { alter: toErc6492 });
    const wrapped = textAt(message, "paymentPayload.payload.signature");
    // The wrapping: the factory and two offsets, the calldata in two words, then the signature.
    const inner = wrapped.slice(2 + 64 * 6, 2 + 64 * 6 + 130);
    expect((await served.post("/verify", message)).body).toMatchObject({ isValid: true });
    const { body: settled } = await served.post("/settle", message);
    expect(settled).toMatchObject({ success: true, status: "confirmed" });
    const hash = textAt(settled, "transaction");
    const { input } = await devnet.rpc<{ input: Hex }>("eth_getTransactionByHash", [hash]);
    const length = (65).toString(16).padStart(64, "0");
    expect(input.endsWith(`${length}${inner}${"0".repeat(62)}`)).toBe(true);
    // The wrapping is no part of what identifies a payment.
    const unwrapped = withMember(message, "paymentPayload.payload.signature", `0x${inner}`);
    const { body: again } = await served.post("/settle", unwrapped);
    expect(again["transaction"]).toBe(hash);
    expect(await usesOf(devnet, message)).toEqual([hash]);
  });

  test("valid by our clock, not yet by the last block's: waits for a block", async () => {
    const block = await devnet.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
    const validAfter = BigInt(block.timestamp);
    const all = await devnet.usdc.balanceOf(walletAt(devnet.buyers, 0).address);
    const message = body({ authorization: { validAfter } });
    for (const one of [message, body({ authorization: { validAfter, value: all } })]) {
      expect((await served.post("/verify", one)).body).toMatchObject({ isValid: true });
    }
    expect((await served.post("/settle", message)).body).toMatchObject({ success: true });
  });

  test("not yet by the last block's: refused for what the token did not get to", async () => {
    const payer = walletAt(devnet.buyers, 0);
    const nonce = newNonce();
    await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
    const block = await devnet.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", ["latest", false]);
    const validAfter = BigInt(block.timestamp);
    const held = await devnet.usdc.balanceOf(payer.address);
    const inputs: readonly PaymentInput[] = [
      { authorization: { validAfter, nonce } },
      { authorization: { validAfter, value: held + 1n } },
      { authorization: { validAfter }, alter: () => `0x${"12".repeat(65)}` },
    ];
    const verdicts = await Promise.all(
      inputs.map((input) => served.post("/verify", bodyOn(devnet, { payer, ...input }))),
    );
    expect(verdicts.map(({ body: verdict }) => verdict["invalidReason"])).toEqual([
      "nonce_already_used",
      "insufficient_funds",
      "invalid_signature",
    ]);
  });
});

function acceptedIgnored(): JsonObject {
  const changed = withMember(body(), "paymentPayload.accepted.payTo", devnet.treasury.address);
  return withMember(changed, "paymentPayload.accepted.amount", "999999");
}

function lowerCased(message: JsonObject): JsonObject {
  const text = JSON.stringify(message).replaceAll(/0x[0-9a-fA-F]{40}\b/g, (address) =>
    address.toLowerCase(),
  );
  const parsed: JsonObject = JSON.parse(text);
  return parsed;
}
