/** Examples for the service's description, taken from what tests sent and what was answered. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";

const file = join(import.meta.dirname, "../../src/http/openapi/generated/examples.ts");

interface Example {
  request?: unknown;
  responses: Record<string, unknown>;
}

/** By the operation's id. */
const found = new Map<string, Example>();

/** Longer lists show the same again. */
const entriesMax = 2;

/** Keeps the first success of each operation and status. */
export function noteExample(
  id: string,
  {
    body,
    status,
    text,
    contentType,
  }: {
    readonly body?: unknown;
    readonly status: number;
    readonly text: string;
    readonly contentType: string | null;
  },
): void {
  if (status > 299) return;
  const example = found.get(id) ?? { responses: {} };
  found.set(id, example);
  if (example.request === undefined && typeof body === "string") {
    const sent = parsed(body);
    if (sent !== undefined) example.request = shown(sent);
  }
  if (example.responses[status] !== undefined || !contentType?.includes("json")) return;
  const answer = parsed(text);
  if (answer !== undefined) example.responses[status] = shown(answer);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Without what looks like a secret, and with short lists. */
function shown(value: unknown): unknown {
  if (typeof value === "string") {
    return value.replaceAll(
      /\b(fk_(?:test|live)_|whsec_)([\w+/=-]+)/g,
      (_, prefix: string, rest: string) => prefix + "0".repeat(rest.length),
    );
  }
  if (Array.isArray(value)) return value.slice(0, entriesMax).map((one: unknown) => shown(one));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, shown(one)]));
}

/** Writes the examples where a run was asked for them. */
export function writeExamples(): void {
  if (process.env["WRITE_OPENAPI_EXAMPLES"] === undefined) return;
  const own = [...found].filter(([id]) => !id.endsWith("Hosted"));
  const sorted = Object.fromEntries(own.toSorted(([one], [other]) => one.localeCompare(other)));
  writeFileSync(
    file,
    `/** Written by \`npm run openapi-examples\`. Do not edit. */
export const examples: Readonly<
  Record<
    string,
    { readonly request?: unknown; readonly responses?: Readonly<Record<string, unknown>> }
  >
> = ${JSON.stringify(sorted, undefined, 1)};
`,
  );
}
