/** nginx as a reverse proxy, where it is installed: what a program in C adds to a request. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { addressOf } from "@farthing/seller/testing/listen";
import { canPin, cores, readUsage, type Server } from "../processes.ts";

/** Whether it is installed. */
export function hasNginx(): boolean {
  try {
    execFileSync("nginx", ["-v"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}

/** More than the connections of any race, on both sides. */
const connectionsMax = 4_096;

/** It listens within milliseconds; after five seconds something is wrong. */
const looksMax = 50;
const lookMs = 100;

/** Starts one process of it before the API at the address, without a log of requests. */
export async function startNginx(upstreamUrl: string): Promise<Server> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-bench-"));
  const url = await freeAddress();
  const file = join(folder, "nginx.conf");
  writeFileSync(file, configOf({ folder, listen: new URL(url).host, upstreamUrl }));
  const nginx = ["nginx", "-p", folder, "-c", file, "-e", "stderr"];
  const [command = "", ...rest] = canPin ? ["taskset", "-c", `${cores.server}`, ...nginx] : nginx;
  const child = spawn(command, rest, { stdio: ["ignore", "ignore", "inherit"] });
  const pid = child.pid ?? Number.NaN;
  const ended = once(child, "exit");
  await listens(url);
  return {
    url,
    pid,
    usage: () => readUsage(pid),
    async stop() {
      child.kill("SIGQUIT");
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function configOf(paths: { folder: string; listen: string; upstreamUrl: string }): string {
  const { folder, listen, upstreamUrl } = paths;
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((name) => `  ${name}_temp_path ${folder}/${name};`)
    .join("\n");
  return `daemon off;
master_process off;
pid ${folder}/nginx.pid;
events { worker_connections ${connectionsMax}; }
http {
  access_log off;
${temporary}
  keepalive_requests 1000000;
  upstream api {
    server ${new URL(upstreamUrl).host};
    keepalive ${connectionsMax / 2};
    keepalive_requests 1000000;
  }
  server {
    listen ${listen} backlog=2048;
    location / {
      proxy_pass http://api;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
    }
  }
}
`;
}

/** An address at which nothing listens. */
async function freeAddress(): Promise<string> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = addressOf(server);
  await new Promise((resolve) => server.close(resolve));
  return url;
}

async function listens(url: string): Promise<void> {
  for (let look = 1; ; look++) {
    try {
      await (await fetch(`${url}/bytes/1`)).text();
      return;
    } catch (error) {
      if (look === looksMax) throw error;
      await pause(lookMs);
    }
  }
}
