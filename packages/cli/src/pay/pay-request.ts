/** Turns the curl-like flags of `farthing pay` into a request. */
import { readFileSync } from "node:fs";
import type { Command } from "commander";
import { UsageError } from "../command/command-errors.ts";
import { parseHttpUrl } from "../input/http-url.ts";

export interface RequestFlags {
  readonly request?: string;
  readonly header?: readonly string[];
  readonly data?: readonly string[];
}

export function addRequestFlags(command: Command): Command {
  return command
    .argument("<url>", "https address; plain http is paid only on this machine")
    .option("-X, --request <method>", "method; GET, or POST with -d")
    .option("-H, --header <line>", 'header such as "Accept: text/csv"; may be repeated', collect)
    .option("-d, --data <text>", "body; @file reads a file, @- standard input", collect);
}

/** Collects the values of an option that may be repeated. */
export function collect(text: string, before: readonly string[] = []): string[] {
  return [...before, text];
}

export type BuiltRequest = ReturnType<typeof buildRequest>;

/** Builds the request; throws a UsageError that names the flag. */
export function buildRequest(url: string, flags: RequestFlags) {
  const headers = readHeaders(flags.header ?? []);
  const body = flags.data === undefined ? undefined : joinData(flags.data);
  const method = (flags.request ?? (body === undefined ? "GET" : "POST")).toUpperCase();
  if (!/^[A-Z]+$/.test(method)) throw new UsageError("-X must be a method, such as POST.");
  if (body === undefined) return { url: readUrl(url), method, headers };
  if (method === "GET" || method === "HEAD")
    throw new UsageError(`${method} requests have no body; remove -d.`);
  // As curl does; an API that takes JSON needs -H "Content-Type: application/json".
  if (!headers.has("Content-Type")) {
    headers.set("Content-Type", "application/x-www-form-urlencoded");
  }
  return { url: readUrl(url), method, headers, body };
}

function readUrl(text: string): string {
  const url = parseHttpUrl(text);
  if (url) return url.href;
  throw new UsageError(`The address must begin with https:// (or http://localhost): ${text}`);
}

export function readHeaders(lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const at = line.indexOf(":");
    try {
      if (at < 1) throw new TypeError("no name");
      headers.append(line.slice(0, at).trim(), line.slice(at + 1).trim());
    } catch {
      // The line itself may hold a secret and is not repeated.
      throw new UsageError('-H must be a line such as "Accept: application/json".');
    }
  }
  return headers;
}

const standardInput = 0;

/** Joins `-d` as curl does; throws a UsageError for a file that cannot be read. */
export function joinData(parts: readonly string[]): Uint8Array<ArrayBuffer> {
  const chunks = parts
    .map(readData)
    .flatMap((chunk, index) => (index === 0 ? [chunk] : [Buffer.from("&"), chunk]));
  return new Uint8Array(Buffer.concat(chunks));
}

function readData(text: string): Buffer {
  if (!text.startsWith("@")) return Buffer.from(text);
  const path = text.slice(1);
  try {
    return readFileSync(path === "-" ? standardInput : path);
  } catch {
    throw new UsageError(`Cannot read ${path}, the file of -d.`);
  }
}
