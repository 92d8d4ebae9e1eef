/**
 * Messages of other x402 software, byte for byte as captured from `@x402/fetch`, `@x402/express`
 * 2.27.0 and `x402-fetch` 1.2.0, and the signatures of the test vector. Evidence: do not reformat.
 */
import type { Authorization } from "../signatures/authorization.ts";
import { isObject, type JsonObject } from "../encoding/json.ts";
import { apothem, xdc } from "../networks/networks.ts";
import type { Outcome, Refusal } from "../errors/refusals.ts";

/** The official version 2 challenge, decoded. */
export const challengeHeaderJson =
  '{"x402Version":2,"error":"Payment required","resource":{"url":"https://seller.example/r","description":"d","mimeType":"application/json"},"accepts":[{"scheme":"exact","network":"eip155:50","amount":"1000","asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"assetTransferMethod":"eip3009","name":"USDC","version":"2"}}]}';

/** The same as the header carries it. */
export const challengeHeader =
  "eyJ4NDAyVmVyc2lvbiI6MiwiZXJyb3IiOiJQYXltZW50IHJlcXVpcmVkIiwicmVzb3VyY2UiOnsidXJsIjoiaHR0cHM6Ly9zZWxsZXIuZXhhbXBsZS9yIiwiZGVzY3JpcHRpb24iOiJkIiwibWltZVR5cGUiOiJhcHBsaWNhdGlvbi9qc29uIn0sImFjY2VwdHMiOlt7InNjaGVtZSI6ImV4YWN0IiwibmV0d29yayI6ImVpcDE1NTo1MCIsImFtb3VudCI6IjEwMDAiLCJhc3NldCI6IjB4ZkEyOTU4Q0I3OWIwNDkxQ0M2MjdjMTU1N0Y0NDFlRjg0OUNhOGViMSIsInBheVRvIjoiMHgyMDk2OTNCYzZhZmMwQzUzMjhiQTM2RmFGMDNDNTE0RUYzMTIyODdDIiwibWF4VGltZW91dFNlY29uZHMiOjYwLCJleHRyYSI6eyJhc3NldFRyYW5zZmVyTWV0aG9kIjoiZWlwMzAwOSIsIm5hbWUiOiJVU0RDIiwidmVyc2lvbiI6IjIifX1dfQ==";

/** The dual body of the same challenge. */
export const challengeBody =
  '{"x402Version":1,"error":"Payment required","accepts":[{"scheme":"exact","network":"xdc","maxAmountRequired":"1000","resource":"https://seller.example/r","description":"d","mimeType":"application/json","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","extra":{"name":"USDC","version":"2"}},{"x402Version":2,"scheme":"exact","network":"eip155:50","amount":"1000","asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"assetTransferMethod":"eip3009","name":"USDC","version":"2"}}]}';

/** Version 2 payment as the stock client sends it. */
export const officialPayment =
  '{"x402Version":2,"payload":{"authorization":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"1000","validAfter":"0","validBefore":"1795171011","nonce":"0x102cd105cb6520835e09e4f001b32de17b15a4ccd0b90855489df83ded777c15"},"signature":"0x03e617d323a756089dffd7bc6ca5192d2970299c8181664a54515d76c513503950f8e9aac0c7a8ecc80d60831aaa36dee559e57cee844ae84fdaeb81460f6a921c"},"resource":{"url":"https://seller.example/r","description":"d","mimeType":"application/json"},"accepted":{"scheme":"exact","network":"eip155:50","amount":"1000","asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"extra":{"assetTransferMethod":"eip3009","name":"USDC","version":"2"}}}';

/** Flat version 2 payment; holds the test vector of chain 50. */
export const flatPayment =
  '{"x402Version":2,"scheme":"exact","network":"eip155:50","payload":{"signature":"0xeda9e857b3afe154dd6866cdd22350ab1e420475c1d31fc300fab183c8d45cc711c1b9cfaef59504e133cc89d30d9ce23627fef4ff9fb4a0020fc27638a512081c","authorization":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"1000","validAfter":"0","validBefore":"4102444800","nonce":"0x0101010101010101010101010101010101010101010101010101010101010101"}}}';

/** Version 1 payment as x402-fetch 1.2.0 sends it, for a network that is not ours. */
export const basePaymentV1 =
  '{"x402Version":1,"scheme":"exact","network":"base","payload":{"signature":"0x7038235a0c3c633d935833fb35f7911f548a94dd0e379999f4a0d3f632e2a6747f4526ab588fbe58d04569a9c420d68e5d53663638c9bbc32019d421076130d71c","authorization":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"1000","validAfter":"1795168329","validBefore":"1795168989","nonce":"0x9d671fd85865299b64fa5fda37128220a8ccbcb557c3c466926c2d1995937cf7"}}}';

/** Receipt of a settled payment. */
export const confirmedReceipt =
  '{"success":true,"payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","transaction":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","network":"eip155:50","extra":{"settlementId":"s_1"}}';

/** Receipt of a payment whose outcome is unknown. */
export const pendingReceipt =
  '{"success":false,"errorReason":"settlement_pending","errorMessage":"timeout","payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","transaction":"0xcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcdcd","network":"eip155:50"}';

/** Body of /verify and /settle as the stock seller sends it. */
export const requestV2 =
  '{"x402Version":2,"paymentPayload":{"x402Version":2,"payload":{"authorization":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"1000","validAfter":"0","validBefore":"1795169176","nonce":"0x77c1a8ef64b103f3d772eafb87ffb69c2fdd407a0c13daf8c4f83885aa986be4"},"signature":"0x3cdec21f161c61aab78290e4016f6b820eece267182b6de21b588c805a63e8b04c9062b7fed34f075a1387bf7c55ca797bb2fb9c071bed451d938803a48693a81c"},"resource":{"url":"http://127.0.0.1:45289/r","description":"d","mimeType":"application/json"},"accepted":{"scheme":"exact","network":"eip155:50","amount":"1000","asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":300,"extra":{"name":"USDC","version":"2"}}},"paymentRequirements":{"scheme":"exact","network":"eip155:50","amount":"1000","asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":300,"extra":{"name":"USDC","version":"2"}}}';

/** Body of /verify and /settle in version 1. */
export const requestV1 =
  '{"x402Version":1,"paymentPayload":{"x402Version":1,"scheme":"exact","network":"xdc","payload":{"signature":"0xeda9e857b3afe154dd6866cdd22350ab1e420475c1d31fc300fab183c8d45cc711c1b9cfaef59504e133cc89d30d9ce23627fef4ff9fb4a0020fc27638a512081c","authorization":{"from":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","to":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","value":"1000","validAfter":"0","validBefore":"4102444800","nonce":"0x0101010101010101010101010101010101010101010101010101010101010101"}}},"paymentRequirements":{"scheme":"exact","network":"xdc","maxAmountRequired":"1000","resource":"https://seller.example/r","description":"d","mimeType":"application/json","payTo":"0x209693Bc6afc0C5328bA36FaF03C514EF312287C","maxTimeoutSeconds":60,"asset":"0xfA2958CB79b0491CC627c1557F441eF849Ca8eb1","extra":{"name":"USDC","version":"2"}}}';

/** Verdict: valid. */
export const validVerdict = '{"isValid":true,"payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}';

/** Verdict: refused. */
export const invalidVerdict =
  '{"isValid":false,"invalidReason":"invalid_exact_evm_insufficient_balance","invalidMessage":"balance 0, required 1000","payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"}';

/** Settle answer: refused. */
export const failedSettlement =
  '{"success":false,"errorReason":"invalid_exact_evm_nonce_already_used","errorMessage":"used","payer":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8","transaction":"","network":"eip155:50"}';

/** Answer of /supported. */
export const supported =
  '{"kinds":[{"x402Version":2,"scheme":"exact","network":"eip155:50"},{"x402Version":2,"scheme":"exact","network":"eip155:51"},{"x402Version":1,"scheme":"exact","network":"xdc"},{"x402Version":1,"scheme":"exact","network":"xdc-apothem"}],"extensions":[],"signers":{"eip155:*":["0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC"]}}';

/** The public Hardhat account #1: everybody knows its key. */
export const vectorPayer = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
export const vectorPayee = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

export const vectorAuthorization: Authorization = {
  from: vectorPayer,
  to: vectorPayee,
  value: 1000n,
  validAfter: 0n,
  validBefore: 4102444800n,
  nonce: `0x${"01".repeat(32)}`,
};

/** What the account signed on each network. */
export const vectors = [
  {
    network: xdc,
    digest: "0xfd240939eb24cc933fcf3ce17360e2b09b8de49e947b4d76d79a1f5f010ec584",
    signature:
      "0xeda9e857b3afe154dd6866cdd22350ab1e420475c1d31fc300fab183c8d45cc711c1b9cfaef59504e133cc89d30d9ce23627fef4ff9fb4a0020fc27638a512081c",
  },
  {
    network: apothem,
    digest: "0x7f5447f078437ccb8f32f26a74244ccac50cec380d3a5537b498e6ba1c90c779",
    signature:
      "0x12613e224d616c066c2388a0335b2af9ac5aba9b04379b8d88b731d0cf2a3e0a45326b9f578b1d93f8b290422897ae5ecc117c8b6498772a557e2ef30b505c0c1c",
  },
] as const;

/** Parses a captured message. */
export function json(text: string): Record<string, unknown> {
  const value: Record<string, unknown> = JSON.parse(text);
  return value;
}

/** What a message becomes on its way: `-0`, undefined and the like are gone. */
export function asJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** A member that is an object. */
export function objectIn(message: unknown, key: string): JsonObject {
  const value = isObject(message) ? message[key] : undefined;
  if (!isObject(value)) throw new Error(`expected an object ${key}`);
  return value;
}

/** A member that is a list of objects. */
export function listIn(message: unknown, key: string): readonly JsonObject[] {
  const value = isObject(message) ? message[key] : undefined;
  if (!Array.isArray(value)) throw new Error(`expected a list ${key}`);
  return value.filter(isObject);
}

/** The value of an outcome that must be there. */
export function valueOf<T>(outcome: Outcome<T>): T {
  if (!outcome.ok) throw new Error(`${outcome.refusal.code}: ${outcome.refusal.message}`);
  return outcome.value;
}

/** The refusal of an outcome that must not be there. */
export function refusalOf<T>(outcome: Outcome<T>): Refusal {
  if (outcome.ok) throw new Error("expected a refusal");
  return outcome.refusal;
}
