/** The reference pages that are made from tables in the code, so that they cannot drift from it. */
import { metricTable, settings, type Metric } from "@farthing/facilitator";
import { publishedSchema } from "@farthing/gateway";
import { refusal, refusalCodes, x402ReasonOf } from "@farthing/protocol";
import { interopPage } from "../interop/reference-page.ts";
import { errorRows } from "./error-rows.ts";
import { gatewayPage } from "./gateway-page.ts";

/** Pages by their place in docs/reference. */
export const pages: Readonly<Record<string, () => string>> = {
  "configuration.md": configurationPage,
  "gateway.md": () => gatewayPage(made),
  "gateway.schema.json": publishedSchema,
  "interop.md": () => interopPage(made),
  "metrics.md": metricsPage,
  "refusals.md": refusalsPage,
};

const made = "<!-- Made by `npm run reference` from the code. Do not edit. -->";

function configurationPage(): string {
  const rows = Object.entries(settings).map(([name, setting]) => {
    const fallback = "fallback" in setting ? `\`${setting.fallback}\`` : "";
    return `| \`${name}\` | \`${setting.key}\` | ${setting.shape} | ${fallback} | ${cell(setting.example)} |`;
  });
  return [
    made,
    "# Configuration of the facilitator",
    "",
    "Every setting is an environment variable. Any of them can be given as `NAME_FILE`, the path of a file that holds the value: the way for keys and URLs with passwords. `FARTHING_CONFIG` names a YAML file with the same settings under their short names, lists written as YAML lists; a variable wins over the file. Whatever is unknown or wrong stops the start with a line that says what to write.",
    "",
    "| variable | in the YAML file | value | default | example |",
    "| --- | --- | --- | --- | --- |",
    ...rows,
    "",
    "## PostgreSQL",
    "",
    "Any number of processes may share a PostgreSQL database, with the same wallets: each wallet is worked by one of them at a time, and a process that starts gets its share within seconds. Processes hear of each other through `LISTEN` and `NOTIFY`, which belong to a connection for as long as it lasts. Behind PgBouncer that takes `pool_mode = session`; with `transaction` or `statement` the news is lost without an error, and a payment that one process claims and another carries waits for seconds. Every process holds up to 13 connections.",
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
    "With `FARTHING_METRICS_PORT` set, `GET /metrics` on a listener of its own gives the metrics below in Prometheus' text format, beside the usual ones of a Node.js process (`process_…`, `nodejs_…`). The listener is for the operator: it asks for no key, so keep it on a private address (`FARTHING_METRICS_HOST`).",
    "",
    "Labels take few values that are known beforehand: `network` is a CAIP-2 name, or `none` where a request named none that is served; `relayer_index` and `endpoint_index` are places in the configuration, from 0; `reason` is a code of [refusals.md](refusals.md) or of an error, or `none`; `route` is a template such as `/settlements/:id`. No label holds an address, a hash or a URL.",
    "",
    "| metric | kind | labels | what it says |",
    "| --- | --- | --- | --- |",
    ...rows,
    "",
    "Settlements are counted by the process that recorded their outcome, each once however many processes share a database. Counters of answers count answers: a seller who asks again is counted again.",
    "",
    "Worth an alarm:",
    "",
    "- `x402_rpc_head_age_seconds` above 90: XDC may pause for up to 60 s when a leader is missing, not longer.",
    "- `x402_rpc_unread_seconds` above 30, or `x402_rpc_read_lag_blocks` growing: blocks are known and cannot be read, so payments are not told.",
    "- `x402_clock_skew_seconds` beyond 5 either way: payments are judged by a wrong time.",
    "- `x402_relayer_balance_xdc` below what half a day costs; the log warns below about 500 settlements as well.",
    '- `sum(x402_relayer_held)` over all processes below the number of wallets, or `x402_lane_leases_total{event="lost"}` rising: processes take wallets from each other.',
    "- `x402_relayer_oldest_blocks` above 25: a nonce is stuck.",
    "- `x402_queue_settlements` rising for minutes: more payments come than the wallets carry.",
    '- `x402_settlements_reconciled_total{outcome="failed_after_send"}` rising: gas is paid for payments that fail.',
    "- `x402_rpc_requests_total` with `outcome` other than `ok` and `reverted`: an endpoint is ill or limits the rate.",
    "",
  ].join("\n");
}

function refusalsPage(): string {
  const rows = refusalCodes.map(
    (code) => `| \`${code}\` | \`${x402ReasonOf(code)}\` | ${cell(refusal(code).message)} |`,
  );
  return [
    made,
    "# Refusals",
    "",
    "`invalidReason` of `/verify` and `errorReason` of `/settle` carry one of these codes, beside HTTP 200. `extra.x402Reason` is the name that other x402 software uses for it. The message of an answer usually says more than the one here: what was found, and what to change.",
    "",
    "| code | `extra.x402Reason` | message |",
    "| --- | --- | --- |",
    ...rows,
    "",
    "## Errors",
    "",
    "A request that judges no payment is answered with `{ error, message, retryable, requestId }`. `error` is one of these codes; *again* says whether the same request can succeed later without a change.",
    "",
    "| code | status | again | meaning |",
    "| --- | --- | --- | --- |",
    ...errorRows(),
    "",
  ].join("\n");
}

function cell(text: string): string {
  return text.replaceAll("|", "\\|");
}
