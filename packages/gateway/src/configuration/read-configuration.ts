/** Reads the gateway's configuration file and reports all problems, with line and fix. */
import { readFileSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { isObject } from "@farthing/protocol";
import { assembleConfig } from "./assemble-configuration.ts";
import { createConfigContext } from "./config-context.ts";
import type { GatewayConfig } from "./configuration.ts";
import { gatewaySchema } from "./configuration-schema.ts";
import { findConflicts } from "../routing/route-conflicts.ts";
import type { Environment } from "./secret-texts.ts";
import { formatLocation, readSettings, type Problem } from "./read-settings.ts";
import { readYamlSource, type YamlSource } from "./yaml-source.ts";

export interface ConfigProblem {
  /** e.g. `routes[3].price`; empty for the file as a whole. */
  readonly path: string;
  readonly line: number | undefined;
  readonly message: string;
}

/** Thrown for a file with problems; `problems` lists all of them. */
export class GatewayConfigError extends Error {
  readonly problems: readonly ConfigProblem[];
  constructor(problems: readonly ConfigProblem[]) {
    super(problems.map(formatProblem).join("\n"));
    this.name = "GatewayConfigError";
    this.problems = problems;
  }
}

/** Formats a problem: `line 12: routes[3].price is 0.1, but must be …`. */
function formatProblem({ path, line, message }: ConfigProblem): string {
  const where = line === undefined ? "" : `line ${line}: `;
  return `${where}${[path, message].filter((part) => part !== "").join(" ")}`;
}

/** Reads a configuration. Throws {@link GatewayConfigError} with all problems at once. */
export function readGatewayConfig(text: string, environment: Environment = {}, folder = ".") {
  const source = readYamlSource(text);
  if (!("value" in source)) throw new GatewayConfigError(source.map((one) => toProblem(one)));
  const problems: Problem[] = [];
  const file = readSettings(gatewaySchema, source.value, problems);
  const context = createConfigContext(source.value, problems, { environment, folder });
  const config = assembleConfig(file, context);
  problems.push(...findConflicts(config));
  if (problems.length > 0) {
    const lines = problems.map((one) => toProblem(one, source.lineOf));
    throw new GatewayConfigError(lines.sort((one, other) => (one.line ?? 0) - (other.line ?? 0)));
  }
  return config;
}

/** Reads a configuration file. Throws {@link GatewayConfigError}. */
export function loadGatewayConfig(path: string, environment: Environment): GatewayConfig {
  return readGatewayConfig(readText(path), environment, dirname(path));
}

function readText(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const message = whyUnreadable(error, resolve(path));
    throw new GatewayConfigError([{ path: "", line: undefined, message }]);
  }
}

function whyUnreadable(error: unknown, path: string): string {
  const code = isObject(error) ? error["code"] : undefined;
  if (code === "ENOENT") {
    return (
      `There is no file ${path}. Name your configuration with -c, or sell an API without a file: ` +
      "farthing gateway --to http://127.0.0.1:3000 --price 0.01 --pay-to 0x…. To create a file, " +
      "use farthing init gateway, or farthing gateway import for an API with an OpenAPI document."
    );
  }
  if (code === "EISDIR") return `${path} is a folder; name the configuration file in it.`;
  const why = typeof code === "string" ? ` (${code})` : "";
  return `${path} cannot be read${why}; check that this user may read it.`;
}

function toProblem({ location, message }: Problem, lineOf: YamlSource["lineOf"] = () => undefined) {
  return { path: formatLocation(location), line: lineOf(location), message: `${message}.` };
}
