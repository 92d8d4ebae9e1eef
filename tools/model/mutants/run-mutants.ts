/** Runs the model against each mutant, in a copy of the sources. */
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mutants, type Mutant } from "./mutants.ts";

const root = join(import.meta.dirname, "../../..");

/** What the model imports. */
const copied = [
  "package.json",
  "packages/engine",
  "packages/protocol",
  "tools/model",
  "tools/sim/run-stamp.ts",
];

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

/** Runs all mutants; calls `onResult` as each ends. */
export async function runMutants(
  onResult: (result: MutantResult) => void,
): Promise<MutantResult[]> {
  const waiting = [...mutants];
  const results: MutantResult[] = [];
  const work = async () => {
    const copy = await copySources();
    try {
      // What fails without a change would call every mutant caught, and a machine that is too busy none.
      const broken = await modelIn(copy);
      if (broken !== undefined) throw new Error(`The model without a mutant: ${broken}`);
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const result = { mutant, caughtBy: await runOne(copy, mutant) };
        results.push(result);
        onResult(result);
      }
    } finally {
      await rm(copy, { recursive: true });
    }
  };
  await Promise.all(Array.from({ length: parallel }, work));
  return results;
}

/** A copy whose own packages are linked to it, and all others to where they are installed. */
async function copySources(): Promise<string> {
  const copy = await mkdtemp(join(tmpdir(), "farthing-mutants-"));
  for (const path of copied) await cp(join(root, path), join(copy, path), { recursive: true });
  const modules = join(copy, "node_modules");
  await mkdir(join(modules, "@farthing"), { recursive: true });
  for (const name of await readdir(join(root, "node_modules"))) {
    if (name === "@farthing") continue;
    await symlink(join(root, "node_modules", name), join(modules, name));
  }
  for (const name of ["engine", "protocol"]) {
    await symlink(join(copy, "packages", name), join(modules, "@farthing", name));
  }
  return copy;
}

async function runOne(copy: string, { file, text, instead }: Mutant): Promise<string | undefined> {
  const path = join(copy, file);
  const source = await readFile(path, "utf8");
  await writeFile(
    path,
    source.replace(text, () => instead),
  );
  try {
    return await modelIn(copy);
  } finally {
    await writeFile(path, source);
  }
}

function modelIn(copy: string): Promise<string | undefined> {
  const parameters = [
    "--conditions=@farthing/source",
    "tools/model/main.ts",
    "--thorough",
    "--first",
  ];
  const child = spawn(process.execPath, parameters, { cwd: copy, timeout: maxMs });
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
