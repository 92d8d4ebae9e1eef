/** One rule for what all commands print: text for people, JSON for programs, and both on demand. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { expect, test } from "vitest";
import type { CommandModule } from "./command/command-table.ts";

/** Their output is the thing itself, the same on a terminal and in a pipe, unless `--json` is said. */
const ownOutput = ["batcher deploy", "devnet", "doctor", "keys create", "ledger resume", "pay"];

interface Flagged {
  readonly name: string;
  readonly flags: readonly string[];
}

function flagsOf(command: Command, path: readonly string[] = []): Flagged[] {
  const own = command.options.flatMap(({ long }) =>
    long === "--json" || long === "--no-json" ? [long] : [],
  );
  const below = command.commands.flatMap((one) => flagsOf(one, [...path, one.name()]));
  return own.length === 0 ? below : [{ name: path.join(" "), flags: own }, ...below];
}

test("every command that shows something takes --json and --no-json", async () => {
  // A program for each package: `farthing` and `farthing-operator` each have an `init`.
  const commands: Flagged[] = [];
  for (const folder of [import.meta.dirname, join(import.meta.dirname, "../../operator/src")]) {
    const program = new Command();
    const names = readdirSync(folder, { recursive: true, encoding: "utf8" });
    for (const name of names.filter((one) => one.endsWith(".ts"))) {
      const path = join(folder, name);
      if (!/^export function register\(program/m.test(readFileSync(path, "utf8"))) continue;
      const { register }: CommandModule = await import(path);
      register(program);
    }
    commands.push(...flagsOf(program));
  }
  const asAsked = commands.filter(({ flags }) => !flags.includes("--no-json"));
  expect(asAsked.map(({ name }) => name).sort()).toEqual(ownOutput);
  const both = commands.filter(({ name }) => !ownOutput.includes(name));
  expect(both.length).toBeGreaterThan(15);
  expect(both).toEqual(both.map(({ name }) => ({ name, flags: ["--json", "--no-json"] })));
});
