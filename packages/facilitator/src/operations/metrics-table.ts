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

/** Seconds of a statement: a millisecond on this machine, up to the limit of statements. */
const statementSeconds = [0.001, 0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

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
  x402_token_paused: gauge(
    ["network"],
    "1 while USDC is paused by its issuer: no transfer succeeds, and accepted payments wait",
  ),
  x402_waiting: gauge(
    ["network", "for"],
    "1 while payments or their recovery wait: for an endpoint that takes no more requests (node_rate_limit), for a final block (reorg_depth), a lower gas price (gas_price), the end of a pause of USDC (token_pause), a missing nonce of a wallet (nonce_gap), the search for lost payments (search), or a database that takes no writes (database)",
  ),
  x402_xdc_price_usdc: gauge(
    ["network"],
    "What an XDC costs in USDC by FARTHING_XDC_PRICE; absent while no price is known",
  ),
  x402_xdc_price_known: gauge(
    ["network"],
    "1 while FARTHING_XDC_PRICE gives a price that counts; 0 while its file has none, or is older than FARTHING_XDC_PRICE_HOURS_MAX; absent without the setting",
  ),
  x402_settlement_cost_usdc: gauge(
    ["network"],
    "Gas of a payment that is alone in its transaction, in USDC at the present prices; absent while no price of XDC is known",
  ),
  x402_settlement_income_usdc: gauge(
    ["network"],
    "What a settlement with an API key earns, in USDC; 0 where they are free",
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
  x402_settled_usdc_total: counter(
    ["network", "kind"],
    "USDC of confirmed settlements, kind payment or refund; one that is reorganised out and confirmed again counts twice",
  ),
  x402_open_payments: gauge(
    ["network", "state"],
    "Settlements without an outcome in the database, queued or submitted, up to 20,000; read every minute, the same by each process",
  ),
  x402_open_payments_oldest_seconds: gauge(
    ["network", "state"],
    "Age of the oldest of them, 0 when there is none",
  ),
  x402_claims_total: counter(
    ["network", "result"],
    "Claims of settlements: created, existing when the authorization was claimed before, or refused",
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
  x402_relayer_payments_left: gauge(
    ["network", "relayer_index"],
    "Payments that the gas in a relayer wallet is enough for at the present gas price, each alone in its transaction",
  ),
  x402_gas_spent_xdc_total: counter(
    ["network", "relayer_index"],
    "XDC by which the balance of a relayer wallet fell, read every minute, the same by each process; what is spent in the minute of a refill is missing",
  ),
  x402_relayer_runway_days: gauge(
    ["network"],
    "Days for which the gas of all wallets lasts at the spending of the last 24 hours; absent in the first hour of a process and while nothing is spent",
  ),
  x402_relayer_used_elsewhere_total: counter(
    ["network", "relayer_index"],
    "Nonces of a relayer wallet that another program took; such a program must be stopped",
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
  x402_channel_sign_seconds: histogram(
    ["outcome"],
    signSeconds,
    "Signatures of the key service for channels by outcome, ok or failed; claims and refunds wait while it fails",
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
  x402_outbox_waiting: gauge(
    ["channel"],
    "Webhook deliveries (webhook) and notices by e-mail (email) that wait to be sent or sent again, up to 10,000 together; read every minute, the same by each process",
  ),
  x402_database_bytes: gauge([], "Size of the database; read every minute"),
  x402_database_free_bytes: gauge(
    [],
    "Free space on the disk of a SQLite database; PostgreSQL does not report its own",
  ),
  x402_database_seconds: histogram(
    ["operation"],
    statementSeconds,
    "Duration of methods of the database: claim, find (an authorization), record (confirmations), lease (its renewal), write (the periodic write of readiness)",
  ),
  x402_log_lines_total: counter(
    ["level", "event"],
    "Lines of the log with the levels warn and error, by their event: what is repeated, recovered or waited for",
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
