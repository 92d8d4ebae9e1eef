/**
 * The configurations of Caddy and nginx in deploy/, run with certificates of a local authority: a
 * payment through TLS, callers' true addresses, bodies, streams and redirects.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, request as requestHttp, type Server, type ServerResponse } from "node:http";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { connect } from "node:tls";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import {
  callTls,
  freePort,
  hasCaddy,
  startCaddy,
  writeIdentity,
  type TlsCall,
  type TlsProxy,
} from "../support/caddy.testing.ts";
import { createAuthority } from "../support/certificates.testing.ts";
import { bodyOn, serveOn, startChain, type Served } from "../support/facilitator.testing.ts";

const deploy = join(import.meta.dirname, "../../../../deploy");
const names = ["pay.example.com", "api.example.com"];
const authority = createAuthority();

let devnet: Devnet;
let served: Served;
/** Stands where the gateway would: it streams two events, the second when it is told to. */
let upstream: Server;
let second: (() => void) | undefined;

beforeAll(async () => {
  devnet = await startChain({ blockTimeSeconds: 1 });
  served = await serveOn(devnet, {
    env: { FARTHING_TRUSTED_PROXIES: "127.0.0.1", FARTHING_RATE_LIMIT: "20" },
  });
  upstream = createServer((_, response: ServerResponse) => {
    response.writeHead(200, { "content-type": "text/event-stream" });
    response.write("data: first\n\n");
    second = () => response.end("data: second\n\n");
  });
  upstream.listen(0, "127.0.0.1");
  await once(upstream, "listening");
});
afterAll(async () => {
  upstream?.close();
  await served?.stop();
  await devnet?.stop();
});

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("It listens on a port");
  return address.port;
}

/** A file of deploy/ with the addresses of the services of this test. */
const places = (file: string) =>
  readFileSync(join(deploy, file), "utf8")
    .replaceAll("127.0.0.1:8402", new URL(served.url).host)
    .replaceAll("127.0.0.1:8403", `127.0.0.1:${portOf(upstream)}`);

/** Starts a server with the file of deploy/, of which only names of places are changed. */
function startProxy(kind: "caddy" | "nginx"): Promise<TlsProxy> {
  if (kind === "nginx") return startNginx();
  // The second service of the file is a comment.
  const config = places("caddy/Caddyfile").replaceAll(/^# (api\..*|\timport.*|\})$/gm, "$1");
  return startCaddy({ config, authority, names });
}

async function startNginx(): Promise<TlsProxy> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-nginx-"));
  const { cert, key } = writeIdentity(folder, authority, names);
  const [http, https] = [await freePort(), await freePort()];
  mkdirSync(join(folder, "tmp"));
  const config = places("nginx/farthing.conf")
    .replaceAll(/ssl_certificate .*;/g, `ssl_certificate ${cert};`)
    .replaceAll(/ssl_certificate_key .*;/g, `ssl_certificate_key ${key};`)
    .replaceAll(/listen \[::\].*;\n/g, "")
    .replaceAll("listen 80;", `listen 127.0.0.1:${http};`)
    .replaceAll("listen 443 ", `listen 127.0.0.1:${https} `);
  const temporary = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
    .map((one) => `${one}_temp_path ${join(folder, "tmp", one)};`)
    .join("\n");
  const path = join(folder, "config");
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${folder}/pid; error_log ${folder}/error.log;
events {}
http { access_log off; ${temporary}
${config} }`,
  );
  const child = spawn("nginx", ["-c", path, "-p", folder], { stdio: "ignore" });
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

describe.each(["caddy", "nginx"] as const)("%s", (kind) => {
  const isHere = kind === "caddy" ? hasCaddy : spawnSync("nginx", ["-v"]).status === 0;

  describe.skipIf(!isHere)("in front of the service", () => {
    let proxy: TlsProxy;
    beforeAll(async () => {
      proxy = await startProxy(kind);
      await vi.waitFor(() => call("/health"), { timeout: 60_000 });
    });
    afterAll(() => proxy?.stop());

    const trusting = (name = "pay.example.com") => ({
      host: "127.0.0.1",
      port: proxy.https,
      servername: name,
      ca: authority.cert,
    });

    const call = (path: string, options: TlsCall = {}) =>
      callTls(proxy, authority, `https://pay.example.com${path}`, options);

    test("a payment settles through TLS", async () => {
      const headers = { "content-type": "application/json" };
      const body = JSON.stringify(bodyOn(devnet));
      const settled = await call("/settle", { method: "POST", headers, body });
      expect(JSON.parse(settled.body)).toMatchObject({ success: true });
      expect(settled.headers["strict-transport-security"]).toContain("max-age");
    });

    /** The status for a caller of an address that claims another one. */
    const limited = async (at: number, localAddress: string) => {
      const headers = { "x-forwarded-for": `203.0.113.${at}`, forwarded: "for=203.0.113.9" };
      return (await call("/status", { localAddress, headers })).status;
    };

    test("callers are counted by the address that the proxy saw, whatever they claim", async () => {
      const own = kind === "caddy" ? "127.0.0.11" : "127.0.0.12";
      const statuses = await Promise.all(Array.from({ length: 30 }, (_, at) => limited(at, own)));
      expect(statuses.filter((status) => status === 429).length).toBeGreaterThan(0);
      expect(await limited(1, kind === "caddy" ? "127.0.0.21" : "127.0.0.22")).toBe(200);
    });

    test("speaks HTTP/2, and sends plain http to https", async () => {
      const socket = connect({ ...trusting(), ALPNProtocols: ["h2", "http/1.1"] });
      await once(socket, "secureConnect");
      expect(socket.alpnProtocol).toBe("h2");
      socket.destroy();
      const plain = requestHttp({
        host: "127.0.0.1",
        port: proxy.http,
        path: "/supported?x=1",
        headers: { host: "pay.example.com" },
      });
      plain.end();
      const [response] = await once(plain, "response");
      response.resume();
      expect(response.statusCode).toBe(308);
      expect(response.headers.location).toMatch(/^https:\/\/pay\.example\.com.*\/supported\?x=1$/);
    });

    test("a body that no payment has gets 413", async () => {
      const headers = { "content-type": "application/json" };
      const body = "x".repeat(200_000);
      const large = await call("/verify", { method: "POST", headers, body });
      expect(large.status).toBe(413);
    });

    test("the events of a stream arrive one by one", async () => {
      const sent = request({
        ...trusting("api.example.com"),
        path: "/stream",
        headers: { host: "api.example.com" },
      });
      sent.end();
      const [response] = await once(sent, "response");
      const [first] = await once(response, "data");
      expect(String(first)).toBe("data: first\n\n");
      // The service sends the second one only now.
      second?.();
      expect(await text(response)).toBe("data: second\n\n");
    });
  });
});
