/** The cases of version 2, official shape. */
import { serializeErc6492Signature } from "viem";
import type { Hex } from "viem";
import {
  authorize,
  bent,
  inSeconds,
  isNull,
  missing,
  otherAddress,
  shared,
  type Case,
} from "./cases.ts";
import { compact, set, sign, withR, withV, type Draft, type Stage } from "./requests.ts";

const bySmartWallet = (made: Draft, { devnet: { smartWallet } }: Stage): Draft => ({
  ...made,
  authorization: { ...made.authorization, from: smartWallet.address },
  signer: smartWallet.owner,
});

const wrap6492 = (signature: Hex): Hex =>
  serializeErc6492Signature({ address: otherAddress, data: "0x1234", signature });

/** What a path becomes, from what it is. */
const rewritten = (path: string, change: (text: string) => string) => ({
  rewrite: (request: Parameters<typeof set>[0]) =>
    set(request, path, change(String(read(request, path)))),
});

function read(request: Parameters<typeof set>[0], path: string): unknown {
  const { payload } = request.paymentPayload;
  const { authorization, signature } = Object(payload);
  const places: Readonly<Record<string, unknown>> = {
    authorization,
    payload: { signature },
    terms: request.paymentRequirements,
    accepted: request.paymentPayload["accepted"],
  };
  const [place = "", key = ""] = path.split(".");
  return Object(places[place])[key];
}

/** Most questions for the newest block: some seconds. */
const questionsMax = 5_000;

/** Signs from now on, when the next block, which the stock class needs, is a second away. */
async function signRightAfterBlock(
  request: Parameters<typeof set>[0],
  made: Draft,
  { devnet }: Stage,
): Promise<void> {
  const newest = () => devnet.rpc<string>("eth_blockNumber", []);
  const before = await newest();
  for (let asked = 0; asked < questionsMax && (await newest()) === before; asked++);
  const signed = authorize({ validAfter: inSeconds(0) })(made);
  set(request, "authorization.validAfter", signed.authorization.validAfter);
  set(request, "payload.signature", await sign(signed));
}

const upperHex = (text: string) => `0x${text.slice(2).toUpperCase()}`;
const lowerHex = (text: string) => text.toLowerCase();

/** Swaps the case of the first letter, which breaks the checksum of EIP-55. */
const brokenChecksum = (text: string) =>
  text.slice(0, 2) +
  text
    .slice(2)
    .replace(/[a-f]/i, (letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    );

const members: readonly Case[] = [
  ...missing(2, [
    "x402Version",
    "payment.x402Version",
    "payment.accepted",
    "payment.resource",
    "accepted.scheme",
    "accepted.network",
    "accepted.asset",
    "accepted.amount",
    "accepted.payTo",
    "accepted.extra",
    "terms.maxTimeoutSeconds",
    "terms.extra.name",
    "terms.extra.version",
  ]),
  ...isNull(2, [
    "payment.payload",
    "payment.accepted",
    "payment.resource",
    "payment.extensions",
    "payload.authorization",
    "authorization.from",
    "terms.extra",
  ]),
  bent(2, "the payload is an array", { wire: { "payment.payload": [] } }),
  bent(2, "the authorization is an array", { wire: { "payload.authorization": [] } }),
  bent(2, "from is an array", { wire: { "authorization.from": [otherAddress] } }),
  bent(2, "the signature is a number", { wire: { "payload.signature": 7 } }),
  bent(2, "the nonce is a number", { wire: { "authorization.nonce": 7 } }),
  bent(2, "validAfter is a number", { wire: { "authorization.validAfter": 0 } }),
  bent(2, "validBefore is a number", { wire: { "authorization.validBefore": 4_102_444_800 } }),
  bent(2, "the version is text", { wire: { "payment.x402Version": "2" } }),
  bent(2, "the version is 3", { wire: { "payment.x402Version": 3, x402Version: 3 } }),
  bent(2, "outer version 1, inner version 2", { wire: { x402Version: 1 } }),
  bent(2, "the terms' amount is a number", { wire: { "terms.amount": 10_000 } }),
  bent(2, "maxTimeoutSeconds is text", { wire: { "terms.maxTimeoutSeconds": "120" } }),
  bent(2, "maxTimeoutSeconds is negative", { wire: { "terms.maxTimeoutSeconds": -1 } }),
  bent(2, "maxTimeoutSeconds is 0", { wire: { "terms.maxTimeoutSeconds": 0 } }),
  bent(2, "extra is empty", { wire: { "terms.extra": {}, "accepted.extra": {} } }),
  bent(2, "validBefore is the signed time as a number", {
    change: authorize({ validBefore: "4102444800" }),
    wire: { "authorization.validBefore": 4_102_444_800 },
  }),
  bent(2, "a payment-identifier of five characters", {
    wire: { "payment.extensions": { "payment-identifier": { info: { id: "short" } } } },
  }),
  bent(
    2,
    "unknown keys",
    { wire: { more: 1, "payment.more": {}, "payload.more": [], "terms.more": null } },
    { quick: true, settled: true },
  ),
  bent(
    2,
    "an unknown extension",
    { wire: { "payment.extensions": { "x-unknown": { info: {} } } } },
    { quick: true },
  ),
  bent(2, "another payment header in the body", { wire: { paymentHeader: "e30=" } }),
  bent(2, "flat, with scheme and network at the top", {
    wire: {
      "payment.accepted": undefined,
      "payment.scheme": "exact",
      "payment.network": "eip155:51",
    },
  }),
];

const spelling: readonly Case[] = [
  bent(2, "from in lower case", rewritten("authorization.from", lowerHex), {
    quick: true,
    settled: true,
  }),
  bent(2, "from in upper case", rewritten("authorization.from", upperHex)),
  bent(2, "from with a broken checksum", rewritten("authorization.from", brokenChecksum)),
  bent(2, "to in lower case", rewritten("authorization.to", lowerHex)),
  bent(
    2,
    "from with the prefix xdc",
    rewritten("authorization.from", (text) => `xdc${text.slice(2)}`),
  ),
  bent(
    2,
    "from without 0x",
    rewritten("authorization.from", (text) => text.slice(2)),
  ),
  bent(
    2,
    "from one digit short",
    rewritten("authorization.from", (text) => text.slice(0, -1)),
  ),
  bent(2, "payTo in lower case", rewritten("terms.payTo", lowerHex)),
  bent(2, "asset in lower case", rewritten("terms.asset", lowerHex), { quick: true }),
  bent(2, "the nonce in upper case", rewritten("authorization.nonce", upperHex), { settled: true }),
  bent(
    2,
    "the nonce without 0x",
    rewritten("authorization.nonce", (text) => text.slice(2)),
  ),
  bent(
    2,
    "the nonce one byte short",
    rewritten("authorization.nonce", (text) => text.slice(0, -2)),
  ),
  bent(
    2,
    "the nonce one byte long",
    rewritten("authorization.nonce", (text) => `${text}00`),
  ),
  bent(
    2,
    "the signature without 0x",
    rewritten("payload.signature", (text) => text.slice(2)),
  ),
  bent(
    2,
    "the signature with 0X",
    rewritten("payload.signature", (text) => `0X${text.slice(2)}`),
  ),
];

const signatures: readonly Case[] = [
  bent(2, "a compact signature (EIP-2098)", { signature: compact }, { quick: true, settled: true }),
  bent(2, "v is 29", { signature: (one) => withV(one, () => 29) }),
  bent(2, "r is 0", { signature: (one) => withR(one, `0x${"00".repeat(32)}`) }),
  bent(2, "an empty signature", { signature: () => "0x" }),
  bent(2, "half a byte of a signature", { signature: () => "0x1" }),
  bent(2, "a byte after the signature", { signature: (one) => `${one}00` }),
  bent(2, "64 bytes of zeros", { signature: () => `0x${"00".repeat(64)}` }),
  bent(2, "signed for another token", {
    change: (made) => ({ ...made, domain: { ...made.domain, verifyingContract: otherAddress } }),
  }),
  bent(2, "signed for version 1 of the token", {
    change: (made) => ({ ...made, domain: { ...made.domain, version: "1" } }),
  }),
  bent(2, "a contract wallet's payment", { change: bySmartWallet }, { quick: true, settled: true }),
  bent(
    2,
    "a contract wallet, and another key signed",
    {
      change: (made, stage) => ({ ...bySmartWallet(made, stage), signer: stage.other }),
    },
    { quick: true },
  ),
  bent(2, "a contract wallet with an empty signature", {
    change: bySmartWallet,
    signature: () => "0x",
  }),
  bent(
    2,
    "a deployed contract wallet, wrapped as ERC-6492",
    { change: bySmartWallet, signature: wrap6492 },
    { settled: true },
  ),
  bent(2, "an ordinary address, wrapped as ERC-6492", { signature: wrap6492 }),
];

const terms: readonly Case[] = [
  bent(2, "the terms name chain 50", { wire: { "terms.network": "eip155:50" } }),
  bent(2, "accepted names chain 50", { wire: { "accepted.network": "eip155:50" } }),
  bent(2, "both name chain 50", {
    wire: { "accepted.network": "eip155:50", "terms.network": "eip155:50" },
  }),
  bent(2, "both name a chain nobody serves", {
    wire: { "accepted.network": "eip155:9999", "terms.network": "eip155:9999" },
  }),
  bent(2, "both name eip155:*", {
    wire: { "accepted.network": "eip155:*", "terms.network": "eip155:*" },
  }),
  bent(2, "both name the label of version 1", {
    wire: { "accepted.network": "xdc-apothem", "terms.network": "xdc-apothem" },
  }),
  bent(
    2,
    "the terms name another asset",
    { wire: { "terms.asset": otherAddress } },
    { quick: true },
  ),
  bent(2, "accepted names another asset", { wire: { "accepted.asset": otherAddress } }),
  bent(2, "accepted names another amount", { wire: { "accepted.amount": "1" } }),
  bent(2, "accepted names another payee", { wire: { "accepted.payTo": otherAddress } }),
  bent(2, "the terms name another payee", { wire: { "terms.payTo": otherAddress } }),
  bent(2, "the terms name scheme upto", { wire: { "terms.scheme": "upto" } }),
  bent(2, "both name scheme upto", { wire: { "terms.scheme": "upto", "accepted.scheme": "upto" } }),
  bent(2, "both name scheme Exact", {
    wire: { "terms.scheme": "Exact", "accepted.scheme": "Exact" },
  }),
  bent(2, "the terms name a token USD Coin", { wire: { "terms.extra.name": "USD Coin" } }),
  bent(2, "the terms name version 1 of the token", { wire: { "terms.extra.version": "1" } }),
  bent(2, "transfer method permit2", {
    wire: {
      "terms.extra.assetTransferMethod": "permit2",
      "accepted.extra.assetTransferMethod": "permit2",
    },
  }),
  bent(2, "an unknown payment flow", {
    wire: { "terms.extra.paymentFlow": "later", "accepted.extra.paymentFlow": "later" },
  }),
];

const moments: readonly Case[] = [
  bent(2, "3 seconds are left", {
    change: (made) => authorize({ validBefore: inSeconds(3) })(made),
  }),
  bent(2, "valid from this second on", { before: signRightAfterBlock }),
  bent(2, "the price is one base unit", {
    change: authorize({ value: "1" }),
    wire: { "terms.amount": "1", "accepted.amount": "1" },
  }),
  bent(2, "valid until the end of uint256", {
    change: authorize({ validBefore: String(2n ** 256n - 1n) }),
  }),
  bent(2, "validBefore above uint256", {
    wire: { "authorization.validBefore": String(2n ** 256n) },
  }),
  bent(2, "value above uint256", { wire: { "authorization.value": String(2n ** 256n) } }),
  bent(2, "value and price are 0", {
    change: authorize({ value: "0" }),
    wire: { "terms.amount": "0", "accepted.amount": "0" },
  }),
  bent(2, "payer and payee are one", {
    change: (made) => authorize({ to: made.authorization.from })(made),
    rewrite: (request) => set(request, "terms.payTo", read(request, "authorization.from")),
  }),
];

/** All of them. */
export const casesV2: readonly Case[] = [
  ...shared(2),
  ...members,
  ...spelling,
  ...signatures,
  ...terms,
  ...moments,
];
