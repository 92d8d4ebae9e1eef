/** Texts to sign, each for one purpose: what the account API cannot even ask for. */
import { xdc } from "@farthing/protocol";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import * as OxHex from "ox/Hex";
import * as PersonalMessage from "ox/PersonalMessage";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import * as OxAddress from "ox/Address";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createChain } from "@farthing/engine";
import { readWalletSignature } from "@farthing/engine/source/verification/wallet-signature";
import { silentLog, systemClock } from "@farthing/engine/base";
import type { SignPurpose } from "./model.ts";
import { openStore, type ServiceStore } from "../open-store.ts";
import { askToSign, bindingOf, takeSigned, type SigningDeps } from "./sign-requests.ts";

const privateKey = Secp256k1.randomPrivateKey();
const address = OxAddress.fromPublicKey(Secp256k1.getPublicKey({ privateKey }), { checksum: true });
const binding = bindingOf("a browser");

let store: ServiceStore;
let deps: SigningDeps;

beforeAll(async () => {
  await compileSignatures();
  store = await openStore("sqlite::memory:");
  // A plain wallet's signature takes no node.
  const chain = createChain({ network: xdc, endpoints: [], log: silentLog });
  const site = { origin: "https://pay.example", host: "pay.example", docsUrl: undefined };
  const engine: SigningDeps["engine"] = {
    checkWalletSignature: (_, message) => readWalletSignature(chain, message),
  };
  deps = { store, clock: systemClock, log: silentLog, site: () => site, engine };
});
afterAll(() => store?.close());

async function signed(purpose: SignPurpose, details = "{}") {
  const input = { purpose, address, chainId: 50, account: address, binding, details } as const;
  const { id, message } = await askToSign(deps, { ...input, statement: "Say yes." });
  const payload = PersonalMessage.getSignPayload(OxHex.fromString(message));
  const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey }));
  return { requestId: id, signature };
}

test("a text answers what it was asked for, once", async () => {
  const answer = await signed("sign_in");
  const expected = { purpose: "sign_in", binding } as const;
  expect(await takeSigned(deps, answer, expected)).toMatchObject({ ok: true, walletKind: "plain" });
  expect(await takeSigned(deps, answer, expected)).toEqual({
    ok: false,
    reason: "unknown_request",
  });
});

test("a text answers for no other purpose, in the same browser", async () => {
  const purposes: SignPurpose[] = ["sign_in", "link_wallet", "create_key", "revoke_sessions"];
  for (const asked of purposes) {
    for (const purpose of purposes.filter((one) => one !== asked)) {
      const outcome = await takeSigned(deps, await signed(asked), { purpose, binding });
      expect(outcome).toEqual({ ok: false, reason: "other_purpose" });
    }
  }
});

test("a text stays one line where it says what is signed, whatever it is about", async () => {
  const input = { purpose: "create_key", address, chainId: 50, account: address } as const;
  const statement = "Key 'a\n\nURI: https://evil.example\u2028'";
  const asked = await askToSign(deps, { ...input, binding, details: "{}", statement });
  expect(asked.message.split("\n")[3]).toBe(
    "Key 'a??URI: https://evil.example?' This is not a transaction and costs no fee.",
  );
});
