/**
 * Two PostgreSQL servers: a primary and an asynchronous standby. A failover kills the primary while the
 * standby is behind by a known time, and promotes the standby; the server that was killed becomes
 * the standby of the new primary, from a copy of it.
 */
import { spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Client } from "pg";
import {
  ask,
  findFreePort,
  makeDatabase,
  openServerFolder,
  prepareServer,
} from "./postgres.testing.ts";

/** What a failover has done. */
export interface FailOver {
  /** Ids of settlements that the old primary had and the new one has not, before anything repairs it. */
  readonly lost: readonly string[];
  /** From the kill until the standby takes writes, in milliseconds. */
  readonly ms: number;
}

/** The pair. */
export interface PostgresPair {
  /** Names both servers, of which the one that takes writes is meant. */
  readonly databaseUrl: string;
  /** Of the present primary alone. */
  primaryUrl(): string;
  /**
   * Holds the standby back for so many milliseconds, kills the primary and promotes the standby. Throws
   * when there is no standby. `onKill` is called when nothing is committed any more.
   */
  failOver(behindMs: number, onKill: () => void): Promise<FailOver>;
  /** Makes the server that was killed the standby of the new primary. */
  rebuild(): Promise<void>;
  stop(): Promise<void>;
}

interface Member {
  readonly port: number;
  readonly data: string;
  readonly server: ChildProcess;
}

/** A new standby streams within a second or two; on a busy machine later. */
const streamingMs = 60_000;
const lookMs = 100;

/** Log that is kept for a standby whose copy has just begun: more than a soak writes meanwhile. */
const replication = ["max_wal_senders = 4", "wal_keep_size = '2GB'", "hot_standby = on"];

export async function startPostgresPair(): Promise<PostgresPair> {
  const { folder, stop } = openServerFolder();
  try {
    return { ...(await startBoth(folder)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startBoth(folder: string): Promise<Omit<PostgresPair, "stop">> {
  const prepared = await prepareServer(folder, { isDurable: true });
  const ports = [prepared.port, await findFreePort()] as const;
  const configure = (data: string, lines: readonly string[]) =>
    prepared.runScript(
      `file=$1; shift; printf '%s\\n' "$@" >> "$file"`,
      join(data, "postgresql.auto.conf"),
      ...lines,
    );

  let copies = 0;
  let primary: Member = { ...prepared, server: await startFirst() };
  let standby: Member | undefined;

  async function startFirst(): Promise<ChildProcess> {
    await configure(prepared.data, replication);
    return prepared.start();
  }

  const url = await makeDatabase(prepared.serverUrl, []);
  const { pathname } = new URL(url);
  const urlOf = ({ port }: Pick<Member, "port">) =>
    `postgres://farthing@127.0.0.1:${port}${pathname}`;

  /** Copies the running primary as pg_basebackup does, and starts the copy as its standby. */
  async function startStandby(): Promise<void> {
    const data = join(folder, `copy-${++copies}`);
    const port = ports.find((one) => one !== primary.port) ?? 0;
    const client = await connect(urlOf(primary));
    try {
      await client.query("select pg_backup_start('standby', true)");
      await prepared.runScript(copyScript, primary.data, data);
      const { rows } = await client.query<{ labelfile: string }>(
        "select labelfile from pg_backup_stop(false)",
      );
      await writeIn(data, "backup_label", rows[0]?.labelfile ?? "");
    } finally {
      await client.end();
    }
    const conninfo = `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=farthing'`;
    await configure(data, [conninfo]);
    await writeIn(data, "standby.signal", "");
    standby = { port, data, server: await prepared.startOn(data, port) };
    await untilStreaming(urlOf(primary));
  }

  /** By the user that the server runs as. */
  async function writeIn(data: string, name: string, text: string): Promise<void> {
    const file = join(folder, name);
    writeFileSync(file, text, { mode: 0o644 });
    await prepared.runScript(`cp "$1" "$2"`, file, join(data, name));
  }

  async function failOver(behindMs: number, onKill: () => void): Promise<FailOver> {
    const next = standby;
    if (!next) throw new Error("There is no standby to promote");
    standby = undefined;
    const client = await connect(urlOf(primary));
    await holdStandbyBack(client, behindMs);
    const had = await idsIn(client);
    const killedAt = await killServer(primary, client);
    onKill();
    client.end().catch(() => undefined);
    removeData(primary.data);
    await ask(urlOf(next), "select pg_promote()");
    const ms = performance.now() - killedAt;
    primary = next;
    const left = await connect(urlOf(primary));
    const has = new Set(await idsIn(left));
    await left.end();
    return { lost: had.filter((id) => !has.has(id)), ms };
  }

  await startStandby();
  return {
    databaseUrl: `postgres://farthing@127.0.0.1:${ports[0]},127.0.0.1:${ports[1]}${pathname}?target_session_attrs=read-write`,
    primaryUrl: () => urlOf(primary),
    failOver,
    rebuild: startStandby,
  };
}

/** Files come and go meanwhile, of which tar complains; the log is streamed. */
const copyScript = `
mkdir -m 700 "$2" &&
tar -C "$1" --exclude=postmaster.pid --exclude=postmaster.opts --exclude='./pg_wal/*' \\
  --exclude=standby.signal --exclude=backup_label --exclude=backup_label.old -cf - . 2>/dev/null |
  tar -C "$2" -xf - && mkdir -m 700 "$2/pg_wal/archive_status"
`;

/** Waits until the standby has everything that the primary has now. */
async function untilStreaming(primaryUrl: string): Promise<void> {
  const until = performance.now() + streamingMs;
  const client = await connect(primaryUrl);
  try {
    for (;;) {
      const { rows } = await client.query(
        `select from pg_stat_replication
          where state = 'streaming' and replay_lsn >= pg_current_wal_lsn()`,
      );
      if (rows.length > 0) return;
      if (performance.now() > until) throw new Error("The standby does not follow the primary");
      await pause(lookMs);
    }
  } finally {
    await client.end();
  }
}

async function connect(url: string): Promise<Client> {
  const client = new Client({ connectionString: url });
  // The server is killed while it is connected.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

/** All processes of the server that have a connection or work for it. */
async function processesOf(client: Client): Promise<{ pid: number; type: string }[]> {
  const text = "select pid, backend_type as type from pg_stat_activity";
  return (await client.query<{ pid: number; type: string }>(text)).rows;
}

/** Stops what sends the log to the standby, for so many milliseconds of commits. */
async function holdStandbyBack(client: Client, behindMs: number): Promise<void> {
  for (const { pid, type } of await processesOf(client)) {
    if (type === "walsender") process.kill(pid, "SIGSTOP");
  }
  await pause(behindMs);
}

/** Kills a server and all of its processes; returns when. */
async function killServer({ server }: Member, client: Client): Promise<number> {
  const processes = await processesOf(client);
  const killedAt = performance.now();
  const ended = once(server, "exit");
  // The server first: it would start again if one of its processes died before it.
  server.kill("SIGKILL");
  for (const { pid } of processes) end(pid);
  await ended;
  return killedAt;
}

/** Removes what a killed server leaves: its files, and the shared memory that its pid file names. */
function removeData(data: string): void {
  const [, id] =
    readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[6]?.trim().split(/\s+/) ?? [];
  if (id !== undefined) spawnSync("ipcrm", ["-m", id]);
  rmSync(data, { recursive: true, force: true });
}

/** Of all settlements. */
async function idsIn(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ id: string }>("select id from settlements");
  return rows.map(({ id }) => id);
}

/** Ends a process of a server that is gone; most have noticed it themselves. */
function end(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It is gone.
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
