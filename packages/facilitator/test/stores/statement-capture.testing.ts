/** Collects the statements that a store runs, by the method that ran them, and what they cost. */
import { DatabaseSync, StatementSync } from "node:sqlite";
import { isObject } from "@farthing/protocol";
import { Client } from "pg";
import { vi } from "vitest";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** Which methods were called, and which one is at work: they are called one after the other. */
export interface Calls {
  readonly called: Set<string>;
  current: string;
}

/** The store, with its calls noted. */
export function watchCalls(store: ServiceStore, calls: Calls): ServiceStore {
  return new Proxy(store, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") return method;
      return (...given: unknown[]) => {
        calls.current = String(name);
        calls.called.add(calls.current);
        return Reflect.apply(method, target, given);
      };
    },
  });
}

/** How SQLite carries out each method: the lines of its plans, each once. */
export async function collectPlans(
  calls: Calls,
  work: () => Promise<void>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Map<string, DatabaseSync>>();
  const databases = new WeakMap<object, DatabaseSync>();
  const { prepare } = DatabaseSync.prototype;
  vi.spyOn(DatabaseSync.prototype, "prepare").mockImplementation(function (
    this: DatabaseSync,
    text,
  ) {
    const statement: StatementSync = Reflect.apply(prepare, this, [text]);
    databases.set(statement, this);
    return statement;
  });
  for (const name of ["all", "run", "get"] as const) {
    const original: unknown = Reflect.get(StatementSync.prototype, name);
    vi.spyOn(StatementSync.prototype, name).mockImplementation(function (
      this: StatementSync,
      ...given
    ) {
      const database = databases.get(this);
      const texts = found.get(calls.current) ?? new Map<string, DatabaseSync>();
      if (database) found.set(calls.current, texts.set(this.sourceSQL, database));
      return typeof original === "function" ? Reflect.apply(original, this, given) : undefined;
    });
  }
  await work();
  vi.restoreAllMocks();
  const plans = new Map<string, ReadonlySet<string>>();
  for (const [method, texts] of found) {
    const lines = [...texts].flatMap(([text, database]) => planOf(database, text));
    plans.set(method, new Set(lines));
  }
  return plans;
}

function planOf(database: DatabaseSync, text: string): string[] {
  if (!/^\s*(select|insert|update|delete|with)\b/i.test(text)) return [];
  const rows = database.prepare(`explain query plan ${text}`).all();
  const lines = rows.map((row) => String(row["detail"]));
  // A query within the query, whose own lines say what it reads.
  const inner = new Set(
    lines.flatMap((line) => /^(?:CO-ROUTINE|MATERIALIZE) (\w+)$/.exec(line)?.[1] ?? []),
  );
  return (
    lines
      // Only what reads a table; the rest says in what order the parts run.
      .filter((line) => /^(SCAN|SEARCH)\b/.test(line))
      .map((line) =>
        line.replace(/^SCAN (\w+)$/, (all, name) =>
          inner.has(name) ? `SCAN (subquery ${name})` : all,
        ),
      )
  );
}

/** Has a PostgreSQL database explain every statement, also those of triggers, as it runs. */
export function explainAll(databaseName: string): string[] {
  const settings = {
    session_preload_libraries: "'auto_explain'",
    "auto_explain.log_min_duration": "0",
    "auto_explain.log_analyze": "on",
    "auto_explain.log_buffers": "on",
    "auto_explain.log_timing": "off",
    "auto_explain.log_nested_statements": "on",
    "auto_explain.log_format": "json",
    "auto_explain.log_level": "notice",
  };
  return Object.entries(settings).map(
    ([name, value]) => `alter database ${databaseName} set ${name} = ${value}`,
  );
}

/** The most pages that each statement of a method reads or changes, by method and text. */
export function collectBuffers(calls: Calls): Map<string, number> {
  const buffers = new Map<string, number>();
  onNotices((message) => {
    const explained = readPlan(message);
    if (!explained) return;
    const name = `${calls.current}: ${explained.text}`;
    buffers.set(name, Math.max(buffers.get(name) ?? 0, explained.pages));
  });
  return buffers;
}

/** The plans of all statements, as text, in the order in which they are carried out. */
export function collectPlanTexts(): readonly string[] {
  const plans: string[] = [];
  onNotices((message) => {
    if (message.includes("plan:")) plans.push(message);
  });
  return plans;
}

/** Hears what the server notes on connections that are opened from now on. */
function onNotices(hear: (message: string) => void): void {
  const connect: unknown = Reflect.get(Client.prototype, "connect");
  vi.spyOn(Client.prototype, "connect").mockImplementation(function (this: Client, ...given) {
    this.on("notice", ({ message }) => hear(message ?? ""));
    return typeof connect === "function" ? Reflect.apply(connect, this, given) : undefined;
  });
}

function readPlan(message: string): { text: string; pages: number } | undefined {
  const at = message.indexOf("plan:");
  if (at < 0) return undefined;
  const whole: unknown = JSON.parse(message.slice(at + "plan:".length));
  if (!isObject(whole)) return undefined;
  const { "Query Text": text, Plan: plan } = whole;
  if (typeof text !== "string" || !isObject(plan)) return undefined;
  const pages = Number(plan["Shared Hit Blocks"]) + Number(plan["Shared Read Blocks"]);
  return { text, pages };
}
