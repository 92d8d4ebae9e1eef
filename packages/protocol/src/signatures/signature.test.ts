/** Signatures of plain keys, in every form that means the same, and what is none. */
import { privateKeyToAccount } from "viem/accounts";
import * as Engine from "ox/Engine";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { authorizationTypedData, type Authorization } from "./authorization.ts";
import type { Hex } from "../encoding/hex.ts";
import { apothem, xdc } from "../networks/networks.ts";
import { compileSignatures } from "./compile-signatures.ts";
import { hasPlainLength, isSignedByPayer } from "./signature.ts";

// The public keys of Hardhat's accounts 1 and 2: worth nothing anywhere.
const account = privateKeyToAccount(
  "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
);
const other = privateKeyToAccount(
  "0x5de4111afa1a4b94908f83103eb1f1706367c2e68ca870fc3fb9a804cdab365a",
);
const authorization: Authorization = {
  from: account.address,
  to: other.address,
  value: 10_000n,
  validAfter: 0n,
  validBefore: 99n,
  nonce: `0x${"12".repeat(32)}`,
};
const signed = await account.signTypedData(authorizationTypedData(xdc, authorization));

/** The parity byte as 0 or 1, and the 64 bytes of EIP-2098. */
function formsOf(signature: Hex): readonly Hex[] {
  const parity = Number.parseInt(signature.slice(130), 16) - 27;
  const s = BigInt(`0x${signature.slice(66, 130)}`) | (BigInt(parity) << 255n);
  const head = signature.slice(0, 130);
  const compact: Hex = `0x${signature.slice(2, 66)}${s.toString(16).padStart(64, "0")}`;
  return [signature, `0x${head.slice(2)}0${parity}`, compact];
}

describe.each(["JavaScript", "WebAssembly"])("recovered by %s", (by) => {
  beforeAll(async () => {
    if (by === "WebAssembly") await compileSignatures();
  });
  afterAll(() => Engine.reset());

  test("the payer's key is known in every form", () => {
    for (const form of formsOf(signed)) {
      expect(isSignedByPayer(xdc, authorization, form)).toBe(true);
      expect(hasPlainLength(form)).toBe(true);
    }
  });

  test("another key, network or text, and what is no signature, are not the payer's", async () => {
    const byOther = await other.signTypedData(authorizationTypedData(xdc, authorization));
    expect(isSignedByPayer(xdc, authorization, byOther)).toBe(false);
    expect(isSignedByPayer(apothem, authorization, signed)).toBe(false);
    expect(isSignedByPayer(xdc, { ...authorization, value: 1n }, signed)).toBe(false);
    for (const bytes of [0, 1, 63, 64, 65, 66, 200]) {
      for (const digits of ["00", "ff", "01"]) {
        expect(isSignedByPayer(xdc, authorization, `0x${digits.repeat(bytes)}`)).toBe(false);
      }
    }
    expect(hasPlainLength(`0x${"00".repeat(66)}`)).toBe(false);
  });
});

test("what the program has installed itself stays", async () => {
  const own = { recoverPublicKey: () => new Uint8Array(65) };
  await Engine.install({ Secp256k1: own });
  try {
    await compileSignatures();
    expect(Engine.get().Secp256k1).toEqual(own);
    expect(Engine.get().Hash).toBeDefined();
  } finally {
    Engine.reset();
  }
});
