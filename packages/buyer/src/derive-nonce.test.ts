/** Nonces that a secret gives to a request: the same after a crash, and others for everything else. */
import { apothem, xdc, type Requirements } from "@farthing/protocol";
import { expect, test } from "vitest";
import { deriveNonce, type DerivedFrom } from "./derive-nonce.ts";
import { otherPayee, payer, payTo } from "./scripted-seller.testing.ts";

const secret = new Uint8Array(32).fill(7);

const requirements: Requirements = {
  version: 2,
  network: xdc,
  networkName: xdc.id,
  asset: xdc.usdc,
  amount: 10_000n,
  payTo,
  maxTimeoutSeconds: 60,
};
const order: DerivedFrom = {
  requestId: "order",
  attempt: 0,
  fingerprint: "GET",
  wallet: payer,
  requirements,
};

test("another request, attempt, wallet or network has another nonce and salt", () => {
  const others: readonly Partial<DerivedFrom>[] = [
    { requestId: "other" },
    { attempt: 1 },
    { fingerprint: "POST" },
    { wallet: otherPayee },
    { requirements: { ...requirements, network: apothem } },
  ];
  const all = [{}, ...others].map((change) => deriveNonce(secret, { ...order, ...change }));
  const derived = all.flatMap((derive) => [derive("nonce"), derive("salt")]);
  expect(new Set(derived).size).toBe(derived.length);
  expect(deriveNonce(secret, { ...order })("nonce")).toBe(derived[0]);
});

test("another payee or price has another nonce, and one that commits to the request has not", () => {
  const changes: readonly Partial<Requirements>[] = [{}, { payTo: otherPayee }, { amount: 1n }];
  const all = changes.map((change) => {
    return deriveNonce(secret, { ...order, requirements: { ...requirements, ...change } });
  });
  expect(new Set(all.map((derive) => derive("nonce"))).size).toBe(3);
  expect(new Set(all.map((derive) => derive("salt"))).size).toBe(1);
});
