/** The packages that are published: which they are, in which order, and what their manifests say. */
import { globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { isObject, type JsonObject } from "@farthing/protocol";

/** A package of this repository that others install. */
export interface PublishedPackage {
  readonly name: string;
  readonly version: string;
  /** From the repository's root, such as `packages/buyer`. */
  readonly folder: string;
  readonly manifest: JsonObject;
}

/** Reads a package.json. */
export function readManifest(folder: string): JsonObject {
  const parsed: unknown = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  if (!isObject(parsed)) throw new Error(`${folder}/package.json is no object`);
  return parsed;
}

/** Names in a member of a manifest such as `dependencies`. */
export const namesIn = (manifest: JsonObject, member: string): string[] =>
  isObject(manifest[member]) ? Object.keys(manifest[member]) : [];

/** All published packages of a checkout, each behind those that it depends on. */
export function readPackages(root: string): PublishedPackage[] {
  const all = globSync("packages/*/package.json", { cwd: root })
    .sort()
    .map((path) => ({ folder: dirname(path), manifest: readManifest(join(root, dirname(path))) }))
    .filter(({ manifest }) => manifest["private"] !== true)
    .map(({ folder, manifest }) => ({
      name: String(manifest["name"]),
      version: String(manifest["version"]),
      folder,
      manifest,
    }));
  const ordered = new Set<PublishedPackage>();
  const visit = (one: PublishedPackage) => {
    if (ordered.has(one)) return;
    const needed = namesIn(one.manifest, "dependencies");
    for (const other of all) if (needed.includes(other.name)) visit(other);
    ordered.add(one);
  };
  for (const one of all) visit(one);
  return [...ordered];
}

/** The condition under which a checkout finds sources; no tarball has any. */
const sourceCondition = "@farthing/source";

/** The entries of `exports` that lead to packed files. */
function packedExports(exported: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(exported).flatMap(([subpath, target]) => {
      if (!isObject(target)) return [[subpath, target]];
      const { [sourceCondition]: _source, ...packed } = target;
      return Object.keys(packed).length === 0 ? [] : [[subpath, packed]];
    }),
  );
}

/** What a tarball's package.json says: without what is only for a checkout. */
export function publishedManifest(manifest: JsonObject): JsonObject {
  const { scripts: _scripts, devDependencies: _development, exports: exported, ...kept } = manifest;
  return isObject(exported) ? { ...kept, exports: packedExports(exported) } : kept;
}
