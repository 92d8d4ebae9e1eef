/** What publint and "are the types wrong" find in a tarball. */
import { readFileSync } from "node:fs";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import type { Packed } from "./pack.ts";

/**
 * The packages are ES modules for Node.js 20 and newer: `require` of them works there or is an
 * error that says so, and the resolution of Node.js 10 knows no `exports`.
 */
const intended = new Set(["CJSResolvesToESM", "NoResolution"]);

/** Returns a line for each problem, none when the package is in order. */
export async function checkTarball(packed: Packed): Promise<string[]> {
  const bytes = new Uint8Array(readFileSync(packed.path));
  const { messages, pkg } = await publint({ pack: { tarball: bytes.buffer }, level: "warning" });
  const found = messages.map((one) => `${packed.name}: ${formatMessage(one, pkg) ?? one.code}`);
  const { types, ...analysis } = await checkPackage(createPackageFromTarballData(bytes));
  if (types === false || !("problems" in analysis)) return found;
  const wrong = analysis.problems
    .filter(({ kind, ...rest }) => !(intended.has(kind) && isOldResolution(rest)))
    .map((one) => `${packed.name}: ${JSON.stringify(one)}`);
  return [...found, ...wrong];
}

const isOldResolution = (problem: object): boolean =>
  "resolutionKind" in problem &&
  (problem.resolutionKind === "node10" || problem.resolutionKind === "node16-cjs");
