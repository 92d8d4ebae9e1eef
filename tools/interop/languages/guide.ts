/** Runs the guide of a language word by word, by the test that runs the other guides. */
import { execFile, execFileSync } from "node:child_process";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { Purchase } from "../buyers.ts";
import type { Guide } from "./language.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** A guide takes two minutes, most of them for packages, and longer on a busy machine. */
const guideMs = 10 * 60_000;

/** Follows a guide in an empty folder; the packages of earlier runs come from their caches. */
export async function followGuide({ path, toolchain }: Guide): Promise<Purchase> {
  const started = performance.now();
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const args = [vitest, "run", "tools/docs/guides.test.ts", "-t", path];
  const env = { ...process.env, ...caches(toolchain), FARTHING_DOCS_TOOLCHAIN: toolchain };
  const name = path;
  try {
    await promisify(execFile)(process.execPath, args, { cwd: root, env, timeout: guideMs });
    const seconds = Math.round((performance.now() - started) / 1000);
    return { name, isOk: true, line: `ok   ${path}: every block, in ${seconds} s` };
  } catch (error) {
    const printed = error instanceof Error && "stdout" in error ? String(error.stdout) : "";
    return { name, isOk: false, line: `FAIL ${path}: ${String(error)}\n${printed}` };
  }
}

const goEnv = (name: string) => execFileSync("go", ["env", name], { encoding: "utf8" }).trim();

/** The reader of a guide has a home folder of their own, which would download everything again. */
function caches(toolchain: Guide["toolchain"]): Readonly<Record<string, string>> {
  if (toolchain === "python") return { PIP_CACHE_DIR: join(homedir(), ".cache/pip") };
  return { GOMODCACHE: goEnv("GOMODCACHE"), GOCACHE: goEnv("GOCACHE") };
}
