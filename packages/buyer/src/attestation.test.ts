/** Attestations, signed here by Node.js and verified by ours: one changed part makes them wrong. */
import { generateKeyPairSync, sign } from "node:crypto";
import { apothem, type SettlementAttestation } from "@farthing/protocol";
import { expect, test } from "vitest";
import { verifyAttestation } from "./attestation.ts";

const [signer, stranger] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const jwkOf = ({ publicKey }: typeof signer, kid: string) => ({
  ...publicKey.export({ format: "jwk" }),
  kid,
});
const keySet = { keys: [jwkOf(stranger, "other"), jwkOf(signer, "one")] };

const header = { alg: "EdDSA", typ: "settlement-attestation+jwt", kid: "one" };
const payload: SettlementAttestation = {
  iss: "https://pay.example",
  iat: 1_795_168_329,
  settlementId: "stl_0123456789abcdef0123456789abcdef",
  network: apothem.id,
  asset: apothem.usdc,
  payer: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  amount: "10000",
  nonce: `0x${"01".repeat(32)}`,
  transaction: `0x${"cd".repeat(32)}`,
  logIndex: 3,
  blockNumber: 77,
  blockHash: `0x${"ef".repeat(32)}`,
  finalized: true,
};

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

function signed(parts: { header?: object; payload?: object; by?: typeof signer } = {}): string {
  const text = `${encode({ ...header, ...parts.header })}.${encode({ ...payload, ...parts.payload })}`;
  const key = (parts.by ?? signer).privateKey;
  return `${text}.${sign(null, Buffer.from(text), key).toString("base64url")}`;
}

test("a statement by a published key is read", () => {
  expect(verifyAttestation(signed(), keySet)).toEqual({ ok: true, attestation: payload });
});

test("a refund names its payment", () => {
  const refund = { ...payload, refundOf: `stl_${"f".repeat(32)}` };
  const verified = verifyAttestation(signed({ payload: refund }), keySet);
  expect(verified).toEqual({ ok: true, attestation: refund });
});

const [head = "", body = "", signature = ""] = signed().split(".");
const lie = encode({ ...payload, amount: "99999" });

test.each([
  ["another payload", `${head}.${lie}.${signature}`],
  [
    "another signature",
    `${head}.${body}.${signature.replace(/^./, (one) => (one === "A" ? "B" : "A"))}`,
  ],
  ["another key", signed({ by: stranger })],
  ["a key that is not published", signed({ header: { kid: "two" } })],
  ["no algorithm", `${encode({ ...header, alg: "none" })}.${body}.`],
  ["another algorithm", signed({ header: { alg: "HS256" } })],
  ["a critical extension", signed({ header: { crit: ["b64"], b64: false } })],
  ["a token of another kind", signed({ header: { typ: "JWT" } })],
  ["a member that is missing", signed({ payload: { blockHash: undefined } })],
  ["a network that is not served", signed({ payload: { network: "eip155:1" } })],
  ["a refund of nothing", signed({ payload: { refundOf: null } })],
  ["a number as the amount", signed({ payload: { amount: 10_000 } })],
  ["a part too many", `${signed()}.${signature}`],
  ["padding", `${signed()}==`],
  ["an endless text", "a".repeat(1_000_000)],
  ["no text", { signature: signed() }],
])("%s is refused", (_, jws) => {
  expect(verifyAttestation(jws, keySet)).toMatchObject({ ok: false });
});

test.each([
  undefined,
  [],
  { keys: {} },
  { keys: [null, { kid: "one" }] },
  { keys: [{ ...header, x: "AA" }] },
])("a key set such as %j verifies nothing", (keys) => {
  expect(verifyAttestation(signed(), keys)).toMatchObject({ ok: false });
});
