/** Caddy with a Caddyfile of deploy/, on free ports of this machine and with a certificate of a test. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders } from "node:http";
import { request, type RequestOptions } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestAuthority } from "./certificates.testing.ts";

export const hasCaddy = spawnSync("caddy", ["version"]).status === 0;

export interface CaddyOptions {
  /** The text of the Caddyfile. */
  readonly config: string;
  readonly authority: TestAuthority;
  /** The names that it is asked for. */
  readonly names: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
}

/** A proxy that terminates TLS. */
export interface TlsProxy {
  readonly http: number;
  readonly https: number;
  stop(): Promise<void>;
}

/** Starts Caddy; only ports and certificates differ from the file. */
export async function startCaddy(options: CaddyOptions): Promise<TlsProxy> {
  const { config, authority, names, environment } = options;
  const folder = mkdtempSync(join(tmpdir(), "farthing-caddy-"));
  const { cert, key } = writeIdentity(folder, authority, names);
  const [http, https] = [await freePort(), await freePort()];
  const ports = `http_port ${http}\n\thttps_port ${https}\n\tadmin off\n\tskip_install_trust\n`;
  const path = join(folder, "Caddyfile");
  writeFileSync(
    path,
    config
      .replace(/^\{\n/m, `{\n\t${ports}`)
      .replaceAll(/^\timport service/gm, `\ttls ${cert} ${key}\n\timport service`),
  );
  const child = spawn("caddy", ["run", "--config", path, "--adapter", "caddyfile"], {
    env: {
      PATH: process.env["PATH"],
      HOME: folder,
      XDG_DATA_HOME: folder,
      XDG_CONFIG_HOME: folder,
      ...environment,
    },
    stdio: "ignore",
  });
  return {
    http,
    https,
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Writes a certificate for the names and its key; returns their paths. */
export function writeIdentity(folder: string, authority: TestAuthority, names: readonly string[]) {
  const identity = authority.identify({ dns: names, ips: [] });
  const [cert, key] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  writeFileSync(cert, identity.cert);
  writeFileSync(key, identity.key, { mode: 0o600 });
  return { cert, key };
}

/** The port of a listener that is gone again. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("It listens on a port");
  return address.port;
}

export interface TlsCall extends Omit<RequestOptions, "headers"> {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface TlsAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** Calls a name at the proxy, and believes the test's authority alone. */
export async function callTls(
  { https }: TlsProxy,
  authority: TestAuthority,
  url: string,
  { headers, body, ...options }: TlsCall = {},
): Promise<TlsAnswer> {
  const { hostname, pathname, search } = new URL(url);
  const sent = request({
    host: "127.0.0.1",
    port: https,
    servername: hostname,
    ca: authority.cert,
    path: pathname + search,
    headers: { host: hostname, ...headers },
    ...options,
  });
  sent.end(body);
  const [response] = await once(sent, "response");
  return { status: response.statusCode, headers: response.headers, body: await text(response) };
}
