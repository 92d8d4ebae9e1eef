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

/** Seconds of a signature: local in a millisecond, by a key service in two attempts of two seconds. */
const signSeconds = [0.001, 0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5];

const batchSizes = [1, 2, 5, 10, 20, 50, 100];

const simple =
  (kind: Metric["kind"]) =>
  (labels: readonly string[], help: string): Metric => ({ kind, help, labels });

const counter = simple("counter");
const gauge = simple("gauge");

const histogram = (
  labels: readonly string[],
  buckets: readonly number[],
  help: string,
): Metric => ({ kind: "histogram", help, labels, buckets });

export const metricTable = {
  x402_verify_requests_total: counter(
    ["network", "result", "reason"],
    "Responses of /verify: valid, invalid, or not_judged, with the refusal's or error's code",
  ),
  x402_settle_requests_total: counter(
    ["network", "result", "reason"],
    "Responses of /settle: confirmed, pending, failed, refused, or not_judged, with the code; repeats count again",
  ),
  x402_gas_price_gwei: gauge(["network"], "Gas price that transactions pay now, in gwei"),
  x402_gas_price_paid: gauge(
    ["network"],
    "1 while the gas price is within the bounds of the settings; 0 while no payment is accepted or sent because it is above them",
  ),
  x402_settle_duration_seconds: histogram(
    ["network"],
    settlementSeconds,
    "From the claim of a settlement to its outcome",
  ),
  x402_tx_confirm_seconds: histogram(
    ["network"],
    settlementSeconds,
    "From the signing of a settlement's transaction to its confirmation",
  ),
  x402_tx_finalize_seconds: histogram(
    ["network"],
    settlementSeconds,
    "From the signing of a settlement's transaction to the finality of its block",
  ),
  x402_settlements_total: counter(
    ["network", "state", "settled_by", "reason"],
    "Settlements that reached an outcome, each counted once: confirmed or failed, who settled them, and the reason of a failure",
  ),
  x402_settlements_reconciled_total: counter(
    ["network", "outcome"],
    "Settlements whose outcome did not come from a single transaction of this service: settled_by_other, failed_after_send, reorganised, requeued",
  ),
  x402_payer_pauses_total: counter(
    ["network"],
    "Contract payers that were paused because a transaction of theirs reverted although its simulation passed",
  ),
  x402_ready: gauge(
    ["check"],
    "1 while a check of /ready succeeds, else 0: database, or a network; read four times a minute",
  ),
  x402_queue_settlements: gauge(["network"], "Settlements that wait for a wallet"),
  x402_keyless_gas_used_ratio: gauge(
    ["network", "half"],
    "Used share of the gas budget of surfaces without keys, 0 to 1: of the open half, and of the half for proven payees; read every minute",
  ),
  x402_reverted_gas_used_ratio: gauge(
    ["network", "half"],
    "Used share of the gas budget for reverted transactions of contract wallets, 0 to 1, open payments included: of the open half, and of the half for proven payers; read every minute",
  ),
  x402_batch_settlements: histogram(["network"], batchSizes, "Settlements of one transaction"),
  x402_tx_replacements_total: counter(
    ["network", "kind"],
    "Replacement transactions for a nonce: reprice for a higher gas price, use_up for a cancellation",
  ),
  x402_relayer_balance_xdc: gauge(
    ["network", "relayer_index"],
    "Balance of a relayer wallet in XDC",
  ),
  x402_relayer_inflight: gauge(
    ["network", "relayer_index"],
    "Nonces of a relayer wallet that are in flight",
  ),
  x402_relayer_oldest_blocks: gauge(
    ["network", "relayer_index"],
    "Blocks since the newest transaction at the lowest open nonce was signed; 0 when none is open",
  ),
  x402_relayer_held: gauge(
    ["network", "relayer_index"],
    "1 while this process holds the wallet's lease",
  ),
  x402_relayer_sign_seconds: histogram(
    ["relayer_index", "outcome"],
    signSeconds,
    "Signatures of transactions by outcome, ok or failed; a key service that fails pauses its wallet",
  ),
  x402_lane_leases_total: counter(
    ["network", "relayer_index", "event"],
    "Leases of relayer wallets that this process has acquired (taken), handed over to a process with fewer wallets (given), or lost",
  ),
  x402_rpc_requests_total: counter(
    ["network", "endpoint_index", "method", "outcome"],
    "JSON-RPC calls by outcome: ok, the class of the node's error, the reason why their request was refused, or no_answer",
  ),
  x402_rpc_request_seconds: histogram(
    ["network", "endpoint_index"],
    requestSeconds,
    "HTTP requests to an RPC endpoint, each with one call or many",
  ),
  x402_rpc_learned_limit: gauge(
    ["network", "endpoint_index", "limit"],
    "Limits of an RPC endpoint, learned from its refusals: requests_per_second or calls_per_second, batch_calls, log_range_blocks, body_bytes; absent until it refuses something",
  ),
  x402_rpc_head_age_seconds: gauge(["network"], "Age of the newest known block"),
  x402_rpc_read_lag_blocks: gauge(
    ["network"],
    "Blocks between the newest and the last one whose payments were read, or skipped because no payment was open; alert when it grows",
  ),
  x402_rpc_unread_seconds: gauge(
    ["network"],
    "How long blocks have been known without their logs, so that no outcome is reported; 0 while they can be read",
  ),
  x402_clock_skew_seconds: gauge(
    ["network"],
    "This machine's clock minus the chain's, by new blocks; a right clock shows 0 to 3",
  ),
  x402_rpc_finalized_lag_blocks: gauge(
    ["network"],
    "Blocks between the newest and the newest final one",
  ),
  x402_credits_debited_total: counter(
    ["network"],
    "Credits charged for settlements, counted when they are final",
  ),
  x402_credit_purchases_total: counter(
    ["network", "state"],
    "Purchases of credits, each counted in every state that it reaches",
  ),
  x402_emails_total: counter(
    ["outcome"],
    "E-mails of this process: sent, failed and sent again later, or given_up, whose notices are lost; links that confirm an address are sent once",
  ),
  x402_trace_spans_total: counter(
    ["outcome"],
    "Finished spans of traces: exported, or dropped because an export failed (export_failed) or because too many waited for one (queue_full)",
  ),
  http_request_duration_seconds: histogram(
    ["route", "method", "status"],
    requestSeconds,
    "Duration of responses to callers, from the request's first byte",
  ),
};

export type MetricName = keyof typeof metricTable;
