/**
 * Secrets from where no other process sees them: a prompt without echo, standard input, the
 * environment, a file. Never from an argument.
 */
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline/promises";
import { Writable } from "node:stream";
import { buyerVariables } from "@farthing/protocol";
import { ConfigurationError } from "./command-errors.ts";

/** Where a password may come from, in this order. */
export interface PasswordSource {
  readonly environment: NodeJS.ProcessEnv;
  /** --password-stdin: the first line of standard input. */
  readonly isOnStdin: boolean;
}

/** The person pressed Ctrl+C at a prompt; exit code 7. */
export class CanceledError extends Error {
  override readonly name = "CanceledError";
}

/**
 * Reads a password. With `isNew` the prompt asks twice. Rejects with a ConfigurationError when
 * no one can be asked, or the two differ.
 */
export async function readPassword(source: PasswordSource, isNew: boolean): Promise<string> {
  const { environment } = source;
  if (source.isOnStdin) return demandText(readLines()[0]);
  const given = environment[buyerVariables.walletPassword];
  if (given !== undefined && given !== "") return given;
  const path = environment[buyerVariables.walletPasswordFile];
  if (path !== undefined && path !== "") return demandText(readPasswordFile(path));
  if (!isTerminal()) {
    throw new ConfigurationError(
      "The wallet's password is needed: set FARTHING_WALLET_PASSWORD or FARTHING_WALLET_PASSWORD_FILE, or use --password-stdin.",
    );
  }
  const password = demandText(await askSecret("Password: "));
  if (isNew && (await askSecret("Once more: ")) !== password) {
    throw new ConfigurationError("The two passwords differ; nothing was written.");
  }
  return password;
}

/** Whether a person can be asked on this terminal. */
export function isTerminal(): boolean {
  return process.stdin.isTTY && process.stderr.isTTY;
}

let lines: readonly string[] | undefined;

/** The lines of standard input, read once: a password and a key may both be on it. */
export function readLines(): readonly string[] {
  lines ??= readFileSync(0, "utf8").split(/\r?\n/);
  return lines;
}

function readPasswordFile(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8").split(/\r?\n/)[0];
  } catch (cause) {
    const message = `FARTHING_WALLET_PASSWORD_FILE names a file that cannot be read: ${path}`;
    throw new ConfigurationError(message, { cause });
  }
}

function demandText(text: string | undefined): string {
  if (text !== undefined && text !== "") return text;
  throw new ConfigurationError("The password is empty.");
}

/** Asks on the terminal; what is typed is not shown. */
export async function askSecret(question: string): Promise<string> {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  return ask(question, silent);
}

/** Asks on the terminal; only `y` and `yes` mean yes. */
export async function askYesNo(question: string): Promise<boolean> {
  const answer = await ask(`${question} [y/N] `, process.stderr);
  return /^y(es)?$/i.test(answer.trim());
}

async function ask(question: string, echo: Writable): Promise<string> {
  process.stderr.write(question);
  const prompt = createInterface({ input: process.stdin, output: echo, terminal: true });
  try {
    return await new Promise<string>((resolve, reject) => {
      prompt.once("SIGINT", () => reject(new CanceledError("Canceled.")));
      prompt.once("close", () => reject(new CanceledError("Canceled.")));
      prompt.question("").then(resolve, reject);
    });
  } finally {
    prompt.close();
    if (echo !== process.stderr) process.stderr.write("\n");
  }
}
