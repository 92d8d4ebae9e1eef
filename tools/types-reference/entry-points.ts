/** What programs import: the published entry points of the packages that are libraries. */
import { readFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");

/** The libraries, in the order in which a reader meets them. The others are programs. */
const libraries = ["seller", "buyer", "gateway", "engine", "protocol", "devnet"];

/** Entry points for the packages of this repository alone, whose names may change at any time. */
const internal = new Set([
  "@farthing/engine/base",
  "@farthing/engine/storage",
  "@farthing/protocol/output",
]);

/** One importable name, such as `@farthing/seller/express`, and the source that it leads to. */
export interface EntryPoint {
  readonly name: string;
  readonly source: string;
}

interface Manifest {
  readonly name: string;
  readonly exports: Readonly<Record<string, { "@farthing/source"?: string; types?: string }>>;
}

/** The entry points, without those that lead to sources or tests and are not packed. */
export function entryPoints(): EntryPoint[] {
  return libraries.flatMap((library) => {
    const folder = join(root, "packages", library);
    const manifest: Manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    return Object.entries(manifest.exports).flatMap(([path, target]) => {
      const source = target["@farthing/source"];
      const name = join(manifest.name, path);
      const isForPrograms = target.types !== undefined && !internal.has(name);
      return isForPrograms && source !== undefined ? [{ name, source: join(folder, source) }] : [];
    });
  });
}
