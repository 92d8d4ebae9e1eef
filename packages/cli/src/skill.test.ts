/** SKILL.md is what agents act on: its codes, commands and flags are those of the command. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { payExitCodes } from "./command/exit-codes.ts";
import { farthing } from "./command/farthing-bin.testing.ts";

const skill = readFileSync(new URL("../SKILL.md", import.meta.url), "utf8");

test("has every exit code, once", () => {
  const rows = [...skill.matchAll(/^\| ([\d, ]+?) *\|/gm)];
  const codes = rows.flatMap(([, cell = ""]) => cell.split(",").map(Number));
  expect(codes.toSorted((one, other) => one - other)).toEqual(payExitCodes.map(([code]) => code));
});

test("names commands and flags that there are", { timeout: 60_000 }, async () => {
  const lines = skill.split("\n").filter((line) => line.startsWith("farthing "));
  expect(lines.length).toBeGreaterThan(4);
  for (const line of lines) {
    const words = line
      .replace(/ +#.*$/, "")
      .split(/ +/)
      .slice(1);
    const names = words.slice(
      0,
      words.findIndex((word) => !/^[a-z]+$/.test(word)),
    );
    const flags = words.filter((word) => word.startsWith("-"));
    const { code, stdout } = await farthing([...names, "--help"]);
    expect([line, code]).toEqual([line, 0]);
    for (const flag of flags) expect([line, stdout]).toEqual([line, expect.stringContaining(flag)]);
    expect(stdout).toContain(`farthing ${names.join(" ")}`);
  }
});
