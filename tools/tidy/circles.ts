/** Import circles: files that cannot be read, or moved, one without the other. */
import { importsOf, resolveFrom, type Source } from "./source.ts";

/** The files that each file imports by a relative path. Type imports count like all others. */
function importGraph(sources: readonly Source[]): ReadonlyMap<string, readonly string[]> {
  const paths = new Set(sources.map(({ path }) => path));
  return new Map(
    sources.map((source) => [
      source.path,
      importsOf(source)
        .filter(({ target }) => target.startsWith("."))
        .map(({ target }) => resolveFrom(source.path, target))
        .filter((path) => paths.has(path)),
    ]),
  );
}

const numberOf = (numbers: ReadonlyMap<string, number>, path: string) => numbers.get(path) ?? 0;

/** Groups of files that reach each other by imports: Tarjan's strongly connected components. */
export function findCircles(sources: readonly Source[]): readonly (readonly string[])[] {
  const graph = importGraph(sources);
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const circles: string[][] = [];

  function visit(path: string): void {
    order.set(path, order.size);
    lowest.set(path, numberOf(order, path));
    open.push(path);
    const targets = graph.get(path) ?? [];
    for (const target of targets) {
      const isNew = !order.has(target);
      if (isNew) visit(target);
      if (!open.includes(target)) continue;
      const reached = numberOf(isNew ? lowest : order, target);
      lowest.set(path, Math.min(numberOf(lowest, path), reached));
    }
    if (numberOf(lowest, path) !== numberOf(order, path)) return;
    const group = open.splice(open.indexOf(path));
    if (group.length > 1 || targets.includes(path)) circles.push(group.sort());
  }

  for (const path of graph.keys()) if (!order.has(path)) visit(path);
  return circles;
}

export function checkCircles(sources: readonly Source[]): string[] {
  return findCircles(sources).map(
    (circle) =>
      `${circle.join(", ")}: import each other in a circle; move what both need into a file below them`,
  );
}
