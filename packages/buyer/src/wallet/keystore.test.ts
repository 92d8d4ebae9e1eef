/** Keystores: what comes out is what went in, also in files of other wallets. */
import { expect, test } from "vitest";
import { decryptKeystore, encryptKey, keystoreAddress, newPrivateKey } from "./keystore.ts";
import { payer, testKey } from "../scripted-seller.testing.ts";
import { privateKeySigner } from "../signer.ts";

/** The example of the format's own definition; its key is published there. */
const published = JSON.stringify({
  crypto: {
    cipher: "aes-128-ctr",
    cipherparams: { iv: "83dbcc02d8ccb40e466191a123791e0e" },
    ciphertext: "d172bf743a674da9cdad04534d56926ef8358534d458fffccd4e6ad2fbde479c",
    kdf: "scrypt",
    kdfparams: {
      dklen: 32,
      n: 262144,
      p: 8,
      r: 1,
      salt: "ab0c7876052600dd703518d6fc3fe8984592145b591fc8fb5c6d43190334ba19",
    },
    mac: "2103ac29920d71da29f15d75b4a16dbe95cfd7ff8faea1056c33131d846e3097",
  },
  id: "3198bc9c-6672-5ab3-d995-4942343ae5b6",
  version: 3,
});

test("reads the example of the definition", async () => {
  expect(await decryptKeystore(published, "testpassword")).toBe(
    "0x7a28b5ba57c53603b0b07b56bba752f7784bf506fa95edc395f5cf6c7514fe9d",
  );
});

test("encrypts a key so that only its password gives it back", async () => {
  const text = await encryptKey(testKey, "right");
  expect(text.toLowerCase()).not.toContain(testKey.slice(2));
  expect(keystoreAddress(text)).toBe(payer);
  expect(JSON.parse(text)).toMatchObject({
    version: 3,
    crypto: { cipher: "aes-128-ctr", kdf: "scrypt", kdfparams: { n: 262_144 } },
  });
  expect(await decryptKeystore(text, "right")).toBe(testKey);
  await expect(decryptKeystore(text, "wrong")).rejects.toThrow("password is wrong");
  const damaged = text.replace(/"ciphertext":"../, '"ciphertext":"00');
  await expect(decryptKeystore(damaged, "right")).rejects.toThrow("damaged");
});

test.each([
  ["nothing", ""],
  ["no object", "[]"],
  ["another version", published.replace('"version":3', '"version":4')],
  ["an unknown derivation", published.replace("scrypt", "bcrypt")],
  ["work for an hour", published.replace("262144", "1073741824")],
  ["parameters that are none", published.replace("262144", '"x"')],
])("refuses %s at once", async (_, text) => {
  await expect(decryptKeystore(text, "p")).rejects.toThrow(/no keystore|derivation/);
});

test("a new key is a key, and another each time", () => {
  const keys = [newPrivateKey(), newPrivateKey()];
  expect(new Set(keys.map((key) => privateKeySigner(key).address)).size).toBe(2);
});
