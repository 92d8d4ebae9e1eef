/**
 * What starting this version would do to a database and its processes. Reads only; a rehearsal works
 * on a copy.
 */
import {
  type CheckLine,
  fail,
  messageOf,
  ok,
  silentLog,
  systemClock,
  warn,
} from "@farthing/engine/base";
import {
  backUpSqlite,
  databaseLocation,
  explainDatabaseError,
  inspectUpgrade,
  newerVersionProblem,
  type UpgradeReport,
} from "@farthing/engine/storage";
import { findDatabaseUrl, readConfig, type ConfigSource } from "../config/config.ts";
import { openStore } from "../features/open-store.ts";
import { featureMigrationNames } from "./doctor-database.ts";
import type { CheckSection } from "./doctor.ts";

export interface UpgradeOptions extends ConfigSource {
  /** A new file for a copy of the SQLite database, on which the migrations are run and timed. */
  readonly rehearseOn?: string | undefined;
}

/** Yields each section when it is complete. Throws nothing. */
export async function* examineUpgrade(options: UpgradeOptions = {}): AsyncGenerator<CheckSection> {
  yield { title: "configuration", lines: configurationLines(options) };
  const databaseUrl = findDatabaseUrl(options);
  if (databaseUrl === undefined) {
    const fix = "it is looked at once the settings above are right";
    yield { title: "database", lines: [fail("reachable", "not looked at", fix)] };
    return;
  }
  const report = await readReport(databaseUrl);
  if ("lines" in report) {
    yield { title: "database", lines: report.lines };
    return;
  }
  yield { title: "database", lines: databaseLines(report) };
  yield { title: "running processes", lines: processLines(report) };
  const { rehearseOn } = options;
  if (rehearseOn === undefined || report.unknown.length > 0) return;
  yield { title: "rehearsal", lines: await rehearse(databaseUrl, rehearseOn) };
}

/** Settings that this version no longer has are unknown to it, and would stop the start. */
function configurationLines(source: ConfigSource): CheckLine[] {
  try {
    readConfig(source);
    return [ok("settings", "this version knows every setting, and accepts every value")];
  } catch (error) {
    const fix = "correct it before you start this version; see docs/reference/configuration.md";
    return messageOf(error)
      .split("\n")
      .map((problem) => fail("settings", problem, fix));
  }
}

async function readReport(databaseUrl: string): Promise<UpgradeReport | { lines: CheckLine[] }> {
  try {
    return await inspectUpgrade(databaseUrl, systemClock.nowMs(), featureMigrationNames);
  } catch (error) {
    const { text, fix } = explainDatabaseError(error);
    return { lines: [fail("reachable", `${databaseLocation(databaseUrl)}: ${text}`, fix)] };
  }
}

function databaseLines(report: UpgradeReport): CheckLine[] {
  const { isNew, missing, unknown, indexes, settlements, size, isSqlite } = report;
  if (isNew) return [ok("schema", "no database yet; the first start creates it")];
  if (unknown.length > 0) {
    const { text, fix } = newerVersionProblem(unknown);
    return [fail("schema", text, fix)];
  }
  const lines: CheckLine[] = [];
  if (size) {
    const things = settlements === 1 ? "settlement" : "settlements";
    const rows =
      settlements === undefined ? "" : `, about ${settlements.toLocaleString("en")} ${things}`;
    lines.push(ok("size", `${(size.used / 1e6).toFixed(1)} MB${rows}`));
  }
  if (missing.length === 0) lines.push(ok("schema", "this version's; no migration will run"));
  else {
    const what = missing.length === 1 ? "1 migration" : `${missing.length} migrations`;
    const text = `the next start runs ${what}: ${missing.join(", ")}`;
    const fix = "make a backup first; the way back is to restore it";
    lines.push(warn("schema", text, fix));
  }
  if (indexes.length === 0) return [...lines, ok("indexes", "none to create")];
  const names = indexes.map(({ name, table }) => `${name} on ${table}`).join(", ");
  const when = isSqlite
    ? "before the service serves; each reads its table once"
    : "in the background, while all processes work";
  const fix = isSqlite ? "see how long it takes with --rehearse <file>" : "nothing to do";
  return [
    ...lines,
    warn("indexes", `the next start creates ${indexes.length} ${when}: ${names}`, fix),
  ];
}

function processLines({ isSqlite, missing, indexes, wallets }: UpgradeReport): CheckLine[] {
  const holders = new Set(wallets.flatMap(({ holder }) => (holder === null ? [] : [holder])));
  const processes = [...holders].map((holder) => {
    const [host = "", pid = ""] = holder.split("/");
    return `process ${pid} on ${host}`;
  });
  const found =
    processes.length === 0
      ? ok("running", "no process holds a relayer wallet")
      : ok(
          "running",
          `${processes.join(" and ")} ${processes.length === 1 ? "holds" : "hold"} relayer wallets`,
        );
  if (isSqlite) {
    const text = "one process uses a SQLite file: stop the old version, then start this one";
    const isRefused = holders.size > 0 && missing.length > 0;
    return [found, ok("order", isRefused ? `${text}, which does not start beside it` : text)];
  }
  const text =
    missing.length + indexes.length === 0
      ? "nothing changes in the database; replace the processes in any order"
      : "processes of the version before continue to work beside this one; replace them one after the other";
  return [found, ok("order", text)];
}

async function rehearse(databaseUrl: string, file: string): Promise<CheckLine[]> {
  try {
    const { bytes } = await backUpSqlite(databaseUrl, file);
    const startedAt = systemClock.nowMs();
    const store = await openStore(`sqlite:${file}`, { log: silentLog, isCopy: true });
    const seconds = (systemClock.nowMs() - startedAt) / 1000;
    await store.close();
    const text = `the update of the copy ${file} (${(bytes / 1e6).toFixed(1)} MB) took ${seconds.toFixed(1)} s on this machine`;
    return [ok("update", text)];
  } catch (error) {
    const fix = "the database itself is as before; look at the reason before you upgrade";
    return [fail("update", messageOf(error), fix)];
  }
}
