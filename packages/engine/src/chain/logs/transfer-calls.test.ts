import type { Authorization, Hex } from "@farthing/protocol";
import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeLimitedBatch } from "../contracts/batch-contract.ts";
import { encodeBatch } from "../contracts/multicall.ts";
import { findTransferCall } from "./transfer-calls.ts";
import { encodeTransfer } from "../contracts/usdc.ts";

const to: Hex = `0x${"ee".repeat(20)}`;
const authorizationOf = (number: number): Authorization => ({
  from: `0x${"a1".repeat(20)}`,
  to: `0x${"b2".repeat(20)}`,
  value: BigInt(number) * 1_000n,
  validAfter: 5n,
  validBefore: 2n ** 200n,
  nonce: `0x${number.toString(16).padStart(64, "c")}`,
});
/** A plain payer's, and a contract wallet's. */
const signatures: readonly Hex[] = [`0x${"12".repeat(65)}`, `0x${"34".repeat(400)}`];
const calls = [1, 2, 3].map((number) => {
  const authorization = authorizationOf(number);
  const signature = signatures[number % 2] ?? "0x";
  return { authorization, signature, data: encodeTransfer(authorization, signature) };
});

describe.each<[string, readonly Hex[]]>([
  ["alone", calls.map(({ data }) => data)],
  ["in a batch", [encodeBatch(calls.map(({ data }) => ({ to, data })))]],
  ["in our contract's batch", [encodeLimitedBatch(calls.map((c) => ({ ...c, to, gasLimit: 9n })))]],
])("a transfer %s", (_name, transactions) => {
  test.each([0, 1, 2])("is read with its signature", (index) => {
    const { authorization, signature } = calls[index] ?? expect.fail("there are three");
    const transaction = transactions[index] ?? transactions[0] ?? "0x";
    const { from: payer, nonce } = authorization;
    expect(findTransferCall(transaction, { payer, nonce })).toEqual({ authorization, signature });
  });

  test("is not taken for another one", () => {
    const { from: payer, nonce } = authorizationOf(9);
    for (const data of transactions)
      expect(findTransferCall(data, { payer, nonce })).toBe(undefined);
  });
});

test("calldata of any other form has none, and does no harm", () => {
  const name = { payer: authorizationOf(1).from, nonce: authorizationOf(1).nonce };
  const starts = ["", "cf092995", "82ad56cb", "973133fc"];
  const digits = fc
    .uint8Array({ maxLength: 450 })
    .map((bytes) => Buffer.from(bytes).toString("hex"));
  const property = fc.property(fc.constantFrom(...starts), digits, (start, rest) => {
    expect(findTransferCall(`0x${start}${rest}`, name)).toBe(undefined);
  });
  fc.assert(property);
});
