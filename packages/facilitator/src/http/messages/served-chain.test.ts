/** On which chains an account signs in, and on which it buys credits. */
import { networkOfChain, type ChainId } from "@farthing/protocol";
import { expect, test } from "vitest";
import { sellingChain, servedChain } from "./served-chain.ts";

const serving = (...chains: readonly ChainId[]) => ({ networks: chains.map(networkOfChain) });

test("a chain that is served is given back, another is refused", () => {
  expect(servedChain(serving(51), 51)).toBe(51);
  expect(() => servedChain(serving(51), 50)).toThrow("serves the chain 51");
});

test("where mainnet is served, test money buys no credits", () => {
  expect(sellingChain(serving(50, 51), 50)).toBe(50);
  expect(() => sellingChain(serving(50, 51), 51)).toThrow("Credits are bought on chain 50");
});

test("a test network alone sells for its own money", () => {
  expect(sellingChain(serving(51), 51)).toBe(51);
});
