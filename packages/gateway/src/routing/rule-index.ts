/** Finds the rules whose path can match, so that a request costs the same with ten rules and a thousand. */
import type { RouteConfig } from "../configuration/configuration.ts";

/** The rules after some segments, in a tree: without case, as rules are compared. */
interface Branch {
  readonly literals: Map<string, Branch>;
  parameter?: Branch;
  /** Rules that end here, by their place in the file. */
  readonly ends: number[];
  /** Rules whose `*` takes the rest. */
  readonly rests: number[];
}

const newBranch = (): Branch => ({ literals: new Map(), ends: [], rests: [] });

/**
 * Returns what finds, in the order of the file, the rules whose path matches one of several. These are
 * segments, decoded and in lower case.
 */
export function indexRules(rules: readonly RouteConfig[]) {
  const root = newBranch();
  for (const [place, { pattern }] of rules.entries()) {
    let branch = root;
    for (const segment of pattern.segments) {
      branch =
        segment.kind === "parameter"
          ? (branch.parameter ??= newBranch())
          : childOf(branch, segment.folded);
    }
    (pattern.hasRest ? branch.rests : branch.ends).push(place);
  }
  return (paths: readonly { readonly folded: readonly string[] }[]): readonly RouteConfig[] => {
    const places = new Set<number>();
    for (const { folded } of paths) collect(root, folded, 0, places);
    return [...places].toSorted((one, other) => one - other).flatMap((place) => rules[place] ?? []);
  };
}

function childOf({ literals }: Branch, folded: string): Branch {
  const child = literals.get(folded) ?? newBranch();
  literals.set(folded, child);
  return child;
}

function collect(branch: Branch, folded: readonly string[], at: number, places: Set<number>): void {
  for (const place of branch.rests) places.add(place);
  const segment = folded[at];
  if (segment === undefined) {
    for (const place of branch.ends) places.add(place);
    return;
  }
  const literal = branch.literals.get(segment);
  if (literal) collect(literal, folded, at + 1, places);
  if (branch.parameter) collect(branch.parameter, folded, at + 1, places);
}
