/** Explains database errors to operators, without drivers' messages, which may quote a password. */
import { AssertionError } from "../base/assert.ts";
import { Fault } from "../base/fault.ts";
import { isPostgresUrl, parsePostgresUrl } from "./postgres/postgres-url.ts";
import { sqlitePathOf } from "./sqlite/sqlite-path.ts";

export interface DatabaseProblem {
  readonly text: string;
  readonly fix: string;
}

/** Why a database is not opened, where it works as it should. */
export class DatabaseRefusal extends Error {
  readonly problem: DatabaseProblem;

  constructor(problem: DatabaseProblem) {
    super(problem.text);
    this.problem = problem;
  }
}

/** Names a database without user and password; no part of a URL that is not understood whole. */
export function databaseLocation(databaseUrl: string): string {
  const path = sqlitePathOf(databaseUrl);
  if (path !== undefined) return `SQLite, ${path}`;
  if (!isPostgresUrl(databaseUrl)) return "DATABASE_URL";
  const url = parsePostgresUrl(databaseUrl);
  if ("problem" in url) return "PostgreSQL";
  return `PostgreSQL, ${url.servers.map(({ name }) => name).join(" or ")}/${url.database}`;
}

/** A standby and a server that was set to read only refuse writes alike. */
export const readOnlyProblem: DatabaseProblem = {
  text: "it takes no writes: a standby, or set to read only",
  fix: "point DATABASE_URL at the primary, or end its read-only mode",
};

/** A session of the server, of which each process holds this many at most. */
const sessionsPerProcess = 14;

/** The pool that a pooler in session mode needs. */
export const poolerAdvice = `a pool of ${sessionsPerProcess} connections for each process (26 for two)`;

/** The code of a notification that was lost. */
export const lostNewsCode = "FARTHING_NEWS_LOST";

/** By the codes of Node, of PostgreSQL and of this package. */
const problems: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ["nothing listens there", "start the database, or correct DATABASE_URL"],
  ECONNRESET: ["the connection was cut", "look at the database's log and at proxies before it"],
  ENOTFOUND: ["there is no such host", "correct the host in DATABASE_URL"],
  EAI_AGAIN: ["the host's name cannot be looked up", "look at this machine's DNS"],
  ETIMEDOUT: [
    "no answer",
    "see whether its machine hangs, and look at the network and firewalls between here and there",
  ],
  EHOSTUNREACH: ["the host cannot be reached", "look at the network between here and there"],
  "28P01": ["name or password refused", "correct the user and password in DATABASE_URL"],
  "28000": ["this user may not connect", "look at pg_hba.conf and the user's rights"],
  "3D000": ["there is no such database", "create it, or correct the name in DATABASE_URL"],
  "42501": ["the user lacks rights", "make the user the owner of the database"],
  "53300": ["it takes no more connections", "raise max_connections, or end what holds them"],
  "25006": [readOnlyProblem.text, readOnlyProblem.fix],
  "53100": ["its disk is full", "make room on the database's disk"],
  [lostNewsCode]: [
    "LISTEN and NOTIFY do not work through it, as with a pooler such as PgBouncer in transaction mode",
    `set pool_mode = session, with ${poolerAdvice}, or connect past the pooler`,
  ],
  "57P03": ["it is starting or stopping", "wait until it takes connections"],
};

/** By SQLite's codes, without their extensions. */
const sqliteProblems: Readonly<Record<number, readonly [string, string]>> = {
  8: ["its file is read-only", "give the service's user the right to write to it and its folder"],
  10: ["its disk is full or fails", "make room on the database's disk, and look at its health"],
  13: ["its disk is full", "make room on the database's disk"],
};

/** SQLite adds details to a code above its lowest byte. */
const sqliteCodeMask = 0xff;

/** pg reports an answer that is overdue in the message alone. */
const overdue = /^(Query read timeout|The database did not answer in time)$/;

/** pg reports a connection timeout in the message alone, without a code. */
const timedOut = /^timeout expired$|connection timeout|timeout exceeded when trying to connect/i;

const unconfirmed = [
  "it did not answer in time",
  "look at its synchronous standby, its locks, its disk, and the pool of a pooler before it",
] as const;

function sqliteProblem(error: Error): readonly [string, string] | undefined {
  const code = "errcode" in error ? Number(error.errcode) : 0;
  return sqliteProblems[code & sqliteCodeMask];
}

/** Explains an error by its first known cause; undefined when there is none. */
export function findDatabaseProblem(error: unknown): DatabaseProblem | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof DatabaseRefusal) return one.problem;
    const code = "code" in one ? String(one.code) : "";
    const key = timedOut.test(one.message) ? "ETIMEDOUT" : code;
    const found = overdue.test(one.message) ? unconfirmed : (problems[key] ?? sqliteProblem(one));
    if (found) return { text: found[0], fix: found[1] };
  }
  return undefined;
}

/** Explains any error; for an unknown cause by the service's own message and what the cause says. */
export function explainDatabaseError(error: unknown): DatabaseProblem {
  const reason = reasonOf(error);
  const own = error instanceof Fault ? error.message : "it reports";
  return (
    findDatabaseProblem(error) ?? {
      text: reason === "" ? own : `${own}: ${reason}`,
      fix: "check DATABASE_URL, that the database runs, and its rights",
    }
  );
}

/** Explains a start that failed because of the database: which one, why, and what to do. */
export function explainFailedOpen(error: unknown, databaseUrl: string): unknown {
  const problem = findDatabaseProblem(error);
  if (!problem && error instanceof Fault) {
    const isComplete =
      error.code !== "storage_unavailable" || error.message.includes(reasonOf(error));
    if (isComplete) return error;
  }
  const { text, fix } = problem ?? explainDatabaseError(error);
  const message = `The database cannot be used (${databaseLocation(databaseUrl)}): ${text}; ${fix}`;
  return new Fault("storage_unavailable", message, { cause: error });
}

/** PostgreSQL's classes of errors that lie in the values: data, constraints, and what triggers raise. */
const refusedClasses = /^(22|23|P0)/;

/** SQLite's codes for the same: constraint, too big, mismatch. */
const sqliteRefusals: ReadonlySet<number> = new Set([19, 18, 20]);

/**
 * Why the database, or a rule of the service, refuses what was to be written, so that the same write
 * fails again; undefined where it could not be reached or lacks something.
 */
export function findWriteRefusal(error: unknown): string | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (one instanceof AssertionError) return one.message;
    const code = "code" in one ? String(one.code) : "";
    const sqlite = "errcode" in one ? Number(one.errcode) & sqliteCodeMask : 0;
    const isOfServer = "severity" in one && refusedClasses.test(code);
    if (isOfServer || sqliteRefusals.has(sqlite)) return reasonOf(one);
  }
  return undefined;
}

/** A sentence of a server is far shorter. */
const reasonCharactersMax = 300;

/**
 * What the database itself says, by the first cause that has it: the code alone of an error of the
 * system or of a driver, whose message may quote the URL.
 */
function reasonOf(error: unknown): string {
  for (let one = error; one instanceof Error; one = one.cause) {
    if (!("code" in one) || one instanceof Fault) continue;
    const isOfDatabase = "severity" in one || one.code === "ERR_SQLITE_ERROR";
    if (!isOfDatabase) return String(one.code);
    return one.message.replaceAll(/\s+/g, " ").slice(0, reasonCharactersMax);
  }
  return "";
}
