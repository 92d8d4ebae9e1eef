/** What the doctor says about the database: can it be reached, is it of this version, who works. */
import { fail, ok, warn, type CheckLine } from "./base/check-line.ts";
import type { Clock } from "./base/clock.ts";
import { messageOf } from "./base/fault.ts";
import { inspectStore, type LaneReport, type StoreReport } from "./storage/inspect-store.ts";

/** Findings, and what was read where it could be read. */
export interface DatabaseCheck {
  readonly lines: readonly CheckLine[];
  readonly report: StoreReport | undefined;
}

/** Looks at the database; changes nothing, throws nothing. */
export async function checkDatabase(databaseUrl: string, clock: Clock): Promise<DatabaseCheck> {
  const place = placeOf(databaseUrl);
  try {
    const report = await inspectStore(databaseUrl, clock.nowMs());
    const lines = [
      ok("reachable", place),
      schemaLine(report),
      ...report.lanes.map((lane) => leaseLine(lane)),
    ];
    return { lines, report };
  } catch (error) {
    const [text, fix] = explain(error);
    return { lines: [fail("reachable", `${place}: ${text}`, fix)], report: undefined };
  }
}

/** Where it is, without user and password. */
function placeOf(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url && url.protocol.startsWith("postgres")
    ? `PostgreSQL, ${url.host}${url.pathname}`
    : `SQLite, ${databaseUrl.replace(/^sqlite:/, "")}`;
}

function schemaLine({ isNew, missing, unknown }: StoreReport): CheckLine {
  if (unknown.length > 0) {
    const text = `written by a newer version (${unknown.join(", ")})`;
    return fail("schema", text, "run that version, or restore a backup from before it");
  }
  if (isNew) return ok("schema", "none yet; the first start makes it");
  if (missing.length === 0) return ok("schema", "this version's");
  return warn(
    "schema",
    `${missing.length} migrations behind (${missing.join(", ")})`,
    "make a backup; the next start carries them out",
  );
}

function leaseLine({ chainId, lane, holder, open }: LaneReport): CheckLine {
  const [host = "", pid = ""] = holder?.split("/") ?? [];
  const who = holder === null ? "free" : `held by process ${pid} on ${host}`;
  const text = `${lane} on chain ${chainId}: ${who}, ${open} transactions open`;
  return ok("lease", text);
}

/** By the codes of Node and of PostgreSQL. */
const explanations: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ["nothing listens there", "start the database, or correct DATABASE_URL"],
  ENOTFOUND: ["there is no such host", "correct the host in DATABASE_URL"],
  EAI_AGAIN: ["the host's name cannot be looked up", "look at this machine's DNS"],
  ETIMEDOUT: ["no answer", "look at the network and firewalls between here and there"],
  "28P01": ["name or password refused", "correct the user and password in DATABASE_URL"],
  "28000": ["this user may not connect", "look at pg_hba.conf and the user's rights"],
  "3D000": ["there is no such database", "create it, or correct the name in DATABASE_URL"],
  "42501": ["the user lacks rights", "make the user the owner of the database"],
};

function explain(error: unknown): readonly [string, string] {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : "";
  // Texts of drivers are not passed on: they may quote what they were given.
  return (
    explanations[code] ?? [
      code === "" ? messageOf(error) : `${messageOf(error)} (${code})`,
      "check DATABASE_URL, that the database runs, and its rights",
    ]
  );
}
