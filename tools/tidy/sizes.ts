/** How long files, classes and functions may be. */
import { basename } from "node:path";
import { classLinesMax, fileLinesMax, functionLinesMax, knownLong, ownLinesMax } from "./rules.ts";
import { dotted, isNode, isObject, listOf, type Node, type Source, type Visit } from "./source.ts";

/** A function that only lists tests has no length of its own. */
function listsTests(node: Node): boolean {
  const body = isObject(node["body"]) ? listOf(node["body"]["body"]) : [];
  return body.some((statement) => {
    let callee = isObject(statement) ? statement["expression"] : undefined;
    while (isNode(callee) && callee.type === "CallExpression") callee = callee["callee"];
    return /^(describe|test|it)(\.|$)/.test(dotted(callee));
  });
}

function nameOf({ node, parent }: Visit): string {
  const holder = isNode(node["id"]) ? node : parent?.node;
  const name = [holder?.["id"], holder?.["key"], holder?.["callee"]].map(dotted).find(Boolean);
  return name ?? (parent ? nameOf(parent) : "anonymous");
}

const linesOf = ({ text }: Source, { start, end }: Node) =>
  text.slice(start, end).split("\n").length;

function functionAround({ parent }: Visit): Visit | undefined {
  let around = parent;
  while (around && !/Function/.test(around.node.type)) around = around.parent;
  return around;
}

/** Lines of a function without those of the functions declared in it, which are measured too. */
function ownLines(source: Source, outer: Visit): number {
  const declared = source.visits.filter(
    (visit) => visit.node.type === "FunctionDeclaration" && functionAround(visit) === outer,
  );
  return declared.reduce(
    (lines, { node }) => lines - linesOf(source, node),
    linesOf(source, outer.node),
  );
}

/** One thing that has a length. */
interface Length {
  readonly what: string;
  readonly lines: number;
  readonly max: number;
  /** The name of its entry among the known long ones. */
  readonly entry: string;
}

function lengthsOf(source: Source): Length[] {
  const { path, text, visits } = source;
  const file = { what: path, lines: text.trimEnd().split("\n").length, max: fileLinesMax };
  const classes = visits
    .filter(({ node }) => /^Class(Declaration|Expression)$/.test(node.type))
    .map((visit) => {
      const name = nameOf(visit);
      return {
        what: `${path}#class ${name}`,
        lines: linesOf(source, visit.node),
        max: classLinesMax,
        entry: `${basename(path)}#class ${name}`,
      };
    });
  const functions = visits
    .filter(({ node }) => /Function/.test(node.type) && isNode(node["body"]) && !listsTests(node))
    .flatMap((visit) => {
      const what = `${path}#${nameOf(visit)}`;
      const entry = `${basename(path)}#${nameOf(visit)}`;
      return [
        { what, lines: ownLines(source, visit), max: ownLinesMax, entry: `${entry} itself` },
        { what, lines: linesOf(source, visit.node), max: functionLinesMax, entry },
      ];
    });
  return [{ ...file, entry: basename(path) }, ...classes, ...functions];
}

function findingOf({ what, lines, max }: Length, known: number | undefined): string[] {
  if (known === undefined) {
    return lines > max
      ? [`${what} has ${lines} lines, more than ${max}; split it by what it does`]
      : [];
  }
  if (lines > known) return [`${what} grew from ${known} to ${lines} lines; split it instead`];
  if (lines <= max) return [`${what} is short now; delete its entry from the known ones`];
  return lines < known ? [`${what} shrank to ${lines} lines; write that in its entry`] : [];
}

/** Sizes, but for the known long ones. */
export function checkSizes(known: Readonly<Record<string, number>> = knownLong) {
  return (source: Source): string[] =>
    lengthsOf(source).flatMap((length) => findingOf(length, known[length.entry]));
}

/** Known long ones whose file is gone are left over. */
export function staleEntries(sources: readonly Source[]): string[] {
  const names = new Set(sources.map(({ path }) => basename(path)));
  return Object.keys(knownLong)
    .filter((entry) => !names.has(entry.split("#")[0] ?? ""))
    .map((entry) => `${entry} is gone; delete its entry from the known ones`);
}
