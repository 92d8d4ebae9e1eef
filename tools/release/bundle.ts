/**
 * Bundles the `farthing` command into one package without dependencies. What it imports is 75 MB
 * as npm would install it, and 6 MB as far as the command runs it.
 */
import { existsSync, globSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, sep } from "node:path";
import { build, type BuildOptions } from "esbuild";

/** CommonJS inside an ES module finds none of these. Names that no bundled module declares. */
const banner = `import { createRequire as farthingRequire } from "node:module";
import { dirname as farthingFolder } from "node:path";
import { fileURLToPath as farthingPath } from "node:url";
const require = farthingRequire(import.meta.url);
const __filename = farthingPath(import.meta.url), __dirname = farthingFolder(__filename);`;

/** What is left out: loaded by name where it is installed, and never part of the command. */
const external = ["farthing-operator", "@foundry-rs/anvil", "@foundry-rs/anvil/*"];

/** How the command is bundled, from any form of its modules. */
export function commandBundle(entryPoints: string[], outdir: string): BuildOptions {
  return {
    entryPoints,
    outdir,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node20",
    format: "esm",
    banner: { js: banner },
    external,
    logLevel: "error",
  };
}

/** Replaces the built files of `from` by their bundle in `to`, with the licences of its parts. */
export async function bundleCommand(from: string, to: string): Promise<void> {
  rmSync(join(to, "dist"), { recursive: true });
  const entries = ["main", "program"].map((name) => join(from, "dist", `${name}.js`));
  const bundled = await build({
    ...commandBundle(entries, join(to, "dist")),
    metafile: true,
    absWorkingDir: from,
  });
  const inputs = Object.keys(bundled.metafile.inputs).map((path) => join(from, path));
  writeFileSync(join(to, "THIRD-PARTY-LICENSES"), licencesOf(inputs));
}

/** The licence texts of the packages of other makers that the files are part of. */
function licencesOf(files: readonly string[]): string {
  const folders = new Set(
    files.flatMap(
      (file) => /^.*\/node_modules\/(@[^/]+\/)?[^/]+(?=\/)/.exec(toSlashes(file)) ?? [],
    ),
  );
  const texts = [...folders]
    .filter((folder) => folder !== undefined && existsSync(join(folder, "package.json")))
    .sort()
    .map((folder) => {
      const { name, version, license } = JSON.parse(
        readFileSync(join(folder, "package.json"), "utf8"),
      );
      const [file] = globSync("{LICENSE,LICENCE,license,licence}*", { cwd: folder });
      const text = file === undefined ? "" : readFileSync(join(folder, file), "utf8").trim();
      return `${name} ${version} (${license})\n\n${text}\n`;
    });
  return texts.join(`\n${"-".repeat(80)}\n\n`);
}

const toSlashes = (path: string): string => path.replaceAll(sep, "/");
