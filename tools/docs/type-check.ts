/** Checks the TypeScript of all pages in one run of the compiler. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** A file with an error: if the compiler does not report it, the check did not run. */
const wrong = { path: "wrong.ts", text: 'export const wrong: number = "text";\n' };

/** Returns the compiler's errors for the files, which are named by their paths. */
export async function typeCheck(files: ReadonlyMap<string, string>): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-snippets-"));
  try {
    symlinkSync(join(root, "node_modules"), join(folder, "node_modules"));
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module" }));
    const compilerOptions = {
      noEmit: true,
      allowImportingTsExtensions: true,
      checkJs: true,
      // A convention of this repository that its readers need not follow.
      noPropertyAccessFromIndexSignature: false,
    };
    writeFileSync(
      join(folder, "tsconfig.json"),
      // Each snippet is a separate program: its names are not visible in another.
      JSON.stringify({
        extends: join(root, "tsconfig.base.json"),
        compilerOptions: { ...compilerOptions, moduleDetection: "force" },
        files: [...files.keys(), wrong.path],
      }),
    );
    for (const [path, text] of [...files, [wrong.path, wrong.text] as const]) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    const printed = await run(join(root, "node_modules/.bin/tsc"), ["-p", folder], folder);
    if (!printed.includes(`${wrong.path}(`)) throw new Error(`the compiler failed: ${printed}`);
    // Other checks report errors in the packages themselves.
    return printed.split("\n").filter((line) => [...files.keys()].some((f) => line.startsWith(f)));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** What a program prints, however it ends. */
function run(file: string, args: string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    execFile(process.execPath, [file, ...args], { cwd }, (_, stdout) => resolve(stdout));
  });
}
