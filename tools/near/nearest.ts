/** Which test files are near a change: those that reach a changed file over the fewest imports. */

/** A file, and the files that it imports. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** A test file, and the number of imports between it and the nearest changed file; 0: it is one. */
export interface Near {
  readonly path: string;
  readonly steps: number;
}

const isTest = (path: string) => /\.test\.tsx?$/.test(path);

/** Finds the test files that a change reaches, the nearest first; among equals, those of its folders. */
export function findNearest(imports: Imports, changed: readonly string[]): Near[] {
  const importers = new Map<string, string[]>();
  for (const [path, targets] of imports) {
    for (const target of targets) importers.set(target, [...(importers.get(target) ?? []), path]);
  }
  const found: Near[] = [];
  const seen = new Set(changed);
  let edge = [...seen];
  for (let steps = 0; edge.length > 0; steps++) {
    const tests = edge.filter(isTest).toSorted();
    const ranked = tests.toSorted((one, other) => foldersWith(other) - foldersWith(one));
    found.push(...ranked.map((path) => ({ path, steps })));
    const next = new Set(edge.flatMap((path) => importers.get(path) ?? []).filter(isNew));
    for (const path of next) seen.add(path);
    edge = [...next];
  }
  return found;

  /** Folders that a path shares with the changed file that is closest to it. */
  function foldersWith(path: string): number {
    return Math.max(...changed.map((one) => sharedFolders(path, one)));
  }

  function isNew(path: string): boolean {
    return !seen.has(path);
  }
}

function sharedFolders(one: string, other: string): number {
  const folders = other.split("/");
  const differing = one.split("/").findIndex((folder, index) => folder !== folders[index]);
  return differing === -1 ? folders.length : differing;
}
