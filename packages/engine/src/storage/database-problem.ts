/** Explains database errors to operators, without drivers' messages, which may quote a password. */
import { messageOf } from "../base/fault.ts";

export interface DatabaseProblem {
  readonly text: string;
  readonly fix: string;
}

/** Names a database without user and password. */
export function databaseLocation(databaseUrl: string): string {
  const url = URL.parse(databaseUrl);
  return url && url.protocol.startsWith("postgres")
    ? `PostgreSQL, ${url.host}${url.pathname}`
    : `SQLite, ${databaseUrl.replace(/^sqlite:/, "")}`;
}

/** A standby and a server that was set to read only refuse writes alike. */
export const readOnlyProblem: DatabaseProblem = {
  text: "it takes no writes: a standby, or set to read only",
  fix: "point DATABASE_URL at the primary, or end its read-only mode",
};

/** By the codes of Node and of PostgreSQL. */
const problems: Readonly<Record<string, readonly [string, string]>> = {
  ECONNREFUSED: ["nothing listens there", "start the database, or correct DATABASE_URL"],
  ECONNRESET: ["the connection was cut", "look at the database's log and at proxies before it"],
  ENOTFOUND: ["there is no such host", "correct the host in DATABASE_URL"],
  EAI_AGAIN: ["the host's name cannot be looked up", "look at this machine's DNS"],
  ETIMEDOUT: ["no answer", "look at the network and firewalls between here and there"],
  EHOSTUNREACH: ["the host cannot be reached", "look at the network between here and there"],
  "28P01": ["name or password refused", "correct the user and password in DATABASE_URL"],
  "28000": ["this user may not connect", "look at pg_hba.conf and the user's rights"],
  "3D000": ["there is no such database", "create it, or correct the name in DATABASE_URL"],
  "42501": ["the user lacks rights", "make the user the owner of the database"],
  "53300": ["it takes no more connections", "raise max_connections, or end what holds them"],
  "25006": [readOnlyProblem.text, readOnlyProblem.fix],
  "53100": ["its disk is full", "make room on the database's disk"],
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
  "look at its synchronous standby, its locks and its disk",
] as const;

function sqliteProblem(error: Error): readonly [string, string] | undefined {
  const code = "errcode" in error ? Number(error.errcode) : 0;
  return sqliteProblems[code & sqliteCodeMask];
}

/** Explains an error by its first known cause; undefined when there is none. */
export function findDatabaseProblem(error: unknown): DatabaseProblem | undefined {
  for (let one = error; one instanceof Error; one = one.cause) {
    const code = "code" in one ? String(one.code) : "";
    const key = timedOut.test(one.message) ? "ETIMEDOUT" : code;
    const found = overdue.test(one.message) ? unconfirmed : (problems[key] ?? sqliteProblem(one));
    if (found) return { text: found[0], fix: found[1] };
  }
  return undefined;
}

/** Explains any error; for an unknown cause by the service's own message and the cause's code. */
export function explainDatabaseError(error: unknown): DatabaseProblem {
  const cause = error instanceof Error ? error.cause : undefined;
  const code = cause instanceof Error && "code" in cause ? ` (${String(cause.code)})` : "";
  return (
    findDatabaseProblem(error) ?? {
      text: `${messageOf(error)}${code}`,
      fix: "check DATABASE_URL, that the database runs, and its rights",
    }
  );
}
