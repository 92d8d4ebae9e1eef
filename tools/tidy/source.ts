/** Source files as the checks see them: parsed, with where each part is and what it imports. */
import { dirname, join, normalize, sep } from "node:path";
import { parseSync } from "vite";

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

export interface Visit {
  readonly node: Node;
  readonly parent: Visit | undefined;
}

export interface Source {
  readonly path: string;
  readonly text: string;
  readonly visits: readonly Visit[];
  readonly comments: readonly { readonly value: string; readonly start: number }[];
  /** Code that only tests run: free of layers, arrows and "only" rules. */
  readonly isTest: boolean;
}

export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;
export const isNode = (value: unknown): value is Node =>
  isObject(value) && typeof value["type"] === "string" && typeof value["start"] === "number";
export const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");
export const isTestFile = (path: string) => /\.(test|suite|testing)\.tsx?$/.test(path);

function visitsOf(node: Node, parent?: Visit): Visit[] {
  const visit = { node, parent };
  const inner = Object.values(node).flatMap((value) =>
    listOf(Array.isArray(value) ? value : [value]),
  );
  return [visit, ...inner.filter(isNode).flatMap((child) => visitsOf(child, visit))];
}

export function read(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  if (errors[0]) throw new Error(`${path} does not parse: ${errors[0].message}`);
  const tree: unknown = program;
  return {
    path,
    text,
    comments,
    isTest: isTestFile(path),
    visits: isNode(tree) ? visitsOf(tree) : [],
  };
}

/** `a.b.c` of nested members, however they are spelled; empty for anything else. */
export function dotted(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return textOf(node["name"]);
  if (node.type !== "MemberExpression") return "";
  const property = isObject(node["property"]) ? node["property"] : {};
  const name = textOf(node["computed"] === true ? property["value"] : property["name"]);
  return `${dotted(node["object"])}.${name}`;
}

export function firstValue(call: Node): unknown {
  const [first] = listOf(call["arguments"]);
  return isObject(first) ? first["value"] : undefined;
}

/** `const { env } = process` and `import { env } from "node:process"`. */
export function takesFromProcess(node: Node, name: string): boolean {
  const from = isObject(node["source"]) ? textOf(node["source"]["value"]) : dotted(node["init"]);
  const id = isObject(node["id"]) ? node["id"] : {};
  const taken = [...listOf(node["specifiers"]), ...listOf(id["properties"])].filter(isObject);
  return (
    /^(node:)?process$/.test(from) &&
    taken.some((one) => [one["imported"], one["key"]].some((key) => dotted(key) === name))
  );
}

/** What a node imports: static, dynamic, re-exported, as a type, or required. */
export function importedBy(node: Node): string {
  const isRequire = node.type === "CallExpression" && dotted(node["callee"]) === "require";
  if (isRequire) return textOf(firstValue(node));
  if (!/^(Import|Export|TSImportType)/.test(node.type)) return "";
  const source = node["source"] ?? node["argument"];
  const literal = isObject(source) && isObject(source["literal"]) ? source["literal"] : source;
  return isObject(literal) ? textOf(literal["value"]) : "";
}

export const textIn = (node: Node): string =>
  node.type === "TemplateElement" && isObject(node["value"])
    ? textOf(node["value"]["raw"])
    : node.type === "Literal"
      ? textOf(node["value"])
      : "";

export const at = ({ path, text }: Source, { start }: { readonly start: number }) =>
  `${path}:${text.slice(0, start).split("\n").length}`;

export const importsOf = (source: Source) =>
  source.visits
    .map(({ node }) => ({ node, target: importedBy(node) }))
    .filter(({ target }) => target !== "");

export const resolveFrom = (path: string, target: string) =>
  normalize(join(dirname(path), target)).replaceAll(sep, "/");
