/** `farthing receipts verify --jwks`: attestations by a facilitator's keys, and on a real chain. */
import { generateKeyPairSync, sign } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { present } from "@farthing/devnet/testing";
import {
  apothem,
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  parseJson,
  type JsonObject,
} from "@farthing/protocol";
import { challenge, oneCent, startSeller, type Answer } from "@farthing/buyer/testing";
import {
  createEIP712OfferReceiptIssuer,
  createJWSOfferReceiptIssuer,
} from "@x402/extensions/offer-receipt";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const [facilitator, stranger] = [generateKeyPairSync("ed25519"), generateKeyPairSync("ed25519")];
const keySetOf = ({ publicKey }: typeof facilitator) => ({
  keys: [{ ...publicKey.export({ format: "jwk" }), kid: "one" }],
});

/** Sellers that sign with the reference implementation. */
const account = privateKeyToAccount(`0x${"51".repeat(32)}`);
const keys = generateKeyPairSync("ed25519");
const kid = "did:web:shop.example#key-1";
const sellers = {
  eip712: createEIP712OfferReceiptIssuer(`did:pkh:eip155:1:${account.address}`, (data) =>
    account.signTypedData(data),
  ),
  jws: createJWSOfferReceiptIssuer(kid, {
    kid,
    format: "jws",
    algorithm: "EdDSA",
    sign: async (bytes) => sign(null, bytes, keys.privateKey).toString("base64url"),
  }),
};

let devnet: Devnet;
let folder = "";
/** The receipt of a payment that is final on the devnet. */
let receipt: JsonObject;
/** What a facilitator states about it. */
let statement: JsonObject;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farthing-verify-"));
  devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1 });
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  const where = { network: apothem, networkName: apothem.id, asset: apothem.usdc };
  const offer = { ...oneCent, ...where, payTo: devnet.seller.address };
  let unpaid = challenge(offer);
  await using seller = await startSeller({ unpaid: () => unpaid, paid: [{ body: "content" }] });
  const paidTerms = { ...apothemTerms, payTo: devnet.seller.address, acceptIndex: 0 };
  const signed = await sellers.eip712.issueOffer(seller.url, paidTerms);
  unpaid = withOffers(unpaid, [signed]);
  await run(["pay", "--request-id", "order", seller.url]);
  const transaction = await present(devnet, seller.payment());
  await devnet.mine(3);
  await run(["ledger", "reconcile"]);
  receipt = read((await run(["receipts", "show", "order", "--json"])).stdout);
  const { payer, payTo, amount, nonce } = receipt;
  const terms = { payer, payTo, amount, nonce, transaction, asset: apothem.usdc };
  const block = { blockNumber: 1, blockHash: `0x${"ef".repeat(32)}`, logIndex: 0 };
  const iat = Math.floor(Date.now() / 1000);
  statement = {
    ...terms,
    ...block,
    iat,
    settlementId: "stl_1",
    network: apothem.id,
    finalized: true,
  };
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await devnet?.stop();
});

const apothemTerms = {
  scheme: "exact",
  network: apothem.id,
  asset: apothem.usdc,
  amount: "10000",
};

/** A challenge with signed offers in its header. */
function withOffers(answer: Answer, offers: readonly object[]): Answer {
  const { headers = {} } = answer;
  const value = decodeHeader(String(headers[headerNames.paymentRequired]))?.value;
  const extensions = { "offer-receipt": { info: { offers } } };
  const header = encodeHeader({ ...(isObject(value) ? value : {}), extensions });
  return { ...answer, headers: { ...headers, [headerNames.paymentRequired]: header } };
}

function run(args: readonly string[]) {
  const environment = {
    XDG_CONFIG_HOME: folder,
    FARTHING_WALLET_KEY: devnet.buyers[0]?.privateKey ?? "",
    FARTHING_RPC_URL: devnet.rpcUrl,
  };
  return farthing(args, { environment });
}

function read(text: string): JsonObject {
  const value = parseJson(text)?.value;
  return isObject(value) ? value : {};
}

let written = 0;
function file(content: object | string): string {
  const path = join(folder, `file-${++written}`);
  writeFileSync(path, typeof content === "string" ? content : JSON.stringify(content));
  return path;
}

function attest(changes: JsonObject = {}, by = facilitator): string {
  const header = { alg: "EdDSA", typ: "settlement-attestation+jwt", kid: "one" };
  const text = [header, { ...statement, ...changes }]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  return `${text}.${sign(null, Buffer.from(text), by.privateKey).toString("base64url")}`;
}

/** The receipt as a buyer has it whose seller passed an attestation on. */
function withAttestation(signature: string): JsonObject {
  const info = { attestation: { format: "jws", signature } };
  return { ...receipt, serverReceipt: { extensions: { "settlement-attestation": { info } } } };
}

async function verify(path: string, ...more: readonly string[]) {
  const { code, stdout, stderr } = await run(["receipts", "verify", path, ...more, "--json"]);
  return { code, stderr, report: read(stdout) };
}

const offline = ["--rpc-url", "none"];
const attested = expect.stringMatching(
  /^https:\/\/pay\.example attests that the money moved; final/,
);

test("a receipt: by the chain, by the keys as well, and by the keys alone", async () => {
  const path = file(withAttestation(attest({ iss: "https://pay.example" })));
  const keys = file(keySetOf(facilitator));
  const byChain = await verify(path);
  expect(byChain).toMatchObject({ code: 0, report: { verdict: "valid" } });
  expect(byChain.report["attestation"]).toMatch(/^not verified/);
  const both = await verify(path, "--jwks", keys);
  expect(both).toMatchObject({ code: 0, report: { verdict: "valid", attestation: attested } });
  const alone = await verify(path, "--jwks", keys, ...offline);
  expect(alone).toMatchObject({ code: 0, report: { verdict: "attested", attestation: attested } });
});

test("an attestation alone, with the keys at the address of the facilitator", async () => {
  const asked: unknown[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url);
    response.end(JSON.stringify(keySetOf(facilitator)));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === "object" ? address?.port : ""}`;
  // As the facilitator responds, and the token by itself.
  for (const content of [{ format: "jws", signature: attest() }, `${attest()}\n`]) {
    const { code, report } = await verify(file(content), "--jwks", url);
    const { transaction } = receipt;
    expect([code, report]).toMatchObject([0, { verdict: "valid", transaction }]);
  }
  expect(asked).toEqual(["/.well-known/jwks.json", "/.well-known/jwks.json"]);
  await new Promise((resolve) => server.close(resolve));
});

test("lies are found out: by the signature, by the receipt, by the chain", async () => {
  const keys = file(keySetOf(facilitator));
  const forged = await verify(file(withAttestation(attest({}, stranger))), "--jwks", keys);
  expect(forged).toMatchObject({ code: 1, report: { verdict: "mismatch" } });
  expect(forged.report["reason"]).toMatch(/signature is wrong/);
  const other = file(withAttestation(attest({ amount: "99999" })));
  expect(await verify(other, "--jwks", keys, ...offline)).toMatchObject({
    code: 1,
    report: { verdict: "mismatch", reason: "the attestation is about another payment" },
  });
  // Signed by the facilitator itself, and contradicted by the chain.
  const invented = file(attest({ nonce: `0x${"77".repeat(32)}` }));
  expect((await verify(invented, "--jwks", keys)).report["verdict"]).not.toBe("valid");
  const without = await verify(file(receipt), "--jwks", keys);
  expect(without).toMatchObject({
    code: 1,
    report: { reason: expect.stringMatching(/contains no/) },
  });
});

test("the attestation of a refund names the payment that it returns", async () => {
  const payment = `stl_${"f".repeat(32)}`;
  const keys = file(keySetOf(facilitator));
  const refund = await verify(file(attest({ refundOf: payment })), "--jwks", keys, ...offline);
  const named = expect.stringContaining(`attests that the money of ${payment} was refunded; final`);
  expect(refund).toMatchObject({ code: 0, report: { verdict: "attested", attestation: named } });
});

test("keys that cannot be read, and an attestation without any, end with their own code", async () => {
  const path = file(attest());
  const missing = await verify(path);
  expect([missing.code, missing.stderr]).toEqual([3, expect.stringMatching(/--jwks https:/)]);
  const noKeys = [join(folder, "nowhere"), file("no JSON")];
  for (const keys of noKeys) expect((await verify(path, "--jwks", keys)).code).toBe(3);
});

/** The receipt with what a seller signed about it. */
async function bySeller(
  issuer: typeof sellers.jws,
  changes: { amount?: string; payer?: string } = {},
) {
  const [url, payer] = [String(receipt["url"]), changes.payer ?? String(receipt["payer"])];
  const { amount = "10000" } = changes;
  const terms = { ...apothemTerms, payTo: String(receipt["payTo"]), amount, acceptIndex: 0 };
  const sellerOffer = await issuer.issueOffer(url, terms);
  const transaction = String(receipt["transaction"]);
  const signed = await issuer.issueReceipt(url, payer, apothem.id, transaction);
  const serverReceipt = { extensions: { "offer-receipt": { info: { receipt: signed } } } };
  return file({ ...receipt, sellerOffer, serverReceipt });
}

test("the offer that was paid is in the receipt, and its signature is the seller's", async () => {
  const signedBy = { sellerOffer: `${account.address} offered these terms` };
  const named = ["--seller", account.address];
  expect(await verify("order", ...named)).toMatchObject({
    code: 0,
    report: { verdict: "valid", ...signedBy },
  });
  expect(await verify(file(receipt), ...named, ...offline)).toMatchObject({
    code: 0,
    report: { verdict: "signed", ...signedBy },
  });
  const unnamed = await verify("order");
  expect(unnamed).toMatchObject({ code: 0, report: { verdict: "valid" } });
  expect(unnamed.report["sellerOffer"]).toMatch(/^not verified: signed by 0x/);
});

test.each(["eip712", "jws"] as const)(
  "offer and receipt as %s: on chain, offline, and what is not the seller's or of this payment",
  async (format) => {
    const issuer = sellers[format];
    const trusted = { eip712: account.address, jws: file(keySetNamed(keys)) }[format];
    const path = await bySeller(issuer);
    const texts = {
      sellerOffer: expect.stringMatching(/ offered these terms$/),
      sellerReceipt: expect.stringMatching(/ states that it delivered$/),
    };
    expect(await verify(path, "--seller", trusted)).toMatchObject({
      code: 0,
      report: { verdict: "valid", ...texts },
    });
    expect(await verify(path, "--seller", trusted, ...offline)).toMatchObject({
      code: 0,
      report: { verdict: "signed", ...texts },
    });
    const other = { eip712: devnet.seller.address, jws: file(keySetNamed(stranger)) }[format];
    const otherPayer = await bySeller(issuer, { payer: devnet.seller.address });
    const otherAmount = await bySeller(issuer, { amount: "99999" });
    const lies: readonly (readonly [string, string, RegExp])[] = [
      [path, other, /the seller's offer is wrong/],
      [otherPayer, trusted, /receipt is wrong: it is about another payer/],
      [otherAmount, trusted, /offer is wrong: it is about another amount/],
    ];
    for (const [lie, seller, reason] of lies) {
      const { code, report } = await verify(lie, "--seller", seller, ...offline);
      expect([code, report]).toMatchObject([1, { verdict: "mismatch" }]);
      expect(report["reason"]).toMatch(reason);
    }
    const { sellerOffer: _offer, ...unsigned } = receipt;
    expect(await verify(file(unsigned), "--seller", trusted, ...offline)).toMatchObject({
      code: 1,
      report: { reason: expect.stringMatching(/contains nothing that a seller signed/) },
    });
  },
);

function keySetNamed(pair: typeof keys) {
  return { keys: [{ ...pair.publicKey.export({ format: "jwk" }), kid }] };
}
