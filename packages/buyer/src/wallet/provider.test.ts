/** What wallets throw, and what a person is told. */
import { describe, expect, test } from "vitest";
import { ask, codeOf, WalletProblem, type Provider } from "./provider.ts";

const throwing = (error: unknown): Provider => ({
  request: async () => {
    throw error;
  },
});

const withCode = (code: number, message = "no") => Object.assign(new Error(message), { code });

describe("asking a wallet", () => {
  test.each([
    [4001, "rejected"],
    [-32002, "already_open"],
    [4200, "unable"],
    [-32601, "unable"],
    [-32603, "failed"],
  ] as const)("error %d is %s", async (walletCode, code) => {
    const asked = ask(throwing(withCode(walletCode)), "personal_sign", []);
    await expect(asked).rejects.toMatchObject({ name: "WalletProblem", code });
  });

  test("an unknown chain stays as it is, for the caller to add it", async () => {
    const asked = ask(throwing(withCode(4902)), "wallet_switchEthereumChain", []);
    await expect(asked).rejects.toMatchObject({ code: 4902 });
  });

  test("a stranger's text is shown in part only", async () => {
    const asked = ask(throwing(withCode(1, "x".repeat(10_000))), "eth_accounts", []);
    const problem: unknown = await asked.catch((error: unknown) => error);
    expect(problem).toBeInstanceOf(WalletProblem);
    expect(String(problem).length).toBeLessThan(400);
  });

  test("a wallet that never answers is left with the signal's reason", async () => {
    const leaving = new AbortController();
    const never: Provider = { request: () => new Promise(() => {}) };
    const asked = ask(never, "personal_sign", [], leaving.signal);
    leaving.abort("left");
    await expect(asked).rejects.toBe("left");
  });
});

test.each([
  [withCode(4001), 4001],
  [{ code: -32603, data: { originalError: { code: 4902 } } }, 4902],
  [{ code: "4001" }, undefined],
  ["no", undefined],
  [null, undefined],
])("the number in an error", (error, code) => {
  expect(codeOf(error)).toBe(code);
});
