/**
 * The table of metrics. Labels have a small, fixed set of values, and never an address, a hash, a
 * URL or another value that a caller chooses.
 */

export interface Metric {
  readonly kind: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram. */
  readonly buckets?: readonly number[];
}

/** Seconds from a claim to its outcome: XDC makes a block every 2 s and may pause for 60. */
const settlementSeconds = [0.5, 1, 2, 3, 4, 6, 8, 12, 20, 30, 60, 120, 300];

/** Seconds of a request: from an immediate refusal of /verify to a settle that waits for 30. */
const requestSeconds = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

const batchSizes = [1, 2, 5, 10, 20, 50, 100];

export const metricTable = {
  x402_verify_requests_total: {
    kind: "counter",
    help: "Responses of /verify: valid, invalid, or not_judged, with the refusal's or error's code",
    labels: ["network", "result", "reason"],
  },
  x402_settle_requests_total: {
    kind: "counter",
    help: "Responses of /settle: confirmed, pending, failed, refused, or not_judged, with the code; repeats count again",
    labels: ["network", "result", "reason"],
  },
  x402_settle_duration_seconds: {
    kind: "histogram",
    help: "From the claim of a settlement to its outcome",
    labels: ["network"],
    buckets: settlementSeconds,
  },
  x402_tx_confirm_seconds: {
    kind: "histogram",
    help: "From the signing of a settlement's transaction to its confirmation",
    labels: ["network"],
    buckets: settlementSeconds,
  },
  x402_tx_finalize_seconds: {
    kind: "histogram",
    help: "From the signing of a settlement's transaction to the finality of its block",
    labels: ["network"],
    buckets: settlementSeconds,
  },
  x402_settlements_total: {
    kind: "counter",
    help: "Settlements that reached an outcome, each counted once: confirmed or failed, who settled them, and the reason of a failure",
    labels: ["network", "state", "settled_by", "reason"],
  },
  x402_settlements_reconciled_total: {
    kind: "counter",
    help: "Settlements whose outcome did not come from a single transaction of this service: settled_by_other, failed_after_send, reorganised, requeued",
    labels: ["network", "outcome"],
  },
  x402_payer_pauses_total: {
    kind: "counter",
    help: "Contract payers that were paused because a transaction of theirs reverted although its simulation passed",
    labels: ["network"],
  },
  x402_queue_settlements: {
    kind: "gauge",
    help: "Settlements that wait for a wallet",
    labels: ["network"],
  },
  x402_keyless_gas_used_ratio: {
    kind: "gauge",
    help: "Used share of the gas budget of surfaces without keys, 0 to 1: of the open half, and of the half for proven payees; read every minute",
    labels: ["network", "half"],
  },
  x402_reverted_gas_used_ratio: {
    kind: "gauge",
    help: "Used share of the gas budget for reverted transactions of contract wallets, 0 to 1, open payments included: of the open half, and of the half for proven payers; read every minute",
    labels: ["network", "half"],
  },
  x402_batch_settlements: {
    kind: "histogram",
    help: "Settlements of one transaction",
    labels: ["network"],
    buckets: batchSizes,
  },
  x402_tx_replacements_total: {
    kind: "counter",
    help: "Replacement transactions for a nonce: reprice for a higher gas price, use_up for a cancellation",
    labels: ["network", "kind"],
  },
  x402_relayer_balance_xdc: {
    kind: "gauge",
    help: "Balance of a relayer wallet in XDC",
    labels: ["network", "relayer_index"],
  },
  x402_relayer_inflight: {
    kind: "gauge",
    help: "Nonces of a relayer wallet that are in flight",
    labels: ["network", "relayer_index"],
  },
  x402_relayer_oldest_blocks: {
    kind: "gauge",
    help: "Blocks since the newest transaction at the lowest open nonce was signed; 0 when none is open",
    labels: ["network", "relayer_index"],
  },
  x402_relayer_held: {
    kind: "gauge",
    help: "1 while this process holds the wallet's lease",
    labels: ["network", "relayer_index"],
  },
  x402_lane_leases_total: {
    kind: "counter",
    help: "Leases of relayer wallets that this process has acquired (taken), handed over to a process with fewer wallets (given), or lost",
    labels: ["network", "relayer_index", "event"],
  },
  x402_rpc_requests_total: {
    kind: "counter",
    help: "JSON-RPC calls by outcome: ok, the class of the node's error, the reason why their request was refused, or no_answer",
    labels: ["network", "endpoint_index", "method", "outcome"],
  },
  x402_rpc_request_seconds: {
    kind: "histogram",
    help: "HTTP requests to an RPC endpoint, each with one call or many",
    labels: ["network", "endpoint_index"],
    buckets: requestSeconds,
  },
  x402_rpc_learned_limit: {
    kind: "gauge",
    help: "Limits of an RPC endpoint, learned from its refusals: requests_per_second or calls_per_second, batch_calls, log_range_blocks, body_bytes; absent until it refuses something",
    labels: ["network", "endpoint_index", "limit"],
  },
  x402_rpc_head_age_seconds: {
    kind: "gauge",
    help: "Age of the newest known block",
    labels: ["network"],
  },
  x402_rpc_read_lag_blocks: {
    kind: "gauge",
    help: "Blocks between the newest and the last one whose payments were read, or skipped because no payment was open; alert when it grows",
    labels: ["network"],
  },
  x402_rpc_unread_seconds: {
    kind: "gauge",
    help: "How long blocks have been known without their logs, so that no outcome is reported; 0 while they can be read",
    labels: ["network"],
  },
  x402_clock_skew_seconds: {
    kind: "gauge",
    help: "This machine's clock minus the chain's, by new blocks; a right clock shows 0 to 3",
    labels: ["network"],
  },
  x402_rpc_finalized_lag_blocks: {
    kind: "gauge",
    help: "Blocks between the newest and the newest final one",
    labels: ["network"],
  },
  x402_credits_debited_total: {
    kind: "counter",
    help: "Credits charged for settlements, counted when they are final",
    labels: ["network"],
  },
  x402_credit_purchases_total: {
    kind: "counter",
    help: "Purchases of credits, each counted in every state that it reaches",
    labels: ["network", "state"],
  },
  http_request_duration_seconds: {
    kind: "histogram",
    help: "Duration of responses to callers, from the request's first byte",
    labels: ["route", "method", "status"],
    buckets: requestSeconds,
  },
} as const satisfies Record<string, Metric>;

export type MetricName = keyof typeof metricTable;
