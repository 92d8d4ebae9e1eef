/**
 * Builds and packs the packages apart from the checkout: a check or a test neither needs what was
 * built before nor leaves anything that others would find.
 */
import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { packAll, type Packed } from "./pack.ts";
import { readPackages } from "./packages.ts";

const run = promisify(execFile);

/** Links to a folder, and makes the folders above the link. */
export function link(target: string, path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  symlinkSync(target, path);
}

/** What stands in a package's folder and is no source. */
const made = /^(node_modules|dist|.*\.tsbuildinfo)$/;
const copied = { recursive: true, filter: (path: string) => !made.test(basename(path)) };

/** Builds the packages of the checkout `root` in a copy of their sources, and packs them; all in `work`. */
export async function packSources(root: string, work: string): Promise<Packed[]> {
  const copy = join(work, "copy");
  for (const name of ["LICENSE", "tsconfig.base.json"]) cpSync(join(root, name), join(copy, name));
  cpSync(join(root, "examples"), join(copy, "examples"), copied);
  cpSync(join(root, "deploy"), join(copy, "deploy"), copied);
  for (const { name, folder } of readPackages(root)) {
    const to = join(copy, folder);
    cpSync(join(root, folder), to, copied);
    link(to, join(copy, "node_modules", name));
  }
  for (const name of readdirSync(join(root, "node_modules"))) {
    if (/^(@?farthing|\.)/.test(name)) continue;
    link(join(root, "node_modules", name), join(copy, "node_modules", name));
  }
  const compiler = join(root, "node_modules/typescript/bin/tsc");
  // The check of types has looked at these sources; to do so again takes two thirds of the time.
  const build = [compiler, "-b", "--noCheck", "packages/operator/tsconfig.build.json"];
  await run(process.execPath, build, { cwd: copy }).catch((error: { readonly stdout: string }) => {
    throw new Error(error.stdout, { cause: error });
  });
  await run("npm", ["run", "build"], { cwd: join(copy, "packages/facilitator") });
  // The dashboard's page is built by another tool and has tests of its own; its tarball needs one.
  mkdirSync(join(copy, "packages/dashboard/dist"));
  writeFileSync(join(copy, "packages/dashboard/dist/index.html"), "<!doctype html>");
  return packAll(copy, readPackages(copy), work);
}
