/** What subjects need: installed or built here, or named as missing. */
import { statSync } from "node:fs";
import { installPackages } from "../install-packages.ts";
import {
  buildRust,
  hasCommand,
  hasPython,
  hasRust,
  installPython,
} from "../languages/toolchains.ts";
import type { ConformSubject } from "./subjects.ts";

/** Where the facilitator of x402-rs is, which takes too long to build to be built here. */
const programVariable = "X402_RS_PATH";

/** Returns what is missing; undefined once all is there. */
export async function prepare(needs: ConformSubject["needs"]): Promise<string | undefined> {
  switch (needs) {
    case "stock":
      installPackages(new URL("../", import.meta.url));
      return undefined;
    case "python":
      if (!hasPython()) return "it needs Python 3.10";
      await installPython("v2");
      return undefined;
    case "rust":
      if (!hasRust()) return "it needs cargo with Rust 1.93 or later";
      await buildRust();
      return undefined;
    case "x402-rs":
      if (!hasCommand("curl", "--version")) return "it needs curl";
      return hasProgram(process.env[programVariable] ?? "")
        ? undefined
        : `it needs ${programVariable}, the path of the program that \`cargo build --release\` makes in tools/bench/x402-rs`;
    default:
      return undefined;
  }
}

const hasProgram = (path: string): boolean =>
  path !== "" && statSync(path, { throwIfNoEntry: false })?.isFile() === true;
