/** How long files, classes and functions may be. */
import { classLinesMax, fileLinesMax, functionLinesMax, ownLinesMax } from "./rules.ts";
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
}

function lengthsOf(source: Source): Length[] {
  const { path, text, visits } = source;
  const file = { what: path, lines: text.trimEnd().split("\n").length, max: fileLinesMax };
  const classes = visits
    .filter(({ node }) => /^Class(Declaration|Expression)$/.test(node.type))
    .map((visit) => ({
      what: `${path}#class ${nameOf(visit)}`,
      lines: linesOf(source, visit.node),
      max: classLinesMax,
    }));
  const functions = visits
    .filter(({ node }) => /Function/.test(node.type) && isNode(node["body"]) && !listsTests(node))
    .flatMap((visit) => {
      const what = `${path}#${nameOf(visit)}`;
      return [
        { what, lines: ownLines(source, visit), max: ownLinesMax },
        { what, lines: linesOf(source, visit.node), max: functionLinesMax },
      ];
    });
  return [file, ...classes, ...functions];
}

export function checkSizes(source: Source): string[] {
  return lengthsOf(source)
    .filter(({ lines, max }) => lines > max)
    .map(
      ({ what, lines, max }) =>
        `${what} has ${lines} lines, more than ${max}; split it by what it does`,
    );
}
