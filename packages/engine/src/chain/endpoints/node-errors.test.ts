/** Every kind of error that the relayer acts upon, in the words of the nodes that say it. */
import { expect, test } from "vitest";
import {
  classifyNodeError,
  isAboutCall,
  isEndpointProblem,
  type NodeProblem,
} from "./node-errors.ts";

/** As XDPoSChain v2.7.0, geth, Nethermind's like, anvil and providers write them. */
const said: readonly (readonly [NodeProblem, string])[] = [
  ["already_known", "already known"],
  ["already_known", "known transaction: 5e8a"],
  ["already_known", "transaction already imported"],
  ["nonce_too_low", "nonce too low: next nonce 5, tx nonce 4"],
  ["nonce_too_low", "Transaction nonce is too low"],
  ["nonce_too_high", "nonce too high"],
  ["nonce_too_high", "tx nonce exceeds next nonce"],
  ["nonce_too_high", "nonce too far in the future"],
  ["replacement_underpriced", "replacement transaction underpriced"],
  ["price_too_low", "under min gas price"],
  ["price_too_low", "zero gas price"],
  ["price_too_low", "transaction underpriced: gas tip cap 0"],
  ["price_too_low", "max fee per gas less than block base fee: address xdc5D28"],
  ["price_too_low", "max fee per gas is lower than the block base fee"],
  ["insufficient_gas_money", "insufficient funds for gas * price + value"],
  ["insufficient_gas_money", "Insufficient funds for gas * price + value: address xdc5D28"],
  ["pool_full", "txpool is full"],
  ["pool_full", "the pool limit is reached"],
  ["transaction_too_large", "exceeds block gas limit"],
  ["transaction_too_large", "intrinsic gas too low: have 21000, want 21400"],
  ["transaction_too_large", "oversized data: transaction size 70000, limit 65536"],
  ["fee_cap_exceeded", "tx fee (1.20 ether) exceeds the configured cap (1.00 ether)"],
  ["wrong_chain_or_type", "invalid sender"],
  ["wrong_chain_or_type", "transaction type not supported"],
  ["wrong_chain_or_type", "only replay-protected (EIP-155) transactions allowed over RPC"],
  ["wrong_chain_or_type", "invalid chain id for signer: have 50 want 51"],
  ["blacklisted", "reject transaction with sender in black-list: xdc5D28"],
  ["blacklisted", "reject transaction with receiver in black-list: xdc5D28"],
  ["rate_limited", "daily request rate limit reached"],
  ["rate_limited", "Too Many Requests"],
  ["rate_limited", "request limit exceeded"],
  ["batch_too_large", "batch too large"],
  ["batch_too_large", "Batch size is too large: at most 10 requests"],
  ["batch_too_large", "exceeded maximum batch size"],
  ["batch_too_large", "batch requests are not supported"],
  ["batch_too_large", "too many requests in batch"],
  ["log_range_too_large", "eth_getLogs is limited to a 500 blocks range"],
  ["log_range_too_large", "exceed maximum block range: 1000"],
  ["log_range_too_large", "block range is too wide"],
  ["log_range_too_large", "query returned more than 10000 results"],
  ["log_range_too_large", "eth_getLogs block range too large, range: 980, max: 500"],
  ["node_behind", "execution aborted (timeout = 5s)"],
  ["node_behind", "header not found"],
  ["node_behind", "header for number not found"],
  ["node_behind", "missing trie node 5e8a (path ) state is not available"],
  ["node_behind", "unknown block"],
  ["node_behind", "Block not found"],
  ["inconclusive", "invalid block range params"],
  ["inconclusive", "internal error"],
  ["inconclusive", "not today"],
  ["inconclusive", ""],
];

test.each(said)("%s: %s", (problem, message) => {
  expect(classifyNodeError({ code: -32_000, message, data: undefined })).toBe(problem);
});

test.each([-32_005, -32_007, -32_016, 429])("code %i is a rate limit, whatever it says", (code) => {
  expect(classifyNodeError({ code, message: "execution reverted", data: "0x" })).toBe(
    "rate_limited",
  );
});

test("only code 3, or words with data, are a revert: else a paid request would be denied", () => {
  const message = "execution reverted: FiatTokenV2: authorization is expired";
  const of = (code: number, data: `0x${string}` | undefined) =>
    classifyNodeError({ code, message, data });
  expect([of(3, undefined), of(-32_000, "0x08c379a0")]).toEqual(["reverted", "reverted"]);
  expect(of(-32_000, undefined)).toBe("inconclusive");
});

test.each(["too many requests", "batch limit exceeded", "query returned more than 1 results"])(
  "what a contract says when it reverts is no limit of the endpoint: %s",
  (words) => {
    const message = `execution reverted: ${words}`;
    const of = (data: `0x${string}` | undefined) =>
      classifyNodeError({ code: -32_000, message, data });
    expect([of(undefined), of("0x08c379a0")]).toEqual(["inconclusive", "reverted"]);
  },
);

test.each([
  ["log_range_too_large", "query returned more than 10000 results"],
  ["batch_too_large", "batch limit exceeded"],
  ["rate_limited", "limit exceeded"],
  ["rate_limited", "rate limit exceeded for batch requests"],
])("with the code of a rate limit: %s: %s", (problem, message) => {
  expect(classifyNodeError({ code: -32_005, message, data: undefined })).toBe(problem);
});

test.each([
  [false, -32_603, "internal error"],
  [false, -32_000, "invalid api key"],
  [false, -32_000, "header not found"],
  [false, -32_005, "limit exceeded"],
  [true, 3, "execution reverted"],
  [true, -32_602, "invalid argument 0"],
  [true, -32_601, "the method does not exist"],
  [true, -32_000, "out of gas"],
  [true, -32_000, "insufficient funds for gas * price + value"],
  [true, -32_005, "query returned more than 10000 results"],
])("about the call: %s: %i %s", (isAbout, code, message) => {
  expect(isAboutCall({ code, message, data: undefined })).toBe(isAbout);
});

test("a fault is the endpoint's where it lags or limits our rate", () => {
  const ill = said.map(([problem]) => problem).filter(isEndpointProblem);
  expect(new Set(ill)).toEqual(new Set(["rate_limited", "node_behind"]));
});
