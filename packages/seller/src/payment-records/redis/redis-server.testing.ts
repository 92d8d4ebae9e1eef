/** A real Redis for tests, without a port: on a socket in a folder of its own. */
import { spawn } from "node:child_process";
import { accessSync, constants } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { createClient } from "redis";

/** The Redis server of this machine: `REDIS_SERVER_PATH`, or the one in `PATH`. */
export function findRedisServer(): string | undefined {
  const folders = (process.env["PATH"] ?? "").split(delimiter);
  const places = [
    process.env["REDIS_SERVER_PATH"],
    ...folders.map((folder) => join(folder, "redis-server")),
  ];
  return places.find((path) => path !== undefined && isExecutable(path));
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** Starts a server with the settings given beside the ones it needs. */
export async function startRedis(...settings: string[]) {
  const command = findRedisServer();
  if (command === undefined) throw new Error("There is no redis-server on this machine.");
  const folder = await mkdtemp(join(tmpdir(), "farthing-redis-"));
  const path = join(folder, "redis.sock");
  const own = ["--port", "0", "--unixsocket", path, "--dir", folder, "--save", ""];
  const server = spawn(command, [...own, ...settings], { stdio: ["ignore", "pipe", "inherit"] });
  const ended = new Promise<void>((resolve) => server.once("close", () => resolve()));
  const ready = new Promise<void>((resolve, reject) => {
    let said = "";
    server.stdout.on("data", (text: Buffer) => {
      said += text.toString();
      if (/Ready to accept connections|now ready to accept/.test(said)) resolve();
    });
    server.once("error", reject);
    server.once("close", () => reject(new Error(`redis-server ended: ${said}`)));
  });
  await ready;
  return {
    /** The socket, for clients in other processes. */
    path,
    connect: () => createClient({ socket: { path, tls: false } }).connect(),
    async stop() {
      server.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
