/** What a request would cost: in ten lines for `inspect`, with every check for `pay --dry-run`. */
import type { Check, EvaluatedOffer, LimitToRaise, Quotation } from "@farthing/buyer";
import { formatUsdc, printableLine, shortUsdc } from "@farthing/protocol";
import type { ExitCode } from "../command/exit-codes.ts";
import { raisingCommand } from "../command/limit-table.ts";

/** The price and what stands in the way of it. Checks that passed are counted. */
export function quoteText(quotation: Quotation, url: string): string {
  const { place, offers, chosen, refusal } = quotation;
  const offer = offers.find((evaluated) => evaluated.offer === chosen?.offer) ?? offers[0];
  const checks = [...place, ...(offer?.checks ?? [])];
  const passed = checks.filter(({ verdict }) => verdict === "pass").length;
  const noted = checks.filter(({ verdict }) => verdict !== "pass" && verdict !== "skip");
  const terms = offer?.offer.requirements;
  const facts = terms && [
    ["Price", `${shortUsdc(terms.amount)} USDC`],
    ["Pay to", terms.payTo],
    ["Network", `${terms.network.name} (${terms.network.id})`],
    ["Flow", messageOf(checks, "flow")],
    ["Time", messageOf(checks, "time")],
  ];
  const toNote = noted.length === 0 ? "" : `, ${noted.length} to note`;
  const others = offers.length > 1 ? `; ${offers.length} offers` : "";
  const rows = [...(facts ?? []), ["Checks", `${passed} passed${toNote}${others}`]];
  return [
    `402 from ${printableLine(url)}`,
    ...rows.map(([name = "", text = ""]) => `  ${name.padEnd(rowWidth)}  ${printableLine(text)}`),
    // A refusal is the last line.
    ...noted.filter(({ code }) => code === undefined || code !== refusal?.code).map(checkLine),
    chosen
      ? `Would pay ${shortUsdc(chosen.quote.amountUnits)} USDC.`
      : `Would not pay: ${refusal?.message ?? ""} (${refusal?.code ?? ""})`,
    "Nothing was signed. --all shows every offer and every check.",
    "",
  ].join("\n");
}

const rowWidth = "Network".length;

function messageOf(checks: readonly Check[], name: string): string {
  return checks.find((check) => check.name === name)?.message ?? "";
}

function resultLine({ chosen, refusal }: Quotation): string {
  if (!chosen) return `Would not pay: ${refusal?.message ?? ""} (${refusal?.code ?? ""})`;
  const { amountUnits, payTo, network } = chosen.quote;
  return `Would pay ${shortUsdc(amountUnits)} USDC to ${payTo} on ${network.id}.`;
}

export function dryRunText(quotation: Quotation, url: string): string {
  const { place, offers, complaints, chosen } = quotation;
  return [
    `402 from ${url}`,
    ...place.map(checkLine),
    ...complaints.map((complaint) => `  note  ${complaint}`),
    ...offers.flatMap((evaluated) => [
      `${offerTitle(evaluated)}${evaluated.offer === chosen?.offer ? "  (chosen)" : ""}`,
      ...evaluated.checks.map(checkLine),
    ]),
    resultLine(quotation),
    "Nothing was signed.",
    "",
  ].join("\n");
}

function offerTitle({ offer }: EvaluatedOffer): string {
  const { requirements, source, index } = offer;
  const place = `entry ${index} of the ${source}`;
  if (!requirements) return `${place}: cannot be read`;
  const { amount, payTo, networkName, version } = requirements;
  return `${place}: ${shortUsdc(amount)} USDC to ${payTo} on ${networkName}, version ${version}`;
}

/** The longest name of a check, so that the messages stand in a column. */
const nameWidth = 13;

function checkLine({ verdict, name, message }: Check): string {
  return `  ${verdict.padEnd(4)}  ${name.padEnd(nameWidth)}  ${message}`;
}

export function dryRunObject(
  quotation: Quotation,
  exitCode: ExitCode,
  raise: LimitToRaise | undefined,
): Record<string, unknown> {
  const { place, offers, complaints, chosen, refusal } = quotation;
  return {
    dryRun: true,
    status: 402,
    paymentStatus: "not_sent",
    wouldPay: chosen !== undefined,
    error: refusal
      ? { ...refusal, ...(raise && { raise, raiseWith: raisingCommand(raise) }) }
      : null,
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
