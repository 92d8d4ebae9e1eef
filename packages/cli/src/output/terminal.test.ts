/** What strangers write, on a pseudo-terminal: none of it reaches the terminal as a command. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { challenge, listen, served, startSeller, testKey } from "@farthing/buyer/testing";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";
import { unpackedBytesMax } from "../input/read-body.ts";

/** Title, clear screen (7 and 8 bit), right to left, and a tag beyond the first plane. */
const hostile = "a\u001b]0;owned\u0007b\u001b[2Jc\u009b2Jd\u202ee\u{e0041}f\ttab\nline\rover";
/** What of it a terminal would act on. Line ends are \r\n there, and \r\r\n where they were \r\n. */
const commands = /(?!\r+\n|\n|\t)[\p{Cc}\p{Cf}]/u;

let home = "";
beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "farthing-terminal-"));
});
afterAll(() => rmSync(home, { recursive: true }));

/** Runs the command on a pseudo-terminal and gives all that the terminal would get. */
async function onTerminal(...args: readonly string[]): Promise<string> {
  const bin = fileURLToPath(new URL("../../bin/farthing.js", import.meta.url));
  const words = [process.execPath, bin, ...args].map((word) => `'${word}'`).join(" ");
  const child = spawn("script", ["-qec", words, "/dev/null"], {
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_WALLET_KEY: testKey,
      FARTHING_RPC_URL: "none",
      XDG_CONFIG_HOME: home,
      // Colours where nothing is waited for; a slow machine would show the line of a wait elsewhere.
      TERM: args[0] === "gateway" ? "xterm" : "dumb",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  return text(child.stdout);
}

function expectHarmless(shown: string): void {
  expect(shown).toContain(String.raw`\u001b]0;owned\u0007b\u001b[2Jc\u009b2Jd\u202ee`);
  expect(shown).not.toMatch(commands);
}

test("the content that was bought, its headers and the report about it", async () => {
  const header = { "X-Note": "x\u009b2Jy" };
  const paid = { ...served(), body: hostile };
  await using seller = await startSeller({
    paid: [{ ...paid, headers: { ...paid.headers, ...header } }],
  });
  const shown = await onTerminal("pay", "-i", seller.url);
  expectHarmless(shown);
  expect(shown).toContain(String.raw`\u009b2Jy`);
  expect(shown).toMatch(/f\ttab\r\nline\\u000dover\r\n$/);
  expectHarmless(await onTerminal("pay", "--json", seller.url));
  // A program gets what was bought, byte for byte.
  const { stdout } = await farthing(["pay", seller.url]);
  expect(stdout).toBe(hostile);
});

test("what a price says, and what a facilitator lists or refuses", async () => {
  const broken = { scheme: hostile, network: hostile, amount: "1" };
  const unpaid = { status: 402, body: JSON.stringify({ x402Version: 2, accepts: [broken] }) };
  await using seller = await startSeller({ unpaid });
  for (const flags of [[], ["--json"]]) {
    expect(await onTerminal("inspect", ...flags, seller.url)).not.toMatch(commands);
  }
  const accepts = JSON.parse(String(challenge().body)).accepts;
  const resource = { resource: hostile, serviceName: hostile, accepts };
  const lists = { answer: { resources: [resource] } as object, status: 200 };
  const facilitator = createServer((_, response) => {
    response.writeHead(lists.status, { "Content-Type": "application/json" });
    response.end(JSON.stringify(lists.answer));
  });
  const url = await listen(facilitator);
  for (const flags of [[], ["--json"]]) {
    const shown = await onTerminal("find", "x", "--facilitator", url, ...flags);
    expect(shown).toContain("own");
    expect(shown).not.toMatch(commands);
  }
  Object.assign(lists, { answer: { error: hostile, message: hostile }, status: 500 });
  expect(await onTerminal("find", "x", "--facilitator", url)).not.toMatch(commands);
  facilitator.close();
});

test("the check of a gateway's file keeps its colours, and shows what the file holds", async () => {
  const file = join(home, "gateway.yaml");
  writeFileSync(file, `version: 1\npayTo: ${JSON.stringify(hostile)}\n`);
  const shown = await onTerminal("gateway", "check", file);
  expect(shown).toContain("\u001b[31mFAIL\u001b[39m");
  const colors = ["1", "22", "31", "39"].map((code) => `\u001b[${code}m`);
  const plain = colors.reduce((rest, color) => rest.replaceAll(color, ""), shown);
  expect(plain).not.toMatch(commands);
});

test("an import of somebody else's document, and what is wrong with a file", async () => {
  const document = join(home, "openapi.json");
  const priced = { "x-payment-info": { price: "0.01" }, summary: hostile.replace("\n", "") };
  const paths = { "/a": { get: priced }, [`/${hostile}.x`]: { get: {} } };
  const info = { title: hostile, version: "1" };
  writeFileSync(document, JSON.stringify({ openapi: "3.1.0", info, paths }));
  const config = await onTerminal("gateway", "import", document);
  expect(config).toContain("owned");
  expect(config).not.toMatch(commands);
  const prices = join(home, "prices.yaml");
  writeFileSync(prices, JSON.stringify({ [hostile]: "0.01" }));
  const unused = await onTerminal("gateway", "import", document, "--prices", prices);
  expect(unused).toContain("owned");
  expect(unused).not.toMatch(commands);
  const file = join(home, "explained.yaml");
  writeFileSync(file, JSON.stringify({ version: 1, [hostile]: hostile }));
  for (const asked of [
    ["explain", "GET", "/a", "-c", file],
    ["-c", file],
  ]) {
    const shown = await onTerminal("gateway", ...asked);
    expect(shown).toContain("own");
    expect(shown).not.toMatch(commands);
  }
});

test("a ledger's file that somebody else has written", async () => {
  const busy = { status: 503, headers: { "Retry-After": "3600" } };
  await using seller = await startSeller({ paid: [busy] });
  const environment = { XDG_CONFIG_HOME: home };
  await farthing(["pay", seller.url], { environment });
  const ledger = join(home, "farthing", "ledger.jsonl");
  const written = readFileSync(ledger, "utf8");
  const named = '"headersLeftOut":["x\u009b2Jy"]';
  writeFileSync(ledger, written.replaceAll(/"headersLeftOut":\[[^\]]*\]/g, named));
  const { requestId }: { requestId: string } = JSON.parse(written.split("\n")[1] ?? "").record;
  const shown = await onTerminal("ledger", "resume", requestId);
  expect(shown).toContain(String.raw`\u009b2Jy`);
  expect(shown).not.toMatch(commands);
});

test("a packed body that unpacks to more than anybody meant to fetch is cut off", async () => {
  const body = new Uint8Array(gzipSync(Buffer.alloc(unpackedBytesMax + 1)));
  await using seller = await startSeller({
    unpaid: { status: 200, headers: { "Content-Encoding": "gzip" }, body },
  });
  const file = join(home, "bomb");
  const { code, stderr } = await farthing(["pay", "-o", file, seller.url]);
  expect(code).toBe(1);
  expect(stderr).toContain("Accept-Encoding: identity");
  expect(statSync(file).size).toBeLessThanOrEqual(unpackedBytesMax);
});
