/** The doctor's checks of the database. */
import { isSameAddress, type Address } from "@farthing/protocol";
import {
  type CheckLine,
  type Clock,
  fail,
  Fault,
  ok,
  silentLog,
  warn,
} from "@farthing/engine/base";
import {
  createReadServer,
  databaseLocation,
  explainDatabaseError,
  inspectStore,
  newerVersionProblem,
  poolerAdvice,
  readOnlyProblem,
  type ServerReport,
  type WalletReport,
  type StoreReport,
} from "@farthing/engine/storage";
import { features, migrationsOf } from "../features/features.ts";
import { createStore } from "../features/open-store.ts";

/** In the order in which they run. */
export const featureMigrationNames: readonly string[] = Object.keys(migrationsOf(features));

export interface DatabaseCheck {
  readonly lines: readonly CheckLine[];
  readonly report: StoreReport | undefined;
}

/** Throws nothing and changes no data: on PostgreSQL it writes one row as it is. */
export async function checkDatabase(
  databaseUrl: string,
  clock: Clock,
  wallets: readonly Address[],
): Promise<DatabaseCheck> {
  const location = databaseLocation(databaseUrl);
  try {
    const report = await inspectStore(databaseUrl, clock.nowMs(), featureMigrationNames);
    const lines = [
      ok("reachable", location),
      schemaLine(report),
      ...sizeLines(report),
      ...(await serverLines(databaseUrl, report)),
      ...openLines(report, clock.nowMs()),
      ...report.wallets.map((wallet) => leaseLine(wallet, wallets)),
    ];
    return { lines, report };
  } catch (error) {
    const { text, fix } = explainDatabaseError(error);
    return { lines: [fail("reachable", `${location}: ${text}`, fix)], report: undefined };
  }
}

/** The standby that lists are read from, if there is one. Throws nothing. */
export async function checkReadServer(url: string | undefined): Promise<CheckLine[]> {
  if (url === undefined) return [];
  const name = "read server";
  const server = createReadServer(url, silentLog);
  try {
    await server.check();
    return [ok(name, `${databaseLocation(url)}, near enough to its primary`)];
  } catch (error) {
    const text = error instanceof Fault ? error.message : explainDatabaseError(error).text;
    const instead = "lists are read from DATABASE_URL meanwhile; look at this standby";
    return [warn(name, `${databaseLocation(url)}: ${text}`, instead)];
  } finally {
    await server.close();
  }
}

function schemaLine({ isNew, missing, unknown }: StoreReport): CheckLine {
  if (unknown.length > 0) {
    const { text, fix } = newerVersionProblem(unknown);
    return fail("schema", text, fix);
  }
  if (isNew) return ok("schema", "none yet; the first start makes it");
  if (missing.length === 0) return ok("schema", "this version's");
  return warn(
    "schema",
    `${missing.length} migrations behind (${missing.join(", ")})`,
    "make a backup; the next start carries them out",
  );
}

/**
 * A server that answers every read may take no write, and a pooler may lose what processes tell each
 * other. A SQLite file is left alone: to open it for writing would take the rights of others away,
 * which only `--fix` may do.
 */
async function serverLines(databaseUrl: string, report: StoreReport): Promise<CheckLine[]> {
  if (databaseUrl.startsWith("sqlite:")) return [];
  const store = createStore(databaseUrl);
  try {
    const server = await guarded("server", () => store.describeServer());
    if ("line" in server) return [server.line];
    const lines = server.value ? [serverLine(server.value)] : [];
    if (server.value?.isReadOnly === true) {
      return [...lines, fail("writes", readOnlyProblem.text, readOnlyProblem.fix)];
    }
    const news = await guarded("news", () => store.checkNews());
    const heard = `processes hear each other; a pooler in session mode needs ${poolerAdvice}`;
    lines.push("line" in news ? news.line : ok("news", heard));
    // Another version's tables are not written to.
    if (!isCurrent(report)) return lines;
    const written = await guarded("writes", () => store.checkWritable());
    return [...lines, "line" in written ? written.line : ok("writes", "the database accepts them")];
  } finally {
    await store.close();
  }
}

function isCurrent({ isNew, missing, unknown }: StoreReport): boolean {
  return !isNew && missing.length === 0 && unknown.length === 0;
}

function serverLine({ name, isStandby }: ServerReport): CheckLine {
  if (!isStandby) return ok("server", `${name}, a primary`);
  return warn("server", `${name}, a standby`, readOnlyProblem.fix);
}

/** What a check returns, or its line when it fails. */
async function guarded<T>(
  name: "server" | "news" | "writes",
  check: () => Promise<T>,
): Promise<{ readonly value: T } | { readonly line: CheckLine }> {
  try {
    return { value: await check() };
  } catch (error) {
    const { text, fix } = explainDatabaseError(error);
    const before = name === "writes" ? "the database accepts none: " : "";
    return { line: fail(name, `${before}${text}`, fix) };
  }
}

/** Far longer than a payment takes, and longer than the chain pauses when a leader is missing. */
const openMsMax = 10 * 60_000;

function openLines({ open }: StoreReport, nowMs: number): CheckLine[] {
  const chainIds = [...new Set(open.map(({ chainId }) => chainId))];
  return chainIds.map((chainId) => {
    const states = open.filter((one) => one.chainId === chainId && one.count > 0);
    if (states.length === 0) return ok("payments", `none is open on chain ${chainId}`);
    const counts = states.map(({ state, count }) => `${count} ${state}`).join(", ");
    const oldestAt = Math.min(...states.map((one) => one.oldestAt ?? nowMs));
    const ageMs = Math.max(0, nowMs - oldestAt);
    const text = `open on chain ${chainId}: ${counts}, the oldest for ${Math.round(ageMs / 1000)} s`;
    const fix = "see whether a wallet can send (farthing relayer status) and what /ready says";
    return ageMs > openMsMax ? warn("payments", text, fix) : ok("payments", text);
  });
}

/** Below this free space the database may soon be unable to record a payment. */
const freeBytesLow = 1024 ** 3;

function sizeLines({ size }: StoreReport): CheckLine[] {
  if (!size) return [];
  const { used, free } = size;
  if (free === undefined) return [ok("size", gigabytes(used))];
  const text = `${gigabytes(used)}, ${gigabytes(free)} free on its disk`;
  const fix = "make room: a full disk stops every payment; the guide's chapter on sizes says more";
  return [free < freeBytesLow ? warn("size", text, fix) : ok("size", text)];
}

function gigabytes(bytes: number): string {
  const digits = bytes < 1e10 ? 2 : 0;
  return `${(bytes / 1e9).toFixed(digits)} GB`;
}

function leaseLine(
  { chainId, wallet, holder, open }: WalletReport,
  configured: readonly Address[],
): CheckLine {
  if (open > 0 && !configured.some((one) => isSameAddress(one, wallet))) {
    return warn(
      "lease",
      `${wallet} on chain ${chainId} is not configured any more, and ${open} of its transactions are open`,
      "a facilitator at work sends them again as they are; configure the key if they stay open",
    );
  }
  const [host = "", pid = ""] = holder?.split("/") ?? [];
  const who = holder === null ? "free" : `held by process ${pid} on ${host}`;
  const text = `${wallet} on chain ${chainId}: ${who}, ${open} transactions open`;
  return ok("lease", text);
}
