/** The report of `farthing pay --dry-run`: every check with its result, and what would be paid. */
import type { Check, EvaluatedOffer, Quotation } from "@farthing/buyer";
import { formatUsdc } from "@farthing/protocol";
import type { ExitCode } from "./exit-codes.ts";

export function dryRunText(quotation: Quotation, url: string): string {
  const { place, offers, complaints, chosen, refusal } = quotation;
  const result = chosen
    ? `Would pay ${chosen.quote.amountUsdc} USDC to ${chosen.quote.payTo} on ${chosen.quote.network.id}.`
    : `Would not pay: ${refusal?.message ?? ""} (${refusal?.code ?? ""})`;
  return [
    `402 from ${url}`,
    ...place.map(checkLine),
    ...complaints.map((complaint) => `  note  ${complaint}`),
    ...offers.flatMap((evaluated) => [
      `${offerTitle(evaluated)}${evaluated.offer === chosen?.offer ? "  (chosen)" : ""}`,
      ...evaluated.checks.map(checkLine),
    ]),
    result,
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

export function dryRunObject(quotation: Quotation, exitCode: ExitCode): Record<string, unknown> {
  const { place, offers, complaints, chosen, refusal } = quotation;
  return {
    dryRun: true,
    status: 402,
    paymentStatus: "not_sent",
    wouldPay: chosen !== undefined,
    error: refusal ?? null,
    place,
    offers: offers.map((evaluated) => offerObject(evaluated, evaluated.offer === chosen?.offer)),
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
