/** `farthing doctor`: looks at a facilitator's configuration and everything that it names. */
import { styleText } from "node:util";
import type { CheckLine, CheckSection, CheckStatus } from "@farthing/facilitator";
import type { Command } from "commander";
import { exitCodes } from "./exit-codes.ts";

/** Adds the subcommand. */
export function register(program: Command): void {
  program
    .command("doctor")
    .summary("check a configuration against its nodes, and say what to fix")
    .description(
      "Reads the facilitator's configuration as `farthing serve` does, looks at everything it names (database, every RPC endpoint on its own, token, wallets, clock), and says what to fix. It sends no transaction and changes nothing, also while the facilitator runs. Exit code 0: nothing must be fixed; 3: something must.",
    )
    .option("--json", "print one JSON object", false)
    .action(async ({ json }: { json: boolean }) => {
      const { examine } = await import("@farthing/facilitator");
      const sections: CheckSection[] = [];
      for await (const section of examine()) {
        sections.push(section);
        if (!json) process.stdout.write(textOf(section));
      }
      const counts = count(sections);
      if (json) process.stdout.write(`${jsonOf(sections, counts)}\n`);
      else process.stdout.write(`\n${verdictOf(counts)}\n`);
      process.exitCode = counts.fail > 0 ? exitCodes.configuration : exitCodes.success;
    });
}

type Counts = Readonly<Record<CheckStatus, number>>;

function count(sections: readonly CheckSection[]): Counts {
  const lines = sections.flatMap((section) => section.lines);
  const of = (status: CheckStatus) => lines.filter((line) => line.status === status).length;
  return { ok: of("ok"), warn: of("warn"), fail: of("fail") };
}

function jsonOf(sections: readonly CheckSection[], counts: Counts): string {
  return JSON.stringify({ ok: counts.fail === 0, counts, sections }, undefined, 2);
}

/** A title, its lines in columns, and below a line what to do about it. */
function textOf({ title, lines }: CheckSection): string {
  const width = Math.max(0, ...lines.map(({ name }) => name.length));
  return [`\n${styled("bold", title)}`, ...lines.map((line) => rowOf(line, width)), ""].join("\n");
}

const words: Readonly<Record<CheckStatus, string>> = { ok: "ok  ", warn: "warn", fail: "FAIL" };
const colors = { ok: "green", warn: "yellow", fail: "red" } as const;

function rowOf({ name, status, text, fix }: CheckLine, width: number): string {
  const row = `  ${styled(colors[status], words[status])}  ${name.padEnd(width)}  ${text}`;
  return fix === "" ? row : `${row}\n${" ".repeat(width + 10)}→ ${fix}`;
}

function verdictOf({ warn, fail }: Counts): string {
  const warnings = warn === 1 ? "1 warning" : `${warn} warnings`;
  if (fail > 0) {
    const things = fail === 1 ? "1 thing" : `${fail} things`;
    return `${styled("red", `${things} must be fixed`)}, ${warnings}.`;
  }
  return `${styled("green", "Nothing must be fixed")}, ${warnings}.`;
}

/** In colour on a terminal that wants it (NO_COLOR), plain elsewhere. */
function styled(format: Parameters<typeof styleText>[0], text: string): string {
  return styleText(format, text, { stream: process.stdout });
}
