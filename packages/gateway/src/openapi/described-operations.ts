/**
 * What the upstream's document says of an operation, for the challenge (extension `bazaar`), so that
 * catalogues show what is sold and programs can call it.
 */
import { isShortDescription, type ParsedDescription } from "@farthing/seller";
import type { Validator } from "typebox/schema";
import type { GatewayConfig, RouteConfig } from "../configuration/configuration.ts";
import { compile, type SchemaReader } from "./operation-schemas.ts";
import { partNames, readDescription, type Detail, type Part } from "./read-description.ts";
import {
  createFinder,
  soldOperations,
  type SoldOperation,
  type SoldOperations,
} from "./sold-operations.ts";

/** Describes a request for the challenge; undefined where the document does not know it. */
export type OperationDescriber = (request: Request) => ParsedDescription | undefined;

interface DescribedOperation {
  readonly description: ParsedDescription;
  /** Of the parameters in the path. */
  readonly pathParams: Validator | undefined;
  /** What is missing, for people. */
  readonly problems: readonly string[];
}

const partWords: Readonly<Record<Part, string>> = {
  output: "the response",
  input: "the input",
  queryParams: "the query",
  headers: "the list of headers",
  pathParams: "the path",
};

/** Returns what describes a route's requests; undefined where the document describes none of them. */
export function createDescriber(
  { discovery }: GatewayConfig,
  sold: SoldOperations,
  route: RouteConfig,
): OperationDescriber | undefined {
  const find = discovery.describe ? createFinder(sold, route) : undefined;
  if (!find) return undefined;
  const known = new Map<SoldOperation, DescribedOperation>();
  const describe = (operation: SoldOperation) => {
    const described = known.get(operation) ?? describeOperation(sold.reader, operation, route);
    known.set(operation, described);
    return described;
  };
  return (request) => {
    const found = find(request);
    return found && withPath(describe(found.operation), found.path);
  };
}

/** Shows the values in the path of a request, where they fit. */
function withPath(
  { description, pathParams }: DescribedOperation,
  path: ReadonlyMap<string, string>,
): ParsedDescription {
  const [values] = valuesOf(path).filter((one) => pathParams?.Check(one));
  if (!values) return description;
  const shown = { ...description, pathParams: { ...description.pathParams, examples: [values] } };
  return isShortDescription(shown) ? shown : description;
}

/** As they are written, and as the numbers that they may stand for. */
function valuesOf(path: ReadonlyMap<string, string>): readonly object[] {
  const numbers = [...path].map(([name, text]) => [name, /^-?\d{1,15}$/.test(text) ? +text : text]);
  return [Object.fromEntries(path), Object.fromEntries(numbers)];
}

/** Explains for each operation what its challenges do not describe. */
export function findUndescribed(
  config: GatewayConfig,
): readonly { readonly name: string; readonly problem: string }[] {
  if (!config.discovery.describe) return [];
  const { reader, operations } = soldOperations(config);
  return operations.flatMap((operation) => {
    const { name, routes } = operation;
    // Routes differ in the headers that they take, which are short.
    const [route] = routes;
    if (!route) return [];
    const { problems } = describeOperation(reader, operation, route);
    return problems.length === 0 ? [] : [{ name, problem: problems.join("; ") }];
  });
}

/** From everything to what is least missed; then parts are left out. */
const details = [
  { hasTexts: true, hasExamples: true },
  { hasTexts: false, hasExamples: true },
  { hasTexts: false, hasExamples: false },
] as const satisfies readonly Detail[];

function describeOperation(
  reader: SchemaReader,
  operation: SoldOperation,
  route: RouteConfig,
): DescribedOperation {
  let { description, problems } = readDescription(reader, operation, route, details[0]);
  for (const detail of details.slice(1)) {
    if (isShortDescription(description)) break;
    ({ description, problems } = readDescription(reader, operation, route, detail));
  }
  const leftOut: Part[] = [];
  for (const part of partNames) {
    if (isShortDescription(description)) break;
    const { [part]: left, ...rest } = description;
    description = rest;
    if (left) leftOut.push(part);
  }
  const { pathParams } = description;
  return {
    description,
    pathParams: pathParams && compile(pathParams),
    problems: [
      ...leftOut.map((part) => `a challenge has no room for ${partWords[part]}`),
      ...problems.map(({ part, problem }) => `${partWords[part]} is left out, because ${problem}`),
    ],
  };
}
