/**
 * Puts a mutant in place of the rule that it changes, while modules are loaded:
 *
 *     MODEL_MUTANT="a cancellation counts before it is final" node --import …/in-place.ts …
 *
 * No file is changed, so that processes with a mutant run beside others without one.
 */
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { mutants, type Mutant } from "./mutants.ts";

/** Names the variable that names the mutant. */
export const mutantVariable = "MODEL_MUTANT";

/** What a process needs so that a mutant is in place there; nothing without one. */
export function withMutant(name: string | undefined) {
  if (name === undefined) return { parameters: [], env: {} };
  return { parameters: ["--import", import.meta.url], env: { [mutantVariable]: name } };
}

/** Finds a mutant by its name; throws where there is none. */
export function mutantNamed(name: string): Mutant {
  const found = mutants.find((mutant) => mutant.name === name);
  if (!found) throw new Error(`There is no mutant "${name}"; --mutants names them`);
  return found;
}

function putInPlace({ file, text, instead }: Mutant): void {
  const { href } = pathToFileURL(join(import.meta.dirname, "../../..", file));
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      if (url !== href) return loaded;
      const source = typeof loaded.source === "string" ? loaded.source : textOf(loaded.source);
      if (!source.includes(text)) throw new Error(`The mutant does not fit ${file}`);
      return { ...loaded, source: source.replace(text, () => instead) };
    },
  });
}

function textOf(source: ArrayBuffer | NodeJS.TypedArray | undefined): string {
  return source === undefined ? "" : new TextDecoder().decode(source);
}

const named = process.env[mutantVariable];
if (named !== undefined) putInPlace(mutantNamed(named));
