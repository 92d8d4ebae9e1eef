/** Reads what each source of the project imports, by path or by the name of one of its packages. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { isObject, resolveFrom } from "../tidy/source.ts";
import type { Imports } from "./nearest.ts";

const root = join(import.meta.dirname, "../..");

/** The condition under which packages export their sources. */
const sourceCondition = "@farthing/source";

/**
 * What comes before the name of a module. Comments that look the same make a test nearer than it is,
 * which does no harm; to parse all sources takes longer than some changes' tests.
 */
const importText = /\b(?:from|import)\s*\(?\s*"([^"\n]+)"/g;

/** The import graph of packages and tools; paths are relative to the project's folder. */
export function readImports(): Imports {
  const entries = readEntries();
  const paths = globSync("{packages,tools}/**/*.{ts,tsx,js,mjs}", {
    cwd: root,
    exclude: ["**/node_modules/**", "**/dist/**", "**/generated/**", "tools/interop/stock/**"],
  }).map((path) => path.replaceAll(sep, "/"));
  return new Map(
    paths.map((path) => {
      const text = readFileSync(join(root, path), "utf8");
      const targets = Array.from(text.matchAll(importText), ([, target = ""]) =>
        target.startsWith(".") ? resolveFrom(path, target) : entries.get(target),
      );
      return [path, targets.filter((target) => target !== undefined)];
    }),
  );
}

/** The source behind each name under which a package can be imported. */
function readEntries(): Map<string, string> {
  const entries = new Map<string, string>();
  for (const folder of globSync(["packages/*", "tools/lab"], { cwd: root })) {
    const file = join(root, folder, "package.json");
    if (!existsSync(file)) continue;
    const manifest: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isObject(manifest) || !isObject(manifest["exports"])) continue;
    for (const [name, entry] of Object.entries(manifest["exports"])) {
      const source = isObject(entry) ? entry[sourceCondition] : entry;
      if (typeof source !== "string") continue;
      const imported = `${String(manifest["name"])}${name.slice(1)}`;
      entries.set(imported, join(folder, source).replaceAll(sep, "/"));
    }
  }
  return entries;
}
