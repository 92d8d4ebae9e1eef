/** Files that are sold without a server: which of a folder are served, and what costs nothing. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { payFor } from "@farthing/seller/testing/buyer";
import type { Facilitator } from "@farthing/seller";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { gatewayConfig, rule } from "./configuration/gateway-file.testing.ts";
import { GatewayConfigError } from "./configuration/read-configuration.ts";
import { rawRequest, sendRaw } from "./gateway.testing.ts";
import { startGateway, type Gateway } from "./gateway.ts";

const report = "country,revenue\nNO,12\n";
/** Above `maxResponseBytes` of these tests. */
const long = "x".repeat(5_000);

const stack = new AsyncDisposableStack();
let folder: string;
let transfers = 0;

/** Takes every payment. */
const facilitator: Facilitator = {
  verify: async () => ({ kind: "verdict", verdict: { isValid: true } }),
  settle: async () => {
    const transaction = `0x${`${++transfers}`.padStart(64, "0")}`;
    return {
      kind: "settlement",
      settlement: { success: true, transaction, network: "eip155:50" },
    };
  },
  settlement: async () => ({ kind: "not_found" }),
};

let gateway: Gateway;
beforeAll(async () => {
  const parent = mkdtempSync(join(tmpdir(), "farthing-folder-"));
  stack.defer(() => rmSync(parent, { recursive: true }));
  folder = join(parent, "files");
  mkdirSync(join(folder, "paid", "sub"), { recursive: true });
  mkdirSync(join(folder, "site"));
  writeFileSync(join(parent, "outside.txt"), "not for sale");
  writeFileSync(join(folder, "paid", "report.csv"), report);
  writeFileSync(join(folder, "paid", "long.txt"), long);
  writeFileSync(join(folder, "site", "index.html"), "<p>Welcome</p>");
  writeFileSync(join(folder, "site", ".env"), "SECRET=1");
  for (const name of ["manual", "free"]) {
    mkdirSync(join(folder, "books", name), { recursive: true });
    writeFileSync(join(folder, "books", name, "index.html"), "<p>A book</p>");
  }
  gateway = await startGateway({
    config: gatewayConfig({
      publicUrl: "http://shop.example",
      listen: { http: "127.0.0.1:0" },
      upstreams: { api: { folder, maxResponseBytes: "4KiB" } },
      routes: [
        rule("* /paid/* 0.01"),
        rule("* /site/* free"),
        rule("GET /books/manual/index.html 0.01"),
        rule("GET /books/free/ free"),
        rule("GET /books/free/index.html free"),
        rule("GET /books/* free"),
      ],
    }),
    facilitator,
  });
  stack.defer(() => gateway.stop());
});
afterAll(() => stack.disposeAsync());

async function buy(path: string, init: RequestInit = {}) {
  const url = gateway.url + path;
  return fetch(url, { ...init, headers: await payFor(url, init) });
}

test("a file is sold: 402 first, then its content with its type", async () => {
  const asked = await fetch(`${gateway.url}/paid/report.csv`);
  expect(asked.status).toBe(402);
  const before = transfers;
  const bought = await buy("/paid/report.csv");
  expect([bought.status, bought.headers.get("Content-Type"), await bought.text()]).toEqual([
    200,
    "text/csv; charset=utf-8",
    report,
  ]);
  expect(transfers).toBe(before + 1);
});

test.each(["/", "/index.html", "/INDEX.HTML", "/%69ndex.html", "/?a=1"])(
  "an index that is sold is not free as %s of its folder",
  async (name) => {
    const response = await fetch(`${gateway.url}/books/manual${name}`);
    expect(await response.text()).not.toContain("A book");
    expect([402, 404]).toContain(response.status);
  },
);

test("a folder and its index are one file", async () => {
  const names = ["/books/free/", "/books/free/index.html"];
  const texts = names.map(async (name) => (await fetch(gateway.url + name)).text());
  expect(await Promise.all(texts)).toEqual(["<p>A book</p>", "<p>A book</p>"]);
});

test("what is no file costs nothing", async () => {
  const before = transfers;
  const statuses: number[] = [];
  for (const path of ["/paid/missing.csv", "/paid/sub", "/paid/sub/", "/paid/long.txt"]) {
    const { status, headers } = await buy(path);
    expect(headers.get("X-Payment-Charged")).toBe("no");
    statuses.push(status);
  }
  const { status, headers } = await buy("/paid/report.csv", { method: "POST", body: "x" });
  expect([...statuses, status, headers.get("Allow")]).toEqual([
    404,
    404,
    404,
    502,
    405,
    "GET, HEAD",
  ]);
  expect(transfers).toBe(before);
});

test("free files have an index, parts and validators; hidden files are not there", async () => {
  const page = await fetch(`${gateway.url}/site/`);
  const type = page.headers.get("Content-Type");
  expect([page.status, type, await page.text()]).toEqual([
    200,
    "text/html; charset=utf-8",
    "<p>Welcome</p>",
  ]);
  const index = `${gateway.url}/site/index.html`;
  const part = await fetch(index, { headers: { Range: "bytes=3-9" } });
  expect([part.status, await part.text()]).toEqual([206, "Welcome"]);
  const wrong = await fetch(index, { headers: { Range: "bytes=900-" } });
  expect(wrong.status).toBe(416);
  await wrong.text();
  // `fetch` adds Cache-Control: no-cache to a validator.
  const validator = `If-None-Match: ${page.headers.get("ETag") ?? ""}`;
  const same = await sendRaw(gateway.url, rawRequest("GET /site/index.html", [validator]));
  expect(same.status).toBe(304);
  const head = await fetch(index, { method: "HEAD" });
  expect([head.status, head.headers.get("Content-Length")]).toEqual([200, "14"]);
  const hidden = await fetch(`${gateway.url}/site/.env`);
  expect([hidden.status, (await hidden.text()).includes("SECRET")]).toEqual([404, false]);
});

test("no path leads out of the folder", async () => {
  for (const target of [
    "/site/../../outside.txt",
    "/site/%2e%2e/%2e%2e/outside.txt",
    "/site/..%2f..%2foutside.txt",
    "/site/%00",
    "/site/..\\..\\outside.txt",
  ]) {
    const { status, text } = await sendRaw(gateway.url, rawRequest(`GET ${target}`));
    expect([target, status >= 400 && status < 500, text.includes("not for sale")]).toEqual([
      target,
      true,
      false,
    ]);
  }
});

/** Where a file with this upstream has problems. */
function problemsOf(api: Record<string, unknown>): readonly string[] {
  try {
    gatewayConfig({ upstreams: { api } });
  } catch (error) {
    if (error instanceof GatewayConfigError) return error.problems.map(({ path }) => path);
  }
  return [];
}

test("a folder that is not there, and one beside an address, are named when the file is read", () => {
  expect(problemsOf({ folder: "/no/such/folder" })).toEqual(["upstreams.api.folder"]);
  expect(problemsOf({ folder, url: "http://127.0.0.1:1" })).toEqual(["upstreams.api.folder"]);
  expect(problemsOf({})).toEqual(["upstreams.api.url"]);
});

test("%2F cannot be data in the name of a file, so that no other rule's path leads to one that is sold", () => {
  expect(problemsOf({ folder, paths: { allowEncodedSlash: true } })).toEqual([
    "upstreams.api.paths.allowEncodedSlash",
  ]);
  expect(problemsOf({ folder, paths: { allowEncodedSlash: false } })).toEqual([]);
});

test("visitors who read free files slowly keep no buyer away", async () => {
  const large = join(folder, "site", "large.bin");
  writeFileSync(large, "");
  // More than the buffers of a connection hold, and no room on the disk.
  truncateSync(large, 64 * 1024 * 1024);
  const crowded = await startGateway({
    config: gatewayConfig({
      publicUrl: "http://shop.example",
      listen: { http: "127.0.0.1:0" },
      upstreams: { api: { folder, concurrency: 4, timeouts: { connect: "500ms" } } },
      routes: [
        rule("* /paid/* 0.01"),
        rule("* /site/* free"),
        rule("GET /books/manual/index.html 0.01"),
        rule("GET /books/free/ free"),
        rule("GET /books/free/index.html free"),
        rule("GET /books/* free"),
      ],
    }),
    facilitator,
  });
  const { hostname, port } = new URL(crowded.url);
  const visitors = Array.from({ length: 8 }, () => {
    const visitor = connect(Number(port), hostname).on("error", () => undefined);
    visitor.write("GET /site/large.bin HTTP/1.1\r\nHost: shop.example\r\n\r\n");
    return visitor;
  });
  onTestFinished(async () => {
    for (const visitor of visitors) visitor.destroy();
    await crowded.stop();
  });
  // Some of them get the beginning of the file, and the others are sent away.
  await Promise.all(visitors.map((visitor) => once(visitor, "readable")));
  const url = `${crowded.url}/paid/report.csv`;
  const bought = await fetch(url, { headers: await payFor(url) });
  expect([bought.status, await bought.text()]).toEqual([200, report]);
});

const readRules = (routes: readonly string[]) =>
  gatewayConfig({ upstreams: { api: { folder } }, routes: routes.map((text) => rule(text)) });

test("a rule for a folder above one for its index, at another price, is refused", () => {
  const crossed = ["GET /books/ free", "GET /books/index.html 0.01"];
  expect(() => readRules(crossed)).toThrow(
    /routes\[1\]\.match is never reached.*index\.html as well/,
  );
  expect(() => readRules(crossed.toReversed())).not.toThrow();
});
