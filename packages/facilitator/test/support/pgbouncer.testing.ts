/** A real PgBouncer before a PostgreSQL of the tests. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ordinaryUser } from "@farthing/engine/testing";
import { findPgBouncer } from "./find-pgbouncer.testing.ts";
import { listenHere } from "./listening.testing.ts";

/** Starts one with the settings that it has by itself, but for where it listens and connects. */
export async function startPgBouncer(databaseUrl: string, mode: "session" | "transaction") {
  const program = findPgBouncer();
  if (program === undefined) throw new Error("There is no pgbouncer on this machine.");
  const server = new URL(databaseUrl);
  const folder = mkdtempSync(join(tmpdir(), "farthing-pgbouncer-"));
  const port = await findFreePort();
  const users = join(folder, "users.txt");
  const settings = join(folder, "pgbouncer.ini");
  writeFileSync(users, `"farthing" ""\n`);
  writeFileSync(
    settings,
    `[databases]
* = host=${server.hostname} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = trust
auth_file = ${users}
pool_mode = ${mode}
`,
  );
  const user = ordinaryUser();
  if (user) for (const path of [folder, users, settings]) chownSync(path, user.uid, user.gid);
  const pooler = spawn(program, [settings], { stdio: ["ignore", "ignore", "pipe"], ...user });
  const ended = once(pooler, "close");
  const stop = async () => {
    pooler.kill("SIGKILL");
    await ended;
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    const isUp = Promise.withResolvers<void>();
    let said = "";
    pooler.stderr.setEncoding("utf8").on("data", (more: string) => {
      said += more;
      if (said.includes("process up")) isUp.resolve();
    });
    const failed = ended.then(() => Promise.reject(new Error(`PgBouncer did not start: ${said}`)));
    await Promise.race([isUp.promise, failed]);
    failed.catch(() => undefined);
  } catch (error) {
    await stop();
    throw error;
  }
  return { databaseUrl: Object.assign(server, { port: String(port) }).href, stop };
}

async function findFreePort(): Promise<number> {
  const server = createServer();
  const port = await listenHere(server);
  server.close();
  await once(server, "close");
  return port;
}
