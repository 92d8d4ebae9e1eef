/** The proxy in front of the stand-in token: what it tells, whom it refuses, what it costs. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import type { Address, Hex } from "@farthing/protocol";
import { encodeCall, startTokenBench, type TokenBench } from "./token-bench.testing.ts";

let bench: TokenBench;
beforeAll(async () => {
  bench = await startTokenBench();
});
afterAll(() => bench?.devnet.stop());
beforeEach(() => bench.reset());

/** Asks the token; from Multicall3's address if not told otherwise. */
function ask(signature: string, from?: Address): Promise<Hex> {
  const { rpc, token, multicall3 } = bench.devnet;
  const call = { from: from ?? multicall3, to: token, data: encodeCall(signature, []) };
  return rpc<Hex>("eth_call", [call, "latest"]);
}

const addressIn = (word: Hex): Address => `0x${word.slice(-40)}`;

test("the token is a proxy, which tells where the code is and refuses its admin", async () => {
  const place = addressIn(await ask("implementation()"));
  const code = await bench.devnet.rpc<Hex>("eth_getCode", [place, "latest"]);
  expect(code.length).toBeGreaterThan(10_000);
  const admin = addressIn(await ask("admin()"));
  await expect(ask("decimals()", admin)).rejects.toThrow("from the proxy admin");
  expect(BigInt(await ask("decimals()"))).toBe(6n);
});

/** Measured with Circle's FiatTokenV2_2 behind FiatTokenProxy on the same chain. */
const circleGas = { firstUsdc: 103_354, alone: 86_240 };

/** How far one payment's gas is from the right one, as a share of it. */
async function payOffBy(right: number): Promise<number> {
  expect((await bench.pay("bytes")).reverted).toBeUndefined();
  // The call is alone in its block.
  const block = await bench.devnet.rpc<{ gasUsed: Hex }>("eth_getBlockByNumber", ["latest", false]);
  return Math.abs(Number(block.gasUsed) / right - 1);
}

describe("gas is within a hundredth of what Circle's token takes", () => {
  test("the payee's first USDC", async () => {
    expect(await payOffBy(circleGas.firstUsdc)).toBeLessThan(0.01);
  });

  test("a payee who holds some", async () => {
    await bench.devnet.usdc.setBalance(bench.devnet.seller.address, 1n);
    expect(await payOffBy(circleGas.alone)).toBeLessThan(0.01);
  });
});
