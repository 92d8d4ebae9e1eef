/** The pages that the service serves: the dashboard's files, and the reference of the API. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { serveOn, startChain, type Served } from "../support/facilitator.testing.ts";
import { sendRaw } from "../support/raw-http.testing.ts";

const home = "/account/facilitator";

let devnet: Devnet;
let served: Served;
const root = mkdtempSync(join(tmpdir(), "farthing-pages-"));
const folder = join(root, "dist");

beforeAll(async () => {
  writeFileSync(join(root, "secret.txt"), "not for browsers");
  devnet = await startChain();
  served = await serveOn(devnet, { selfBuilt: false, dashboardFolder: folder });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
  rmSync(root, { recursive: true, force: true });
});

/** What a browser gets. */
async function open(path: string, method = "GET") {
  const response = await fetch(`${served.url}${path}`, { method });
  const header = (name: string) => response.headers.get(name) ?? "";
  return {
    status: response.status,
    text: await response.text(),
    type: header("content-type"),
    caching: header("cache-control"),
    policy: header("content-security-policy"),
    sniffing: header("x-content-type-options"),
  };
}

/** What a client gets that takes these encodings. */
async function openAs(path: string, accepted: string) {
  const response = await fetch(`${served.url}${path}`, {
    headers: { "accept-encoding": accepted },
  });
  const { status, headers } = response;
  return {
    status,
    encoding: headers.get("content-encoding"),
    vary: headers.get("vary"),
    type: headers.get("content-type"),
    caching: headers.get("cache-control"),
    text: await response.text(),
  };
}

describe("the dashboard", () => {
  test("that is not built says how to build it", async () => {
    const page = await open(home);
    expect(page).toMatchObject({ status: 503, caching: "no-store" });
    expect(page.type).toMatch(/^text\/html/);
    expect(page.text).toContain("npm run build -w @farthing/dashboard");
  });

  test("that is built is there without a new start", async () => {
    mkdirSync(join(folder, "assets"), { recursive: true });
    writeFileSync(join(folder, "index.html"), "<!doctype html><title>Dashboard</title>");
    writeFileSync(join(folder, "assets", "app-3f2a9c.js"), "start();");
    writeFileSync(join(folder, "mark.svg"), "<svg xmlns='http://www.w3.org/2000/svg'/>");
    writeFileSync(join(folder, ".hidden.txt"), "not for browsers");
    expect(await open(home)).toMatchObject({ status: 200 });
  });

  test.each(["", "/", "/keys", "/settlements/stl_1", "/credits?cursor=x", "/index.html"])(
    "%s is the page, which no cache keeps",
    async (path) => {
      const page = await open(`${home}${path}`);
      expect(page).toMatchObject({ status: 200, caching: "no-store", sniffing: "nosniff" });
      expect(page.text).toContain("<title>Dashboard</title>");
      expect(page.type).toMatch(/^text\/html/);
    },
  );

  test("has files whose names change with them, which caches keep for a year", async () => {
    const file = await open(`${home}/assets/app-3f2a9c.js`);
    expect(file).toMatchObject({
      status: 200,
      text: "start();",
      caching: "public, max-age=31536000, immutable",
    });
    expect(file.type).toMatch(/javascript/);
    const mark = await open(`${home}/mark.svg`);
    expect(mark).toMatchObject({ status: 200, caching: "no-store", type: "image/svg+xml" });
    expect(await open(`${home}/assets/app-3f2a9c.js`, "HEAD")).toMatchObject({
      status: 200,
      text: "",
    });
  });

  test.each([
    ["br", "br, gzip", "brotli"],
    ["gzip", "gzip, deflate", "gzipped"],
    [null, "identity", "start();"],
  ])("has its files in %s for those who take %s", async (encoding, accepted, text) => {
    const file = join(folder, "assets", "app-3f2a9c.js");
    writeFileSync(`${file}.br`, brotliCompressSync("brotli"));
    writeFileSync(`${file}.gz`, gzipSync("gzipped"));
    expect(await openAs(`${home}/assets/app-3f2a9c.js`, accepted)).toEqual({
      status: 200,
      encoding,
      vary: "accept-encoding",
      type: "application/javascript; charset=utf-8",
      caching: "public, max-age=31536000, immutable",
      text,
    });
  });

  test.each([home, `${home}/assets/app-3f2a9c.js`, `${home}/assets/gone.js`])(
    "%s may load from here and nowhere else",
    async (path) => {
      expect((await open(path)).policy).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
      );
    },
  );

  test.each([
    "/assets/gone.js",
    "/.hidden.txt",
    "/..%2fsecret.txt",
    "/%2e%2e/secret.txt",
    "/assets/..%2f..%2fsecret.txt",
    "/assets/%00.js",
  ])("%s is no file, and no cache keeps that", async (path) => {
    const answer = await sendRaw(
      served.url,
      `GET ${home}${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`,
    );
    expect(answer.status).toBeGreaterThanOrEqual(400);
    expect(answer.status).toBeLessThan(500);
    expect(JSON.stringify(answer.body)).not.toContain("not for browsers");
    const { caching } = await open(`${home}/assets/gone.js`);
    expect(caching).not.toContain("immutable");
  });
});

describe("the reference", () => {
  test("loads everything from here, without a script or style in the page", async () => {
    const page = await open("/docs");
    expect(page).toMatchObject({ status: 200 });
    expect(page.policy).toMatch(/^default-src 'none'; script-src 'self'; style-src /);
    // Scalar writes styles; scripts come from files of this host alone.
    expect(page.policy.replace("'self' 'unsafe-inline'; img", "")).not.toMatch(/unsafe|https?:|\*/);
    expect(page.text).not.toMatch(/<style|<script>|\son\w+=|\sstyle=/);
    const links = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, link = ""]) => link);
    const files = links.filter((link) => link.startsWith("/docs/"));
    expect(files).toEqual(["/docs/style.css", "/docs/scalar.js", "/docs/start.js"]);
    for (const link of files) {
      const { origin, pathname } = new URL(link, `${served.url}/docs`);
      expect(origin).toBe(served.url);
      expect((await open(pathname)).status).toBe(200);
    }
  });

  test("names its scripts' languages and caches what does not change", async () => {
    expect(await open("/docs")).toMatchObject({ type: "text/html; charset=utf-8" });
    const script = await open("/docs/scalar.js");
    expect(script).toMatchObject({ status: 200, caching: "public, max-age=86400" });
    expect(script.type).toBe("text/javascript; charset=utf-8");
  });

  test.each(["scalar.js", "payments.json", "account.json"])(
    "has %s in the encoding that is taken, the same in each",
    async (name) => {
      const plain = await openAs(`/docs/${name}`, "identity");
      expect(plain).toMatchObject({ status: 200, encoding: null, vary: "Accept-Encoding" });
      for (const [accepted, encoding] of [
        ["gzip, deflate, br", "br"],
        ["gzip, deflate", "gzip"],
        ["br;q=0, gzip", "gzip"],
        ["zstd", null],
      ] as const) {
        expect(await openAs(`/docs/${name}`, accepted)).toEqual({ ...plain, encoding });
      }
    },
  );
});

test("crawlers read the pages, and neither the dashboard nor the API", async () => {
  const { status, type, text } = await open("/robots.txt");
  expect([status, type]).toEqual([200, "text/plain; charset=utf-8"]);
  expect(text).toBe("User-agent: *\nDisallow: /account/\nDisallow: /v1/\n");
});
