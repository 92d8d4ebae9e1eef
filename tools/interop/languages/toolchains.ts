/** Programs in other languages: which toolchains this machine has, and what their locks install. */
import { execFile, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

const run = promisify(execFile);

const folder = fileURLToPath(new URL("./", import.meta.url));

/** What the locks installed; it is not committed. */
const installed = join(folder, ".installed");

/** The packages of a Python lock take half a minute, a build in Rust a few. */
export const installMs = 15 * 60_000;

/** The crates state `rust-version = "1.93.0"`. */
const rustMinorMin = 93;

/** go-ethereum and Gin state `go 1.25.0`. */
const goMinorMin = 25;

/** Returns whether a command runs on this machine. */
export function hasCommand(command: string, ...args: readonly string[]): boolean {
  return spawnSync(command, args, { stdio: "ignore" }).status === 0;
}

/** Returns whether Python has all that the SDK and a virtual environment need. */
export const hasPython = (): boolean =>
  hasCommand("python3", "-c", "import sys, venv, ensurepip; sys.exit(sys.version_info < (3, 10))");

/** Returns whether cargo is there, with a compiler that the crates accept. */
export function hasRust(): boolean {
  const { status, stdout } = spawnSync("rustc", ["--version"], { encoding: "utf8" });
  const minor = /^rustc 1\.(\d+)/.exec(stdout ?? "")?.[1];
  return status === 0 && Number(minor) >= rustMinorMin && hasCommand("cargo", "--version");
}

/** Returns whether Go is there, in a version that has what the guide uses. */
export function hasGo(): boolean {
  const { status, stdout } = spawnSync("go", ["version"], { encoding: "utf8" });
  const minor = /^go version go1\.(\d+)/.exec(stdout ?? "")?.[1];
  return status === 0 && Number(minor) >= goMinorMin;
}

/** Installs the lock of a folder below `python`; returns the interpreter that sees its packages. */
export async function installPython(name: string): Promise<string> {
  const target = join(installed, `python-${name}`);
  const python = join(target, "bin/python");
  const lock = join(folder, "python", name, "requirements.txt");
  await install(target, [lock], async () => {
    await run("python3", ["-m", "venv", target], { timeout: installMs });
    // The lock names every package. A pip that resolved them again would take the newest version
    // for an extra such as pydantic[email], and refuse it as unpinned.
    const args = ["-m", "pip", "install", "--quiet", "--no-deps", "--require-hashes", "-r", lock];
    await run(python, args, { timeout: installMs });
  });
  return python;
}

/** Builds the programs of `rust`; returns the folder with their files. */
export async function buildRust(): Promise<string> {
  const source = join(folder, "rust");
  // Cargo knows by itself what has changed.
  const target = join(installed, "rust");
  const args = ["build", "--quiet", "--locked", "--target-dir", target];
  await run("cargo", args, { cwd: source, timeout: installMs });
  return join(target, "debug");
}

/** Builds the programs of `go` with files from elsewhere; returns the folder with the programs. */
export async function buildGo(files: ReadonlyMap<string, string>): Promise<string> {
  const target = join(installed, "go");
  rmSync(target, { recursive: true, force: true });
  cpSync(join(folder, "go"), target, { recursive: true });
  for (const [name, text] of files) writeFileSync(join(target, name), text);
  const args = ["build", "-mod=readonly", "-o", "bin/", "./..."];
  await run("go", args, { cwd: target, timeout: installMs });
  return join(target, "bin");
}

/** Runs an installation into an empty folder, unless it was made from the same locks before. */
async function install(target: string, locks: readonly string[], make: () => Promise<unknown>) {
  const hash = createHash("sha256");
  for (const lock of locks) hash.update(readFileSync(lock));
  const wanted = hash.digest("hex");
  const mark = join(target, ".made-from");
  const isMade = statSync(mark, { throwIfNoEntry: false }) !== undefined;
  if (isMade && readFileSync(mark, "utf8") === wanted) return;
  rmSync(target, { recursive: true, force: true });
  mkdirSync(target, { recursive: true });
  await make();
  // Written last, so that an interrupted installation is made again.
  writeFileSync(mark, wanted);
}
