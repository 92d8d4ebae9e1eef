/** The section of the report about Safes as payers. */
import type { ContractPayerFigures, PayerRate } from "./contract-payers.ts";
import { middleOf, short, table, withRange } from "./report-table.ts";
import { payerKinds, type PayerKind } from "./safe-payers.ts";

/** Its heading. */
export const contractPayersHeading = "## Contract wallets as payers";

/** The targets: the rate of Safes beside plain payers, and gas in a batch beside alone. */
const ratioMin = 0.5;
const gasRatioMax = 0.8;

/** Writes the section. */
export function contractPayerSection({ plan, rates, gas }: ContractPayerFigures): string {
  const { callers, rounds, batchSize } = plan;
  const gasRows = gas.map(({ payer, alone, batched }) => {
    const ratio = batched / alone;
    const isReached = ratio <= gasRatioMax ? "reached" : "**not reached**";
    return [
      payer,
      Math.round(alone).toLocaleString("en"),
      Math.round(batched).toLocaleString("en"),
      short(ratio),
      payer === "plain" ? "" : isReached,
    ];
  });
  return [
    contractPayersHeading,
    "",
    `\`npm run bench -- --contracts\` measures this part alone. The batch contract is experimental and off by default. Safes are Safe 1.4.1 as published; each payer has one payment in flight at a time. ${callers.toLocaleString("en")} callers settle in a closed loop, in ${rounds} rounds with a window of each kind of payer, one after the other on the same service, so that a load of the machine from outside meets all of them. The ratio is that of the windows of one round; the middle of the rounds is shown, with the smallest and the largest. The chain makes a block a second, so ${callers.toLocaleString("en")} a second is the most that the callers can get. Payments are counted on the chain.`,
    "",
    table(
      [
        "batch contract",
        "payer",
        "per second",
        "beside plain",
        "CPU µs each",
        `at least ${ratioMin}`,
      ],
      [true, false].flatMap((hasBatchContract) =>
        payerKinds.map((payer) => rateRow(rates, payer, hasBatchContract)),
      ),
    ),
    "",
    `Gas of a payment to a payee that holds USDC, with the batch contract:`,
    "",
    table(
      ["payer", "alone", `in a batch of ${batchSize}`, "ratio", `at most ${gasRatioMax}`],
      gasRows,
    ),
    "",
  ].join("\n");
}

function rateRow(
  rates: readonly PayerRate[],
  payer: PayerKind,
  hasBatchContract: boolean,
): string[] {
  const own = rates.filter(
    (rate) => rate.payer === payer && rate.hasBatchContract === hasBatchContract,
  );
  const isPlainOf = (round: number) => (rate: PayerRate) =>
    rate.payer === "plain" && rate.hasBatchContract === hasBatchContract && rate.round === round;
  const ratios = own.flatMap(({ round, perSecond }) => {
    const plain = rates.find(isPlainOf(round));
    return plain ? [perSecond / plain.perSecond] : [];
  });
  const isReached = middleOf(ratios) >= ratioMin ? "reached" : "**not reached**";
  return [
    hasBatchContract ? "yes" : "no",
    payer,
    short(middleOf(own.map(({ perSecond }) => perSecond))),
    payer === "plain" ? "" : withRange(ratios),
    short(middleOf(own.map(({ cpuMicros }) => cpuMicros ?? Number.NaN))),
    payer === "plain" || !hasBatchContract ? "" : isReached,
  ];
}
