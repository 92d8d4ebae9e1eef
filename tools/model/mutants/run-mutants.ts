/** Runs the model against each mutant. */
import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { withMutant } from "./in-place.ts";
import { mutants, type Mutant } from "./mutants.ts";

const main = fileURLToPath(new URL("../main.ts", import.meta.url));

/**
 * The runs take two minutes of an idle machine, and a mutant may make them endless. One that is not over
 * by then was not judged, so it counts as one that survives.
 */
const maxMs = 300_000;

/** Each is a process that computes. */
const parallel = 2;

export interface MutantResult {
  readonly mutant: Mutant;
  /** The promise that the model found broken; undefined for a mutant that survives. */
  readonly caughtBy: string | undefined;
}

/** Runs the mutants with this in their name; calls `onResult` as each ends. */
export async function runMutants(
  named: string,
  onResult: (result: MutantResult) => void,
): Promise<MutantResult[]> {
  const waiting = mutants.filter(({ name }) => name.includes(named));
  const results: MutantResult[] = [];
  // What fails without a change would call every mutant caught, and a machine that is too busy none.
  const broken = await modelWith(undefined);
  if (broken !== undefined) throw new Error(`The model without a mutant: ${broken}`);
  const work = async () => {
    for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
      const result = { mutant, caughtBy: await modelWith(mutant.name) };
      results.push(result);
      onResult(result);
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}

/** The promise that the model finds broken with a mutant in place. */
function modelWith(name: string | undefined): Promise<string | undefined> {
  const { parameters, env } = withMutant(name);
  const all = ["--conditions=@farthing/source", ...parameters, main, "--thorough", "--first"];
  const child = spawn(process.execPath, all, {
    env: { ...process.env, ...env },
    timeout: maxMs,
  });
  let output = "";
  child.stdout.on("data", (data: Buffer) => (output += data.toString()));
  child.stderr.on("data", (data: Buffer) => (output += data.toString()));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code, signal) => {
      const promise = /^Broken: (.*)\.$/m.exec(output)?.[1];
      const isUnbroken = code === 0 || signal !== null;
      resolve(promise ?? (isUnbroken ? undefined : `an error: ${output.trim().slice(0, 200)}`));
    });
  });
}
