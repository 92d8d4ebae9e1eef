/** The doctor's checks of the database. */
import { isSameAddress, type Address } from "@farthing/protocol";
import { type CheckLine, type Clock, fail, ok, warn } from "@farthing/engine/base";
import {
  databaseLocation,
  explainDatabaseError,
  inspectStore,
  readOnlyProblem,
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
      ...(await writeLines(databaseUrl, report)),
      ...report.wallets.map((wallet) => leaseLine(wallet, wallets)),
    ];
    return { lines, report };
  } catch (error) {
    const { text, fix } = explainDatabaseError(error);
    return { lines: [fail("reachable", `${location}: ${text}`, fix)], report: undefined };
  }
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

/**
 * A server that answers every read may take no write. A SQLite file is left alone: to open it for
 * writing would take the rights of others away, which only `--fix` may do.
 */
async function writeLines(databaseUrl: string, report: StoreReport): Promise<CheckLine[]> {
  if (databaseUrl.startsWith("sqlite:")) return [];
  const { isNew, missing, unknown } = report;
  const isCurrent = !isNew && missing.length === 0 && unknown.length === 0;
  const store = createStore(databaseUrl);
  try {
    if (await store.isReadOnly())
      return [fail("writes", readOnlyProblem.text, readOnlyProblem.fix)];
    // Another version's tables are not written to.
    if (!isCurrent) return [];
    await store.checkWritable();
    return [ok("writes", "the database accepts them")];
  } catch (error) {
    const { text, fix } = explainDatabaseError(error);
    return [fail("writes", `the database accepts none: ${text}`, fix)];
  } finally {
    await store.close();
  }
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
