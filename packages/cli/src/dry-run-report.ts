/** What `farthing pay --dry-run` prints: every check with its verdict, and what would be paid. */
import type { Check, EvaluatedOffer, Quotation } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { ExitCode } from "./exit-codes.ts";

/** The report for people. */
export function dryRunText(quotation: Quotation, url: string): string {
  const { place, offers, complaints, chosen, refusal } = quotation;
  const verdict = chosen
    ? `Would pay ${chosen.quote.amountUsdc} USDC to ${chosen.quote.payTo} on ${chosen.quote.network.id}.`
    : `Would not pay: ${refusal?.message ?? ""} (${refusal?.code ?? ""})`;
  return [
    `402 from ${url}`,
    ...place.map(checkLine),
    ...complaints.map((complaint) => `  note  ${complaint}`),
    ...offers.flatMap((judged) => [
      `${offerTitle(judged)}${judged.offer === chosen?.offer ? "  (chosen)" : ""}`,
      ...judged.checks.map(checkLine),
    ]),
    verdict,
    "Nothing was signed.",
    "",
  ].join("\n");
}

function offerTitle({ offer }: EvaluatedOffer): string {
  const { requirements, source, index } = offer;
  const place = `entry ${index} of the ${source}`;
  if (!requirements) return `${place}: cannot be read`;
  const { amount, payTo, networkName, version } = requirements;
  return `${place}: ${formatUsdc(amount)} USDC to ${payTo} on ${networkName}, version ${version}`;
}

/** The longest name of a check, so that the messages stand in a column. */
const nameWidth = 13;

function checkLine({ verdict, name, message }: Check): string {
  return `  ${verdict.padEnd(4)}  ${name.padEnd(nameWidth)}  ${message}`;
}

/** The report for programs. */
export function dryRunObject(quotation: Quotation, exitCode: ExitCode): Record<string, unknown> {
  const { place, offers, complaints, chosen, refusal } = quotation;
  return {
    dryRun: true,
    status: 402,
    paymentStatus: "not_sent",
    wouldPay: chosen !== undefined,
    error: refusal ?? null,
    place,
    offers: offers.map((judged) => offerObject(judged, judged.offer === chosen?.offer)),
    complaints,
    exitCode,
  };
}

function offerObject({ offer, checks, isPayable }: EvaluatedOffer, isChosen: boolean) {
  const { source, index, requirements } = offer;
  const terms = requirements && {
    version: requirements.version,
    network: requirements.network.id,
    asset: requirements.asset,
    payTo: requirements.payTo,
    amount: requirements.amount.toString(),
    amountUsdc: formatUsdc(requirements.amount),
    maxTimeoutSeconds: requirements.maxTimeoutSeconds,
  };
  return { source, index, ...terms, isPayable, isChosen, checks };
}
