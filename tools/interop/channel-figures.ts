/** The figures of the last run of all pairings of channels in which every base unit was in its place. */
import { readFileSync, writeFileSync } from "node:fs";

/** One pairing; amounts are base units. */
export interface ChannelFigure {
  readonly buyer: string;
  readonly seller: string;
  readonly facilitator: string;
  readonly hasVault: boolean;
  readonly calls: number;
  readonly deposited: string;
  readonly charged: string;
  readonly claimed: string;
  readonly refunded: string;
  /** In the channel, at the end. */
  readonly left: string;
  /** That the facilitator sent. */
  readonly transactions: number;
}

const file = new URL("channel-figures.json", import.meta.url);

export function keepChannelFigures(figures: readonly ChannelFigure[]): void {
  writeFileSync(file, `${JSON.stringify(figures, null, 2)}\n`);
}

export function readChannelFigures(): readonly ChannelFigure[] {
  return JSON.parse(readFileSync(file, "utf8"));
}

const columns = ["buyer", "seller", "facilitator", "deposited", "charged", "claimed", "refunded"];

/** The table of the reference page. */
export function channelTable(figures: readonly ChannelFigure[]): string[] {
  const all = [...columns, "left", "transactions"];
  return [
    `| ${all.join(" | ")} |`,
    `| ${all.map(() => "---").join(" | ")} |`,
    ...figures.map(({ facilitator, hasVault, ...figure }) => {
      const by = `${facilitator}${hasVault ? ", with its vault" : ""}`;
      const { buyer, seller, deposited, charged, claimed, refunded, left, transactions } = figure;
      const cells = [buyer, seller, by, deposited, charged, claimed, refunded, left, transactions];
      return `| ${cells.join(" | ")} |`;
    }),
  ];
}
