/** `--replay`: finds a counter-example, or reads one, and plays it on the real service. */
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { promisify } from "node:util";
import { createDatabases } from "../sim/databases.ts";
import { replay, wordsOf } from "../sim/replay/replay.ts";
import { readStory, type Story } from "../sim/replay/story.ts";
import { mutantNamed, withMutant } from "./mutants/in-place.ts";

const main = new URL("main.ts", import.meta.url);

/** A story is a megabyte at most. */
const maxBuffer = 1 << 20;

/**
 * Explores the runs with this in their name until a promise is broken, in a process of its own, in which a
 * mutant may be in place. Undefined where all of them hold.
 */
export async function findStory(run: string, mutant?: string): Promise<Story | undefined> {
  const { parameters, env } = withMutant(mutant);
  const all = ["--conditions=@farthing/source", ...parameters, main.pathname];
  const args = [...all, "--thorough", "--first", "--json", "--run", run];
  const options = { env: { ...process.env, ...env }, maxBuffer };
  // A broken promise is an exit status of 1.
  const { stdout } = await promisify(execFile)(process.execPath, args, options).catch(
    (error: unknown) => {
      if (hasOutput(error)) return error;
      throw error;
    },
  );
  const line = stdout.split("\n").find((one) => one.startsWith("{"));
  return line === undefined ? undefined : readStory(line);
}

function hasOutput(error: unknown): error is { readonly stdout: string } {
  const output = error instanceof Error && "stdout" in error ? error.stdout : undefined;
  return typeof output === "string" && output.includes("{");
}

/** Returns whether the service broke a promise without a mutant, or kept all of them with one. */
export async function replayCommand(named: string, mutant: string | undefined): Promise<boolean> {
  if (mutant !== undefined) mutantNamed(mutant);
  const story = existsSync(named)
    ? readStory(readFileSync(named, "utf8"))
    : await findStory(named, mutant);
  if (!story) {
    console.log(`No run with "${named}" in its name breaks a promise: there is nothing to replay.`);
    return mutant !== undefined;
  }
  const databases = createDatabases();
  try {
    const isBroken = async (inPlace: string | undefined) => {
      const found = await replay(story, databases, inPlace);
      console.log(wordsOf(found));
      return found.report.violations.length > 0;
    };
    if (mutant === undefined) return await isBroken(undefined);
    console.log(`With the mutant "${mutant}":`);
    const isCaught = await isBroken(mutant);
    console.log("Without it:");
    return (await isBroken(undefined)) || !isCaught;
  } finally {
    await databases.stop();
  }
}
