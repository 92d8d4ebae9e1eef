/**
 * `node main.ts <calls>`: plays all pairings one after the other. It prints a line of JSON for each, with
 * amounts as decimal digits, and one at the end for the contract as a whole.
 */
import { playPairings, type PairingResult } from "./play-pairings.ts";

const [calls] = process.argv.slice(2);
if (!/^[1-9]\d*$/.test(calls ?? "")) throw new Error("Give the number of calls of each pairing");

const print = (line: object): void => {
  const text = JSON.stringify(line, (_key, value: unknown) =>
    typeof value === "bigint" ? `${value}` : value,
  );
  process.stdout.write(`${text}\n`);
};

const printResult = ({ pairing, ...figures }: PairingResult): void => {
  print({ ...pairing, ...figures });
};

const { violations } = await playPairings({ calls: Number(calls), onResult: printResult });
print({ violations: violations.map(({ rule, text }) => `${rule}: ${text}`) });
