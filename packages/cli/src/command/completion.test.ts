/** Completions as the shells themselves compute them. zsh and fish are asked where they are installed. */
import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, test, type TestContext } from "vitest";
import { farthing } from "./farthing-bin.testing.ts";

const run = promisify(execFile);

/** Skips a test where its shell is not installed, and says so. */
function requireShell(shell: "zsh" | "fish", { skip }: TestContext): void {
  if (spawnSync(shell, ["--version"]).status === 0) return;
  console.log(`LEFT OUT: completions in ${shell}. To run them: apt-get install ${shell}`);
  skip(`${shell} is not installed`);
}

/** Writes the program's script for a shell; returns a folder that serves as home, and the file. */
async function writeScript(shell: string) {
  const home = mkdtempSync(join(tmpdir(), "farthing-completion-"));
  const script = join(home, `script.${shell}`);
  writeFileSync(script, (await farthing(["completion", shell])).stdout);
  return { home, script };
}

test("bash completes commands, options, values and files", async () => {
  const { stdout: script } = await farthing(["completion", "bash"]);
  const complete = async (...words: string[]) => {
    const ask = `COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _farthing; echo "\${COMPREPLY[@]}"`;
    const argv = ["--norc", "-c", `${script}\n${ask}`, "bash", "farthing", ...words];
    return (await run("bash", argv)).stdout.trim();
  };
  expect(await complete("led")).toBe("ledger");
  expect(await complete("ledger", "re")).toBe("resume reconcile");
  expect(await complete("ledger", "limits", "set", "--per-d")).toBe("--per-day");
  expect(await complete("pay", "--prefer", "")).toBe("v2 v1");
  expect(await complete("pay", "--max-amount", "")).toBe("");
  expect(await complete("gateway", "-c", "/etc/hos")).toMatch(/\/etc\/hosts?/);
  expect(await complete("keys", "create", "--acc")).toBe("--account");
});

test("fish completes commands, options, values and files", async (context) => {
  requireShell("fish", context);
  const { home, script } = await writeScript("fish");
  const env = { PATH: process.env["PATH"], HOME: home, XDG_CONFIG_HOME: home };
  const complete = async (line: string) => {
    const argv = ["--no-config", "-c", "source $argv[1]; complete -C $argv[2]", script, line];
    const { stdout, stderr } = await run("fish", argv, { env });
    expect(stderr).toBe("");
    return stdout
      .trim()
      .split("\n")
      .map((one) => one.split("\t")[0]);
  };
  expect(await complete("farthing pa")).toEqual(["passes", "pay"]);
  expect(await complete("farthing ledger re")).toEqual(["reconcile", "resume"]);
  expect(await complete("farthing ledger limits set --per-d")).toEqual(["--per-day"]);
  expect(await complete("farthing pay --prefer ")).toEqual(["v1", "v2"]);
  expect(await complete("farthing pay --max-amount ")).toEqual([""]);
  expect(await complete("farthing gateway -c /etc/hos")).toContain("/etc/hosts");
  expect(await complete("farthing keys create --acc")).toEqual(["--account"]);
});

/**
 * Types a line and Tab into a zsh on a terminal, with the script as its first argument; prints what
 * zsh showed up to the output of the command that is typed after it. The prompt is spelled in another
 * way where it is set, as the terminal shows that line too; the shell reads keys once it is shown.
 */
const typeIntoZsh = String.raw`
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "setopt no_prompt_cr no_prompt_sp; COLUMNS=200 LINES=100
bindkey '^I' list-choices; source $1; PROMPT=\$'REA\\x44Y'"
zpty -r -m shell shown '*READY*'
zpty -w -n shell "$2"$'\t\x15print EN\'\'D\n'
zpty -r -m shell shown '*END*'
print -r -- "$shown"
zpty -d shell
`;

test("zsh completes commands, options, values and files", async (context) => {
  requireShell("zsh", context);
  const { home, script } = await writeScript("zsh");
  const env = { PATH: process.env["PATH"], HOME: home, ZDOTDIR: home, TERM: "xterm" };
  const complete = async (line: string) => {
    const { stdout } = await run("zsh", ["-f", "-c", typeIntoZsh, "zsh", script, line], { env });
    return stdout;
  };
  const commands = await complete("farthing pa");
  expect(commands).toMatch(/passes +-- list the passes/);
  expect(commands).toMatch(/pay +-- request a URL/);
  expect(commands).not.toContain("ledger");
  expect(await complete("farthing ledger re")).toMatch(/reconcile[^]*resume/);
  expect(await complete("farthing ledger limits set --per-")).toMatch(/--per-day +-- /);
  expect(await complete("farthing pay --prefer ")).toMatch(/v1 +v2/);
  expect(await complete("farthing gateway -c /etc/host")).toContain("hostname");
});
