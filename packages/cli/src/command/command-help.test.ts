/** What every command declares: examples that its parser takes, a help of 80 columns, completions. */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Command } from "commander";
import { beforeAll, expect, test } from "vitest";
import type { CommandTable } from "./command-table.ts";
import { commands } from "../commands.ts";
import { declareAll, describe } from "./completion.ts";
import { addExamples, examples } from "./examples.ts";
import { farthing } from "./farthing-bin.testing.ts";
import { operatorCommands } from "./operator-package.ts";

const run = promisify(execFile);
const loadOperator = (name: string) => import(`../../../operator/src/${name}.ts`);
const operator = operatorCommands(loadOperator);
/** What the operator's program has under a name that `farthing` uses for sellers. */
const ofOperator = "farthing-operator ";
const operatorAlone: CommandTable = {
  init: { summary: "", group: "", load: () => loadOperator("init") },
};

let root: Command;
let alone: Command;
beforeAll(async () => {
  root = await declareAll("farthing", { ...commands, ...operator });
  alone = await declareAll("farthing-operator", operatorAlone);
  for (const one of [root, alone]) {
    for (const command of one.commands) addExamples(command, command.name(), one.name());
  }
});

/** Commands that do something, by their path. */
function leaves(command: Command, path: readonly string[] = []): [string, Command][] {
  const below = command.commands.flatMap((one) => leaves(one, [...path, one.name()]));
  const isLeaf = command.commands.length === 0 || path.join(" ") === "ledger limits";
  return [...(isLeaf ? [[path.join(" "), command] as [string, Command]] : []), ...below];
}

test("every command has an example, and there is none of another", () => {
  const own = leaves(alone).map(([path]) => `${ofOperator}${path}`);
  const names = [...leaves(root).map(([path]) => path), ...own, "completion"];
  expect(Object.keys(examples).sort()).toEqual(names.sort());
});

const account = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

test("the parser of the command takes each example, and only that command runs", async () => {
  const lines = Object.entries(examples).flatMap(([path, own]) => own.map((line) => [path, line]));
  for (const [path = "", line = ""] of lines) {
    if (path === "completion") continue;
    const table = path.startsWith(ofOperator) ? operatorAlone : { ...commands, ...operator };
    const all = await declareAll("farthing", table);
    const ran: string[] = [];
    for (const [name, command] of leaves(all)) command.action(() => void ran.push(name));
    const { stdout } = await run("bash", ["-c", `printf '%s\\0' ${line.replace(/ > .*/, "")}`]);
    const args = stdout.split("\0").slice(0, -1);
    await all.exitOverride().parseAsync(
      args.map((arg) => arg.replace("0x…", account)),
      { from: "user" },
    );
    expect([line, ran]).toEqual([line, [path.replace(ofOperator, "")]]);
  }
});

function childOf(at: Command, name: string): Command {
  return at.commands.find((one) => one.name() === name) ?? at;
}

test("no help is wider than 80 columns", () => {
  const helps = [root, alone].flatMap((program) =>
    describe(program).map(({ path }) => {
      const names = path.split("/").slice(1);
      return names.reduce(childOf, program).configureHelp({ helpWidth: 80 });
    }),
  );
  const written: string[] = [];
  for (const command of helps) {
    command.configureOutput({
      writeOut: (text) => void written.push(text),
      getOutHelpWidth: () => 80,
    });
    command.outputHelp();
  }
  const wide = written
    .join("")
    .split("\n")
    .filter((line) => line.length > 80);
  expect(wide).toEqual([]);
});

test("the help of a subcommand begins with a sentence, and names no default of a flag", async () => {
  const { stdout: leaf } = await farthing(["account", "keys", "rotate", "--help"]);
  expect(leaf).toMatch(/\n\nReplace a key by a new one; it is printed once\.\n/);
  // In the list above it, it stays a summary.
  const { stdout: group } = await farthing(["account", "keys", "--help"]);
  expect(group).toMatch(/\n\nLists, creates, rotates and revokes the API keys of the account\.\n/);
  expect(group).toMatch(
    /rotate \[options\] <id> +replace a key by a new one; it is printed once\n/,
  );
  // Every line of a list begins in the same way.
  const { stdout: account } = await farthing(["account", "--help"]);
  const summaries = [...account.matchAll(/^ {2}[a-z-]+(?: \[options\])?(?: <\w+>)? {2,}(\S+)/gm)];
  expect(summaries.length).toBeGreaterThan(9);
  expect(summaries.map(([, word]) => word)).toEqual(
    summaries.map(([, word = ""]) => word.toLowerCase().replace(/s$/, "")),
  );
  const { stdout: run } = await farthing(["gateway", "run", "--help"]);
  expect(run).toContain("--dry-run");
  expect(run).not.toContain("default: false");
});

test("a usage error names the help that has the answer", async () => {
  const { code, stderr } = await farthing(["init"]);
  expect(code).toBe(2);
  expect(stderr).toBe(
    "error: missing required argument 'what'\nFor its arguments and options: farthing init --help\n",
  );
  const below = await farthing(["wallet", "create"]);
  expect(below.stderr).toMatch(/: farthing wallet create --help\n$/);
});

test("completions name every command, option and choice in every shell", async () => {
  const scripts = await Promise.all(
    ["bash", "zsh", "fish"].map(async (shell) => (await farthing(["completion", shell])).stdout),
  );
  for (const { path, options, choices } of describe(root)) {
    for (const script of scripts) {
      expect(script).toContain(path);
      for (const word of [...options.map(({ long }) => long.slice(2)), ...choices]) {
        expect(script).toContain(word);
      }
    }
  }
  expect((await farthing(["completion", "tcsh"])).code).toBe(2);
});
