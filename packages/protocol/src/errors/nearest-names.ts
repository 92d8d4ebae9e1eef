/** Suggestions for a mistyped name. */

/** More differences than that make another word. */
const maxDistance = 3;

/** More suggestions would be a list to read. */
const maxNames = 3;

/** Longer than any name of a setting; the comparison takes time with the product of the lengths. */
const maxChars = 100;

/** Returns the names that a person may have meant: those with the fewest differences. */
export function nearestNames(name: string, names: readonly string[]): readonly string[] {
  if (name.length > maxChars) return [];
  const most = Math.min(maxDistance, Math.floor(name.length / 2));
  const found = names.map((one) => ({
    one,
    distance: distanceOf(name.toLowerCase(), one.toLowerCase()),
  }));
  const least = Math.min(...found.map(({ distance }) => distance));
  if (least > most) return [];
  return found
    .filter(({ distance }) => distance === least)
    .slice(0, maxNames)
    .map(({ one }) => one);
}

/** "Did you mean a, b or c?"; undefined where no name is near. */
export function didYouMean(name: string, names: readonly string[]): string | undefined {
  const near = nearestNames(name, names);
  if (near.length === 0) return undefined;
  const list = new Intl.ListFormat("en-GB", { type: "disjunction" });
  return `Did you mean ${list.format(near)}?`;
}

/** Counts added, missing, changed and swapped characters (optimal string alignment). */
function distanceOf(a: string, b: string): number {
  let [before, above]: [number[], number[]] = [
    [],
    Array.from({ length: b.length + 1 }, (_, j) => j),
  ];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const changed = at(above, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? at(before, j - 2) + 1 : Infinity;
      row.push(Math.min(at(above, j) + 1, at(row, j - 1) + 1, changed, swapped));
    }
    [before, above] = [above, row];
  }
  return at(above, b.length);
}

function at(row: readonly number[], j: number): number {
  return row[j] ?? Infinity;
}
