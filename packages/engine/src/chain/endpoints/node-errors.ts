/**
 * Classifies node errors. Nodes word errors differently and some write addresses as `xdc…`, so only
 * stable lower-case phrases are matched, in this order (XDPoSChain v2.7.0 and anvil). Every other
 * error is `inconclusive`: it proves nothing about a transaction.
 */
import type { Hex } from "@farthing/protocol";

export interface NodeError {
  readonly code: number;
  readonly message: string;
  readonly data: Hex | undefined;
}

/** The classes that the relayer acts upon. */
export type NodeProblem =
  | "already_known"
  | "nonce_too_low"
  | "nonce_too_high"
  | "replacement_underpriced"
  | "price_too_low"
  | "insufficient_gas_money"
  | "pool_full"
  | "transaction_too_large"
  | "fee_cap_exceeded"
  | "wrong_chain_or_type"
  | "blacklisted"
  | "reverted"
  | "rate_limited"
  | "batch_too_large"
  | "log_range_too_large"
  | "node_behind"
  | "inconclusive";

const phrases: readonly (readonly [NodeProblem, readonly string[]])[] = [
  ["already_known", ["already known", "already imported", "known transaction"]],
  ["nonce_too_low", ["nonce too low", "nonce is too low"]],
  ["nonce_too_high", ["nonce too high", "exceeds next nonce", "nonce too far in the future"]],
  ["replacement_underpriced", ["replacement transaction underpriced"]],
  [
    "price_too_low",
    [
      "under min gas price",
      "zero gas price",
      "transaction underpriced",
      "less than block base fee",
      "lower than the block base fee",
    ],
  ],
  ["insufficient_gas_money", ["insufficient funds"]],
  ["pool_full", ["txpool is full", "pool limit"]],
  ["transaction_too_large", ["exceeds block gas limit", "intrinsic gas too low", "oversized data"]],
  ["fee_cap_exceeded", ["exceeds the configured cap"]],
  [
    "wrong_chain_or_type",
    ["invalid sender", "transaction type not supported", "replay-protected", "invalid chain id"],
  ],
  ["blacklisted", ["black-list"]],
  ["rate_limited", ["rate limit", "too many requests", "limit exceeded"]],
  [
    "node_behind",
    [
      "execution aborted (timeout",
      "header not found",
      "header for number not found",
      "missing trie node",
      "unknown block",
      "block not found",
    ],
  ],
];

/** How nodes and providers report a request with too many calls. */
const batchTooLarge =
  /batch(es)?\b.*\b(too (large|big|many|long)|limit|exceed|max(imum)?|size|not (supported|allowed|enabled))|too many (calls|requests) in (a |one |the )?batch/;

/** How they report a log range that is too large, some with a rate limit's code. */
const logRangeTooLarge =
  /(block|log)s? range.*(too (large|wide|big|many)|limit|exceed|max|greater|more)|(exceed|max|limit|up to).*(block|log)s? range|range (is )?(too (large|wide|big)|limit|exceed)|(exceeds? (the )?(range|max results)|too many (blocks|logs|results)|query returned more than|returned more than \d+|limited to .*(blocks|logs|results))/;

/** Codes that providers use for rate limits, also inside HTTP 200. */
const rateLimitCodes = new Set([-32005, -32007, -32016, 429]);

/** Code of a revert in geth-family nodes; no other code counts as one. */
export const revertCode = 3;

export function classifyNodeError(error: NodeError): NodeProblem {
  if (error.code === revertCode) return "reverted";
  const text = error.message.toLowerCase();
  // The text of a revert comes from the contract and can contain anything.
  if (text.startsWith("execution reverted") && !rateLimitCodes.has(error.code)) {
    return error.data === undefined ? "inconclusive" : "reverted";
  }
  // Checked before the codes: providers report sizes too with the code of a rate limit.
  if (!text.includes("rate limit")) {
    if (batchTooLarge.test(text)) return "batch_too_large";
    if (logRangeTooLarge.test(text)) return "log_range_too_large";
  }
  if (rateLimitCodes.has(error.code)) return "rate_limited";
  for (const [problem, candidates] of phrases) {
    if (candidates.some((phrase) => text.includes(phrase))) return problem;
  }
  return "inconclusive";
}

/** JSON-RPC codes for an unknown method or invalid parameters. */
const callCodes = new Set([-32_601, -32_602]);

/** How nodes report that a call failed in the contract without a revert (geth, anvil). */
export const contractFailed =
  /out of gas|invalid opcode|invalid jump|stack (under|over)flow|stack limit reached|write protection|return data out of bounds|gas uint64 overflow|^evm error/i;

/** True if the call was carried out and failed in the contract. */
export function isContractFailure(error: NodeError): boolean {
  return classifyNodeError(error) === "reverted" || contractFailed.test(error.message);
}

/** True if the error is about the call itself: every endpoint would report the same. */
export function isAboutCall(error: NodeError): boolean {
  const problem = classifyNodeError(error);
  if (problem === "inconclusive") {
    return callCodes.has(error.code) || contractFailed.test(error.message);
  }
  return !isEndpointProblem(problem) && problem !== "batch_too_large";
}

/** True if another endpoint may succeed where this one could not. */
export function isEndpointProblem(problem: NodeProblem): boolean {
  return problem === "rate_limited" || problem === "node_behind";
}
