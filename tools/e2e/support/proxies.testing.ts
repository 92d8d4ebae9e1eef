/** nginx and Caddy, started with a file of deploy/ of which only places are changed. */
import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { vi } from "vitest";
import { freePorts } from "./free-ports.testing.ts";

export type ProxyKind = "nginx" | "caddy";

export interface Proxy {
  readonly url: string;
  stop(): Promise<void>;
}

/** Where a proxy serves, what, and whom it asks. */
export interface ProxyPlaces {
  /** The folder of files. */
  readonly folder: string;
  /** host:port of the gateway. */
  readonly gateway: string;
  /** host:port of an API in place of the folder. */
  readonly api?: string;
}

const deploy = join(import.meta.dirname, "../../../deploy");

/** Debian has nginx outside the path of users. */
const environment = { ...process.env, PATH: `${process.env["PATH"] ?? ""}:/usr/sbin` };

export function hasProxy(kind: ProxyKind): boolean {
  const version = kind === "nginx" ? "-v" : "version";
  return spawnSync(kind, [version], { env: environment }).status === 0;
}

export async function startProxy(kind: ProxyKind, places: ProxyPlaces): Promise<Proxy> {
  const own = mkdtempSync(join(tmpdir(), `farthing-${kind}-`));
  const [port = 0] = await freePorts(1);
  const file = join(own, "config");
  writeFileSync(file, kind === "nginx" ? nginxFile(own, port, places) : caddyFile(port, places));
  const url = `http://127.0.0.1:${port}`;
  if (kind === "nginx") return startNginx(file, own, url);
  const child = spawn("caddy", ["run", "--config", file, "--adapter", "caddyfile"], {
    stdio: "ignore",
    env: { ...environment, XDG_DATA_HOME: own, XDG_CONFIG_HOME: own },
  });
  return untilServed(child, own, url);
}

/** Starts nginx with a file in a folder of its own, which goes with it. */
export function startNginx(file: string, own: string, url: string): Promise<Proxy> {
  // One process: workers of a root process would be another user's, who may not write to the folder.
  const directives = "daemon off; master_process off;";
  const child = spawn("nginx", ["-c", file, "-p", own, "-g", directives], {
    stdio: "ignore",
    env: environment,
  });
  return untilServed(child, own, url);
}

async function untilServed(child: ChildProcess, own: string, url: string): Promise<Proxy> {
  await vi.waitFor(() => fetch(url), { timeout: 60_000 });
  return { url, stop: () => end(child, own) };
}

async function end(child: ChildProcess, folder: string): Promise<void> {
  const ended = once(child, "exit");
  child.kill();
  await ended;
  rmSync(folder, { recursive: true, force: true });
}

function nginxFile(own: string, port: number, { folder, gateway, api }: ProxyPlaces): string {
  const config = readFileSync(join(deploy, "nginx/authorize.conf"), "utf8")
    .replaceAll("127.0.0.1:8402", gateway)
    .replace("listen 80;", `listen 127.0.0.1:${port};`)
    .replace("/srv/files", folder)
    .replace("try_files $uri =404;", api === undefined ? "$&" : nginxApi(api));
  mkdirSync(join(own, "tmp"));
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((one) => `${one}_temp_path ${join(own, "tmp", one)};`)
    .join("\n");
  return `pid ${own}/pid; error_log ${own}/error.log;
events {}
http { access_log off; ${temporary}
${config} }`;
}

/** What the file's comment says about an API, and what every WebSocket behind nginx needs. */
function nginxApi(api: string): string {
  return `auth_request_set $x402_payer $upstream_http_x_payment_payer;
    proxy_set_header X-Payment-Payer $x402_payer;
    proxy_http_version 1.1;
    proxy_set_header Upgrade $http_upgrade;
    proxy_set_header Connection $http_connection;
    proxy_pass http://${api};`;
}

function caddyFile(port: number, { folder, gateway, api }: ProxyPlaces): string {
  const site = readFileSync(join(deploy, "caddy/authorize.Caddyfile"), "utf8")
    .replaceAll("{$SITE_NAME:api.example.com}", `http://:${port}`)
    .replaceAll("{$SITE_FOLDER:/srv/files}", folder)
    .replaceAll("{$SITE_GATEWAY:127.0.0.1:8402}", gateway)
    .replace("\t\t\tfile_server", api === undefined ? "$&" : `\t\t\treverse_proxy ${api}`);
  return `{
	admin off
	auto_https off
}
${site}`;
}
