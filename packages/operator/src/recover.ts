/** `farthing recover --since`: records payments that the database has lost and the chain has. */
import { recoverLost } from "@farthing/facilitator";
import { type Command, InvalidArgumentError } from "commander";
import { addPrintFlags, isJsonWanted, type PrintFlags } from "farthing/program";
import { printSections } from "./print-sections.ts";

interface RecoverFlags extends PrintFlags {
  readonly since: { readonly block: number } | { readonly seconds: bigint };
}

export function register(program: Command): void {
  const command = program
    .command("recover")
    .description(
      "Reads from the chain what the relayer wallets have sent since a block or a time, and records the payments that the database has lost. The service does the same at its start for the last week; this goes further back. It uses the settings of the service, sends nothing, and may run beside it. Name wallets that were retired in FARTHING_FORMER_WALLETS.",
    )
    .requiredOption(
      "--since <block or time>",
      "a block number, or a time such as 2026-11-27T10:00Z",
      parseSince,
    );
  addPrintFlags(command).action(run);
}

/** Digits of a block number that is exact as a JavaScript number. */
const blockDigitsMax = 15;

function parseSince(text: string): RecoverFlags["since"] {
  if (/^\d+$/.test(text)) {
    if (text.length > blockDigitsMax) throw new InvalidArgumentError("No chain has such a block.");
    return { block: Number(text) };
  }
  // Without a zone it would be read in that of this machine.
  const ms = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d)?Z)?$/.test(text) ? Date.parse(text) : Number.NaN;
  if (Number.isNaN(ms)) {
    throw new InvalidArgumentError(
      "Give a block number, or a day or time in UTC such as 2026-11-27 or 2026-11-27T10:00Z.",
    );
  }
  return { seconds: BigInt(Math.floor(ms / 1_000)) };
}

async function run(flags: RecoverFlags): Promise<void> {
  await printSections(recoverLost({ since: flags.since }), {
    isJson: isJsonWanted(flags),
    waitsFor: { first: "Reading the chain", rest: "Reading the next chain" },
  });
}
