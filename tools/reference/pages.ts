/** The reference pages, which are generated from tables in the code so that they match it. */
import {
  metricTable,
  permissions,
  roleNames,
  roles,
  settings,
  type Metric,
} from "@farthing/facilitator";
import { publishedSchema } from "@farthing/gateway";
import { refusal, refusalCodes, x402ReasonOf } from "@farthing/protocol";
import { campaignsPage } from "./campaigns-page.ts";
import { interopPage } from "../interop/reference-page.ts";
import { errorRows } from "./error-rows.ts";
import { gatewayPage } from "./gateway-page.ts";
import { troubleshootingPage } from "./troubleshooting-page.ts";

/** Pages by their file in docs/reference. */
export const pages: Readonly<Record<string, () => string>> = {
  "campaigns.md": () => campaignsPage(made),
  "configuration.md": configurationPage,
  "gateway.md": () => gatewayPage(made),
  "gateway.schema.json": publishedSchema,
  "interop.md": () => interopPage(made),
  "metrics.md": metricsPage,
  "refusals.md": refusalsPage,
  "roles.md": rolesPage,
  "troubleshooting.md": () => troubleshootingPage(made),
};

export const made = "<!-- Made by `npm run reference` from the code. Do not edit. -->";

function configurationPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = setting.fallback === undefined ? "" : `\`${setting.fallback}\``;
    return `| \`${name}\` | \`${setting.key}\` | ${setting.shape} | ${fallback} | ${cell(setting.example)} |`;
  });
  return [
    made,
    "# Configuration of the facilitator",
    "",
    "Every setting is an environment variable. `NAME_FILE` instead of `NAME` gives the path of a file that holds the value; use this form for keys and for URLs with passwords. `FARTHING_CONFIG` names a YAML file with the same settings under their short names, with lists as YAML lists; a variable overrides the file. An unknown or invalid setting stops the start with a message that says what to write.",
    "",
    "| variable | in the YAML file | value | default | example |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "## PostgreSQL",
    "",
    "Any number of processes may share a PostgreSQL database, with the same wallets. One process at a time uses each wallet, and a new process gets its share within seconds. Processes notify each other with `LISTEN` and `NOTIFY`, which belong to a connection. PgBouncer must therefore use `pool_mode = session`. With `transaction` or `statement` the notifications are lost without an error, and a payment that one process claims and another sends waits for seconds. Every process holds up to 13 connections.",
    "",
  ].join("\n");
}

function metricsPage(): string {
  const rows = Object.entries(metricTable).map(
    ([name, { kind, help, labels }]: [string, Metric]) => {
      const names = labels.map((label) => `\`${label}\``).join(", ");
      return `| \`${name}\` | ${kind} | ${names} | ${cell(help)} |`;
    },
  );
  return [
    made,
    "# Metrics of the facilitator",
    "",
    "With `FARTHING_METRICS_PORT` set, `GET /metrics` on a separate listener returns the metrics below in Prometheus' text format, together with the usual ones of a Node.js process (`process_…`, `nodejs_…`). The listener is for the operator and requires no key, so keep it on a private address (`FARTHING_METRICS_HOST`).",
    "",
    "Labels have a small, fixed set of values: `network` is a CAIP-2 name, or `none` if the request named no served network; `relayer_index` and `endpoint_index` are positions in the configuration, from 0; `reason` is a code of [refusals.md](refusals.md) or of an error, or `none`; `route` is a template such as `/settlements/:id`. No label holds an address, a hash or a URL.",
    "",
    "| metric | kind | labels | meaning |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "The process that recorded the outcome of a settlement counts it, so each is counted once however many processes share a database. Counters of responses count each response: a seller that repeats a request is counted again.",
    "",
    "Recommended alerts, which [deploy/prometheus/alerts.yml](../../deploy/prometheus/alerts.yml) has as rules, and the [runbook](runbook.md) explains:",
    "",
    '- `x402_settle_requests_total{result="not_judged"}` with an error of the service as its `reason`, and hardly any `confirmed` or `pending`: all settles fail.',
    "- `x402_rpc_head_age_seconds` above 90: XDC may pause for up to 60 s when a leader is missing, not longer.",
    "- `x402_rpc_unread_seconds` above 30, or `x402_rpc_read_lag_blocks` growing: blocks are known but cannot be read, so outcomes are not reported.",
    "- `x402_clock_skew_seconds` beyond 5 either way: payments are evaluated with a wrong time.",
    "- `x402_relayer_payments_left` below the payments of half a day, at the present gas price; the log also warns when a wallet has gas for fewer than about 500 settlements.",
    "- `x402_xdc_price_known` at 0: the price of XDC is missing or too old, so a loss is not noticed.",
    '- `sum(x402_relayer_held)` over all processes below the number of wallets, or `x402_lane_leases_total{event="lost"}` rising: processes take wallets from each other.',
    "- `x402_relayer_oldest_blocks` above 25: a nonce is stuck.",
    '- `x402_relayer_sign_seconds_count{outcome="failed"}` rising: a key service fails, and its wallet pauses.',
    '- `x402_channel_sign_seconds_count{outcome="failed"}` rising: the key service of channels fails, and claims and refunds wait.',
    "- `x402_queue_settlements` rising for minutes: payments arrive faster than the wallets can send them.",
    '- `x402_settlements_reconciled_total{outcome="failed_after_send"}` rising: the service pays gas for payments that fail.',
    "- `x402_rpc_requests_total` with `outcome` other than `ok` and `reverted`: an endpoint is faulty or limits the rate.",
    "- `x402_emails_total` with `outcome` other than `sent`, and none sent: the mail server takes no notices.",
    "- `x402_trace_spans_total` with `outcome` other than `exported`, for longer than a restart of the collector: traces are lost.",
    "",
  ].join("\n");
}

function refusalsPage(): string {
  const rows = refusalCodes.map(
    (code) => `| \`${code}\` | ${cell(refusal(code).message)} | \`${x402ReasonOf(code)}\` |`,
  );
  return [
    made,
    "# Refusals",
    "",
    "`invalidReason` of `/verify` and `errorReason` of `/settle` carry one of these codes, beside HTTP 200. `extra.x402Reason` is the name that other x402 software uses for it. The message of a response is usually more specific than the one here: it names the problem and what to change.",
    "",
    "| code | message | `extra.x402Reason` |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## Error codes",
    "",
    "If no payment was evaluated, the response is `{ error, message, retryable, requestId }`. `error` is one of these codes; *again* says whether the same request can succeed later unchanged.",
    "",
    "| code | status | again | meaning |",
    "| --- | --- | --- | --- |",
    ...errorRows(),
    "",
  ].join("\n");
}

function rolesPage(): string {
  const rows = permissions.map(({ name, text, roles: allowed }) => {
    const marks = roles.map((role) => (allowed.some((one) => one === role) ? "yes" : "no"));
    return `| ${text} | \`${name}\` | ${marks.join(" | ")} |`;
  });
  return [
    made,
    "# Roles of an account",
    "",
    "Each member of a seller's account has a role. The account's own address, which receives its payments, is always an owner. A request that the role does not allow is a 403, `role_not_allowed`. `GET /v1/account` returns the `role` of the session and its `permissions`, and the OpenAPI document names the roles of each operation.",
    "",
    `| A member may … | permission | ${roles.map((role) => roleNames[role]).join(" | ")} |`,
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "A role belongs to a person's session. An API key has no role: it belongs to the account, not to the member who created it, and it keeps working when that member leaves.",
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
