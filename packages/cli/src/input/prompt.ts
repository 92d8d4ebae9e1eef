/** Secrets and confirmations. A secret is never an argument, which every other process could see. */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buyerVariables } from "@farthing/protocol";
import { readNamedFile, readVariable } from "./buyer-settings.ts";
import { CanceledError, ConfigurationError } from "../command/command-errors.ts";

/** With --password-stdin the password is the first line of standard input. */
export interface PasswordFlags {
  readonly passwordStdin?: boolean;
}

/** Reads a password; the prompt asks for a new one twice. Rejects with a ConfigurationError. */
export async function readPassword(flags: PasswordFlags, isNew: boolean): Promise<string> {
  if (flags.passwordStdin === true) return demandText(readLines()[0]);
  const password = readVariable(buyerVariables.walletPassword);
  if (password !== undefined) return password;
  const path = readVariable(buyerVariables.walletPasswordFile);
  if (path !== undefined) {
    const name = `${buyerVariables.walletPasswordFile}, for the password`;
    return demandText(readNamedFile(path, name).split(/\r?\n/)[0]);
  }
  if (!isTerminal()) {
    throw new ConfigurationError(
      "The wallet's password is required: set FARTHING_WALLET_PASSWORD or FARTHING_WALLET_PASSWORD_FILE, or use --password-stdin.",
    );
  }
  const typed = demandText(await askSecret("Password: "));
  if (isNew && (await askSecret("Repeat the password: ")) !== typed) {
    throw new ConfigurationError("The passwords do not match. Nothing was written; try again.");
  }
  return typed;
}

/** Whether a person can be asked on this terminal. */
export function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

let lines: readonly string[] | undefined;

/** The lines of standard input, read once: it may hold both a password and a key. */
export function readLines(): readonly string[] {
  lines ??= readFileSync(0, "utf8").split(/\r?\n/);
  return lines;
}

function demandText(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new ConfigurationError("The password is empty.");
}

/** Asks on the terminal without an echo. */
export async function askSecret(question: string): Promise<string> {
  return ask(question, new Writable({ write: (_chunk, _encoding, done) => done() }));
}

/** Asks on the terminal; no text stands for the fallback. */
export async function askText(question: string, fallback = ""): Promise<string> {
  const hint = fallback === "" ? "" : ` [${fallback}]`;
  return (await ask(`${question}${hint}: `, process.stderr)).trim() || fallback;
}

/** Asks on the terminal; only `y` and `yes` confirm. */
export async function askYesNo(question: string): Promise<boolean> {
  const reply = await ask(`${question} [y/N] `, process.stderr);
  return /^y(es)?$/i.test(reply.trim());
}

/**
 * Asks before money moves or something is installed, unless `--yes` has agreed. Rejects with a ConfigurationError without a
 * terminal, and with a CanceledError after any other reply; `untouched` says what has not happened.
 */
export async function demandYes(
  question: string,
  isAgreed: boolean | undefined,
  untouched: string,
): Promise<void> {
  if (isAgreed === true) return;
  if (!isTerminal()) {
    throw new ConfigurationError(
      `${question} There is no terminal to ask on; run the command with --yes to agree.`,
    );
  }
  if (!(await askYesNo(question))) throw new CanceledError(`Canceled. ${untouched}`);
}

async function ask(question: string, echo: Writable): Promise<string> {
  const isHidden = echo !== process.stderr;
  if (isHidden) process.stderr.write(question);
  const prompt = createInterface({ input: process.stdin, output: echo, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      const cancel = () => reject(new CanceledError("Canceled."));
      prompt.once("SIGINT", cancel);
      prompt.once("close", cancel);
      // It clears the line before it writes the question, so only its own question stays visible.
      prompt.question(isHidden ? "" : question).then(resolve, reject);
    });
  } finally {
    prompt.close();
    if (isHidden) process.stderr.write("\n");
  }
}
