/** The command that people copy from the market: what a seller wrote stays one word in every shell. */
import { execFileSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { buyCommand } from "./market-command.ts";
import { sampleUrlOf } from "./model.ts";

const texts = [
  "'; calc; '",
  "';calc;'",
  '"&calc&"',
  'a"|calc>b<c^d&',
  "$(calc)`calc`$HOME",
  "%COMSPEC% !! %0a",
  "\u201d;calc;\u201c",
  "\u2019;calc;\u2018",
];

/** What a seller lists, with a text in every place that the command shows. */
function listed(text: string) {
  const resource = new URL(`https://api.example/${text}`).href;
  const sample = { query: { a: text, calc: "x", [text]: "y" }, body: { text, [text]: text } };
  return { resource, method: "POST", chainId: 51, amount: 10_000n, sample } as const;
}

/** A URL in which these signs stand as they are; escaped, they are the same. */
const unescaped = (url: string) =>
  url.replaceAll(/%2[147]/g, (escape) => decodeURIComponent(escape));

/** The words that a POSIX shell makes of a command. */
function wordsOf(command: string): string[] {
  const print = 'for word in "$@"; do printf "%s\\0" "$word"; done';
  const script = `set -- ${command}\n${print}`;
  return execFileSync("/bin/sh", ["-c", script], { encoding: "utf8" }).split("\0").slice(0, -1);
}

/** What cmd.exe reads outside of quotes: each double quote begins or ends them, and no other does. */
const bareToCmd = (command: string) =>
  command
    .split('"')
    .filter((_, nth) => nth % 2 === 0)
    .join(" ");

/** What PowerShell reads outside of quotes, to which the typographic ones belong. */
const bareToPowerShell = (command: string) =>
  command.replaceAll(
    /['\u2018-\u201b][^'\u2018-\u201b]*['\u2018-\u201b]|["\u201c-\u201e][^"\u201c-\u201e]*["\u201c-\u201e]/g,
    " ",
  );

describe.each(texts)("a listing with %j", (text) => {
  const command = buyCommand(listed(text));

  test("is one request to a POSIX shell", () => {
    const words = wordsOf(command);
    const body = words.at(words.indexOf("-d") + 1) ?? "";
    expect(JSON.parse(body)).toEqual(listed(text).sample.body);
    expect(unescaped(words.at(-1) ?? "")).toBe(unescaped(sampleUrlOf(listed(text))));
    expect(words.slice(0, 5)).toEqual([
      "npx",
      "farthing",
      "pay",
      "-H",
      "Content-Type: application/json",
    ]);
    expect(words).toHaveLength(12);
  });

  test("is one command to cmd.exe and to PowerShell", () => {
    expect(bareToCmd(command)).not.toMatch(/[&|<>^]/);
    expect(bareToPowerShell(command)).not.toMatch(/[;&|<>`$(){}@"']/);
  });
});
