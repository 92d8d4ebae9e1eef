/** Signatures of our own keys, compared with those of viem. */
import { privateKeyToAccount } from "viem/accounts";
import { expect, test } from "vitest";
import { addressOfKey, parsePrivateKey, signDigest } from "./sign-digest.ts";

const key = `0x${"33".repeat(32)}` as const;
const digest = new Uint8Array(32).fill(7);

test("a key has the address and makes the signature that viem gives it", async () => {
  const account = privateKeyToAccount(key);
  expect(addressOfKey(key)).toBe(account.address);
  expect(signDigest(key, digest)).toBe(await account.sign({ hash: `0x${"07".repeat(32)}` }));
});

test.each([
  ["zero", `0x${"00".repeat(32)}`],
  ["the order", "0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141"],
  ["too short", "0x33"],
  ["no text", 51],
])("%s is no key", (_name, value) => {
  expect(parsePrivateKey(value)).toBeUndefined();
});
