/**
 * Troubleshooting by what a person has in front of them: a code of a response, or an event of the
 * log. Codes come from the tables of the code, events from the page that a test compares with it.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { problemTable } from "@farthing/facilitator";
import { errorCodes, refusal, refusalCodes, x402ReasonOf } from "@farthing/protocol";
import { errorMeanings } from "./error-rows.ts";

const logEvents = join(import.meta.dirname, "../../docs/reference/log-events.md");

export function troubleshootingPage(made: string): string {
  return [
    made,
    "# Troubleshooting",
    "",
    "Search this page for the code or the event that you have. `farthing doctor` checks a facilitator's configuration, nodes and wallets, and `farthing gateway check` a gateway's file; both say what to fix.",
    "",
    "## First steps",
    "",
    "- **A buyer's payment is pending, or the response was a 503.** Repeat the request with the same payment. It is charged once. `farthing ledger list` shows open payments; [Finality and unknown outcomes](../concepts/finality.md) explains them.",
    "- **A paid request got a 402 again.** The body says why; find its code below.",
    "- **A paid request got a 429.** The payer or the address has made too many requests. Nothing was taken: repeat the request with the same payment after the seconds of `Retry-After`.",
    "- **The seller does not start.** Its message names the option and what to write. `charge.ready()` compares the options with the facilitator before the first buyer comes.",
    "- **The facilitator does not start.** Its output has a line for each check. Run `farthing doctor` with the same environment.",
    "- **The service is slow or not ready.** `GET /ready` names what is not in order, and the log has one of the [events](#warnings-and-errors-of-the-facilitator) below.",
    "",
    "## Refused payments",
    "",
    "A seller's 402 and the responses of `/verify` and `/settle` contain these codes. Other x402 software has the second name.",
    "",
    ...refusalCodes.flatMap((code) => {
      const other = x402ReasonOf(code);
      const also = other === code ? "" : ` Other software: \`${other}\`.`;
      return [`### \`${code}\``, "", `${refusal(code).message}${also}`, ""];
    }),
    "## Errors of the facilitator",
    "",
    "The member `error` of a response that evaluated no payment. An operator finds the request by its `requestId`.",
    "",
    ...errorCodes.flatMap((code) => {
      const { status, retryable } = problemTable[code];
      const again = retryable
        ? "The same request can succeed later."
        : "The same request will fail again.";
      return [`### \`${code}\``, "", `HTTP ${status}. ${errorMeanings[code]} ${again}`, ""];
    }),
    ...eventSections(),
  ].join("\n");
}

/** Warnings and errors; [Log events](log-events.md) has all events. */
function eventSections(): string[] {
  const sections = readFileSync(logEvents, "utf8").split(/^## /m).slice(1);
  return sections.flatMap((section) => {
    const [of = ""] = section.split("\n");
    const rows = section
      .split("\n")
      .map((line) => /^\| `(\w+)` \| (warn|error)[^|]* \| (.+?) \| (.+?) \|/.exec(line)?.slice(1))
      .filter((row) => row !== undefined);
    if (rows.length === 0) return [];
    return [
      `## Warnings and errors of the ${of.toLowerCase()}`,
      "",
      "Search the log for `event`. [Log events](log-events.md) lists all of them.",
      "",
      ...rows.flatMap(([event, level, message, meaning]) => [
        `### \`${event}\``,
        "",
        `_${message}_ (${level}). ${meaning?.replace(/([^.])$/, "$1.")}`,
        "",
      ]),
    ];
  });
}
