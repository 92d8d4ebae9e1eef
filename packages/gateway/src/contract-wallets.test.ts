/** Contract wallets sign in for their pass through the gateway's node, deployed or not. */
import { startDevnet, type Devnet } from "@farthing/devnet";
import {
  deploySafe,
  designSafe,
  placeSafe,
  safeProxyFactory,
  signBySafe,
  wrapErc6492,
  type SafeWallet,
} from "@farthing/devnet/testing/safe";
import {
  decodeHeader,
  encodeSignIn,
  hashOfSignedText,
  headerNames,
  isObject,
  readSignInDeclaration,
  signInHeader,
  signInText,
  type Address,
  type Hex,
} from "@farthing/protocol";
import type { Facilitator } from "@farthing/seller";
import { payFor } from "@farthing/seller/testing/buyer";
import { listen, type Listening } from "@farthing/seller/testing/listen";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { rule } from "./configuration/gateway-file.testing.ts";
import { configOf } from "./gateway.testing.ts";
import { startGateway, type Gateway } from "./gateway.ts";

const network = "eip155:50";
const publicUrl = "http://shop.example";

/** Takes every payment: here only who has paid matters. */
const facilitator: Facilitator = {
  verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
  settle: async () => ({
    kind: "settlement",
    settlement: { success: true, transaction: `0x${"cd".repeat(32)}`, network },
  }),
  settlement: async () => ({ kind: "not_found" }),
};

let devnet: Devnet;
let upstream: Listening;
let gateway: Gateway;
beforeAll(async () => {
  devnet = await startDevnet({ chainId: 50, buyers: 4, blockTimeSeconds: 0 });
  await placeSafe(devnet);
  upstream = await listen((_request, response) => response.end("content"));
});
afterAll(async () => {
  await upstream?.close();
  await devnet?.stop();
});

let safesMade = 0n;
let safe: SafeWallet;
beforeEach(async () => {
  const owners = devnet.buyers.slice(0, 2).map(({ privateKey }) => privateKey);
  safe = await designSafe(devnet, owners, { threshold: 2, saltNonce: ++safesMade });
});
afterEach(() => gateway?.stop());

async function open(rpcUrl?: string) {
  const routes = [rule("GET /paid 1", { passes: { uses: 9, validFor: "30d" } })];
  const node = rpcUrl === undefined ? {} : { rpcUrl };
  const config = configOf(upstream.url, { publicUrl, store: "memory", network, routes, ...node });
  gateway = await startGateway({ config, facilitator });
  const url = `${gateway.url}/paid`;
  await fetch(url, {
    headers: await payFor(url, {}, { authorization: { from: safe.address } }),
  });
}

/** Signs in as an address with what `sign` makes of the text's hash; returns the status, and why not. */
async function signIn(sign: (hash: Hex) => Hex, address: Address = safe.address) {
  const url = `${gateway.url}/paid`;
  const challenge = await fetch(url);
  const value = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
  const extensions = isObject(value) && isObject(value["extensions"]) ? value["extensions"] : {};
  const declared = readSignInDeclaration(extensions);
  if (!declared) throw new Error("The challenge asks for no sign-in.");
  const signature = sign(hashOfSignedText(signInText(declared.info, address, network)));
  const header = encodeSignIn({ ...declared.info, address, chainId: network, signature });
  const response = await fetch(url, { headers: { [signInHeader]: header } });
  const body: unknown = response.ok ? undefined : await response.json();
  return [response.status, isObject(body) ? body["error"] : undefined];
}

const signedBy = (one: SafeWallet, of: SafeWallet) => (hash: Hex) =>
  wrapErc6492(
    safeProxyFactory,
    of.factoryCall,
    signBySafe(50, { ...safe, signers: one.signers }, hash),
  );

test("a wallet that is not deployed signs in, and stays so", async () => {
  await open(devnet.rpcUrl);
  expect(await signIn(signedBy(safe, safe))).toEqual([200, undefined]);
  expect(await devnet.rpc("eth_getCode", [safe.address, "latest"])).toBe("0x");
  await deploySafe(devnet, safe);
  // Its software may go on wrapping signatures.
  expect(await signIn(signedBy(safe, safe))).toEqual([200, undefined]);
  expect(await signIn((hash) => signBySafe(50, safe, hash))).toEqual([200, undefined]);
});

test("a wallet that is not deployed is refused by others' signatures and deployments", async () => {
  await open(devnet.rpcUrl);
  const strangers = devnet.buyers.slice(2, 4).map(({ privateKey }) => privateKey);
  const other = await designSafe(devnet, strangers, { threshold: 2, saltNonce: 0n });
  const refused = [402, "sign_in_signature"];
  expect(await signIn(signedBy(other, safe))).toEqual(refused);
  expect(await signIn(signedBy(safe, other))).toEqual(refused);
  expect(await signIn(signedBy(other, other))).toEqual(refused);
  expect(await signIn((hash) => signBySafe(50, safe, hash))).toEqual(refused);
  expect(await signIn(() => `0x${"00".repeat(64)}${"6492".repeat(16)}`)).toEqual(refused);
});

test("without a node a contract wallet is refused, and told what to show instead", async () => {
  await open();
  expect(await signIn(signedBy(safe, safe))).toEqual([402, "sign_in_wallet"]);
});
