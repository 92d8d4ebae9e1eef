/**
 * Keeps the code's shape: who may import whom, what may appear in one place only, how long things
 * may grow, what is left over. Every check is also shown planted faults, because a check that
 * cannot fail keeps nothing, and innocent look-alikes, because one that always fails is switched off.
 */
import { globSync, readFileSync } from "node:fs";
import { join, sep } from "node:path";
import { describe, expect, test } from "vitest";
import { checks, wrongDependencies } from "./tidy/checks.ts";
import { checkCircles } from "./tidy/circles.ts";
import { read, type Source } from "./tidy/source.ts";
import { checkTypeNames } from "./tidy/type-names.ts";

const root = join(import.meta.dirname, "..");

const sources: readonly Source[] = globSync("{packages,tools}/**/*.{ts,tsx,js,mjs}", {
  cwd: root,
  exclude: ["**/node_modules/**", "**/dist/**", "**/generated/**"],
})
  .map((path) => path.replaceAll(sep, "/"))
  .sort()
  .map((path) => read(path, readFileSync(join(root, path), "utf8")));

test("the sources are found", () => {
  expect(sources.map(({ path }) => path)).toContain("packages/protocol/src/index.ts");
});

test.each(Object.entries(checks))("%s", (_name, check) => {
  expect(sources.flatMap((source) => check(source))).toEqual([]);
});

test("dependencies follow the arrows", () => {
  expect(wrongDependencies()).toEqual([]);
});

test("no files import each other in a circle", () => {
  expect(checkCircles(sources)).toEqual([]);
});

test("no exported type name has two meanings in a package", () => {
  expect(checkTypeNames(sources)).toEqual([]);
});

const inside = (path: string) => `packages/facilitator/src/${path}`;
const engine = (path: string) => `packages/engine/src/${path}`;
const lines = (count: number) => "void 0;\n".repeat(count);
/** So many functions or methods, each with so many lines in all. */
const closures = (count: number, each: number) =>
  `function b() {\n${lines(each - 2)}}\n`.repeat(count);
const methods = (count: number, each: number) => `b() {\n${lines(each - 2)}}\n`.repeat(count);
const layers = "a folder imports only the folders below it";
const arrows = "a package imports only its neighbours, by what they export";
const sizes = "nothing grows too long";
const names = "names say something";
const words = "names use the field's words";
const leftovers = "nothing is left over";
const tests = "tests are the real thing";

/** A check, a file, and text in it that the check must find. */
const faults: readonly (readonly [string, string, string])[] = [
  [layers, engine("model/a.ts"), 'import { b } from "../storage/b.ts";'],
  [layers, engine("chain/a.ts"), 'import type { B } from "../relayer/b.ts";'],
  [layers, engine("chain/a.ts"), 'export * from "../relayer/b.ts";'],
  [layers, engine("chain/a.ts"), 'const b = await import("../settlement/b.ts");'],
  [layers, engine("chain/a.ts"), 'type B = import("../settlement/b.ts").B;'],
  [layers, inside("http/a.ts"), 'import type { Config } from "../config.ts";'],
  [layers, inside("http/a.ts"), 'import { b } from "../payments/b.ts";'],
  [layers, inside("payments/a.ts"), 'import { b } from "../features/webhooks/service.ts";'],
  [layers, inside("newcomer/a.ts"), ""],
  [layers, inside("http/messages/a.ts"), 'import { b } from "../server/b.ts";'],
  [layers, inside("http/a-newcomer/b.ts"), ""],
  [layers, "packages/seller/src/payment-records/passes/a.ts", 'import { b } from "../redis/b.ts";'],
  [
    layers,
    "packages/seller/src/payment-records/retention.ts",
    'import { b } from "./passes/b.ts";',
  ],
  [layers, engine("chain/reads/a.ts"), 'import { b } from "../logs/b.ts";'],
  [layers, "packages/protocol/src/encoding/a.ts", 'import { b } from "../messages/b.ts";'],
  [layers, "packages/cli/src/output/a.ts", 'import { b } from "../pay/b.ts";'],
  [arrows, "packages/protocol/src/a.ts", 'import { b } from "@farthing/seller";'],
  [arrows, "packages/buyer/src/a.ts", 'import { b } from "@farthing/seller";'],
  [arrows, "packages/seller/src/a.ts", 'import { b } from "@farthing/facilitator";'],
  [arrows, "packages/gateway/src/a.ts", 'import { b } from "@farthing/buyer";'],
  [arrows, "packages/devnet/src/a.ts", 'import { b } from "@farthing/facilitator";'],
  [arrows, "packages/buyer/src/a.ts", 'import { b } from "@farthing/protocol/src/hex.ts";'],
  [arrows, "packages/buyer/src/a.test.ts", 'import { b } from "@farthing/protocol/src/hex.ts";'],
  [arrows, "packages/buyer/src/a.ts", 'import { b } from "../../protocol/src/hex.ts";'],
  [arrows, "packages/dashboard/src/a.ts", 'import { B } from "@farthing/facilitator/api";'],
  [arrows, "packages/dashboard/src/a.ts", 'import { type B } from "@farthing/facilitator/api";'],
  [arrows, "packages/dashboard/src/a.ts", 'export * from "@farthing/facilitator/api";'],
  [arrows, "packages/dashboard/src/a.ts", 'import type { B } from "@farthing/facilitator";'],
  [arrows, "packages/paywall/src/a.ts", 'import type { B } from "@farthing/facilitator/api";'],
  [arrows, "packages/newcomer/src/a.ts", ""],
  [sizes, "packages/buyer/src/a.ts", lines(401)],
  [sizes, "packages/buyer/src/a.ts", `function long() {\n${lines(69)}}`],
  [sizes, "packages/buyer/src/a.ts", `function a() {\nfunction b() {\n${lines(69)}}}`],
  [sizes, "packages/buyer/src/a.ts", `function a() {\nconst b = () => {\n${lines(69)}}}`],
  [sizes, "packages/buyer/src/a.ts", `const long = async () => {\n${lines(69)}};`],
  [sizes, "packages/buyer/src/a.ts", `function a() {\n${closures(2, 74)}}`],
  [sizes, "packages/buyer/src/a.ts", `class A {\n${methods(5, 50)}}`],
  [sizes, "packages/buyer/src/a.test.ts", `test("t", () => {\n${lines(69)}});`],
  [names, "packages/buyer/src/utils.ts", ""],
  [names, "packages/buyer/src/types.test.ts", ""],
  [names, "packages/buyer/src/common/a.ts", ""],
  [names, "packages/buyer/src/service.ts", ""],
  [names, inside("features/webhooks/helpers.ts"), ""],
  [names, "packages/buyer/src/string-helpers.ts", ""],
  [names, "packages/buyer/src/payOnce.ts", ""],
  [words, "packages/buyer/src/a-purse.ts", ""],
  [words, "packages/buyer/src/purse/a.ts", ""],
  [words, "packages/buyer/src/a.ts", "const purseOf = 1;"],
  [words, "packages/buyer/src/a.test.ts", "const PURSE_LIMIT = 1;"],
  [words, "packages/buyer/src/a.ts", "class A { #mended = true; }"],
  [words, "packages/buyer/src/a.ts", "interface UnjudgedAnswer { readonly a: string }"],
  [words, "packages/dashboard/src/a.tsx", "const a = <Weather b={1} />;"],
  [leftovers, "packages/buyer/src/a.ts", "// FIXME: later"],
  [leftovers, "packages/buyer/src/a.ts", "/** TODO: later */"],
  [leftovers, "packages/buyer/src/a.test.ts", 'test.only("t", () => {});'],
  [leftovers, "packages/buyer/src/a.test.ts", 'describe.only.each([1])("d", () => {});'],
  [tests, "packages/buyer/src/a.ts", 'import { b } from "./b.testing.ts";'],
  [tests, "packages/buyer/src/a.test.ts", "await new Promise((done) => setTimeout(done, 10));"],
  [tests, "packages/buyer/src/a.test.ts", 'import { setTimeout } from "node:timers/promises";'],
  [tests, "packages/buyer/src/a.suite.ts", "await systemClock.sleep(10);"],
  [tests, "packages/buyer/src/a.test.ts", 'test("t", { retry: 2 }, () => {});'],
  [tests, "packages/buyer/src/a.test.ts", 'test.each([1])("t", { retry: 2 }, () => {});'],
  ["HTTP statuses and bodies", inside("features/webhooks/a.ts"), 'import fastify from "fastify";'],
  [
    "HTTP statuses and bodies",
    inside("features/webhooks/a.ts"),
    'import limit from "@fastify/rate-limit";',
  ],
  ["HTTP statuses and bodies", inside("features/webhooks/a.ts"), "reply.code(503);"],
  [
    "HTTP statuses and bodies",
    inside("features/webhooks/a.ts"),
    "const fault = { statusCode: 503 };",
  ],
  ["SQL and database drivers", inside("http/a.ts"), 'import { Kysely } from "kysely";'],
  ["SQL and database drivers", inside("http/a.ts"), 'import { DatabaseSync } from "node:sqlite";'],
  ["SQL and database drivers", inside("http/a.ts"), 'const pg = await import("pg");'],
  ["SQL and database drivers", inside("http/a.ts"), "sql`select id from settlement where ${x}`;"],
  [
    "the EVM library",
    inside("features/webhooks/a.ts"),
    'import * as Secp256k1 from "ox/Secp256k1";',
  ],
  [
    "the EVM library",
    inside("features/webhooks/a.ts"),
    'import { createPublicClient } from "viem";',
  ],
  ["JSON-RPC", engine("relayer/a.ts"), 'const call = { method: "eth_getCode" };'],
  ["JSON-RPC", engine("relayer/a.ts"), 'const call = { jsonrpc: "2.0" };'],
  ["private keys", engine("relayer/wallet-nonces.ts"), "Secp256k1.sign({ payload, key });"],
  ["private keys", inside("app.ts"), "const { privateKey } = config;"],
  ["private keys", inside("app.ts"), "start(config.relayerPrivateKeys);"],
  ["the environment", inside("main.ts"), "const port = process.env.PORT;"],
  ["the environment", inside("main.ts"), 'const port = globalThis.process["env"].PORT;'],
  ["the environment", inside("main.ts"), "const { env } = process;"],
  ["the environment", inside("main.ts"), 'import { env } from "node:process";'],
  ["the time", engine("settlement/a.ts"), "const now = Date.now();"],
  ["the time", engine("settlement/a.ts"), "const now = new Date();"],
  ["the time", engine("settlement/a.ts"), "const clock = performance.now;"],
  ["the end of the process", inside("config.ts"), "process.exit(1);"],
  ["the end of the process", inside("config.ts"), "process.exitCode = 1;"],
  ["the outside world", "packages/protocol/src/a.ts", 'import { readFileSync } from "node:fs";'],
  ["what Node.js 20 lacks", "packages/buyer/src/a.ts", "const b = Promise.withResolvers();"],
  ["what Node.js 20 lacks", "packages/cli/src/a.ts", "const b = URL.parse(c);"],
  ["the outside world", "packages/protocol/src/a.ts", "const now = Date.now();"],
  ["the outside world", "packages/protocol/src/a.ts", "await fetch(url);"],
];

/** The same, where there is nothing to find. */
const innocents: readonly (readonly [string, string, string])[] = [
  [layers, engine("storage/a.ts"), 'import { b } from "../model/b.ts"; import "./c.ts";'],
  [layers, inside("app.ts"), 'import { b } from "./http/b.ts"; import "./config.ts";'],
  [
    layers,
    "packages/seller/src/payment-records/passes/a.ts",
    'import { b } from "../retention.ts";',
  ],
  [layers, engine("model/a.test.ts"), 'import { b } from "../storage/b.ts";'],
  [arrows, "packages/buyer/src/a.ts", 'import { b } from "@farthing/protocol";'],
  [arrows, "packages/dashboard/src/a.ts", 'import type { B } from "@farthing/facilitator/api";'],
  [arrows, "packages/facilitator/src/a.test.ts", 'import { b } from "@farthing/devnet";'],
  [arrows, "tools/demo/main.ts", 'import { b } from "@farthing/facilitator";'],
  [sizes, "packages/buyer/src/a.ts", `function fine() {\n${lines(68)}}\n`],
  [sizes, "packages/buyer/src/a.ts", `function a() {\n${lines(40)}function b() {\n${lines(50)}}}`],
  [sizes, "packages/buyer/src/a.ts", `function a() {\n${closures(2, 49)}}`],
  [sizes, "packages/buyer/src/a.ts", `class A {\n${methods(5, 49)}}`],
  [sizes, "packages/buyer/src/a.ts", lines(400)],
  [sizes, "packages/buyer/src/a.test.ts", `describe("d", () => {\ntest("t", f);\n${lines(80)}});`],
  [words, "packages/buyer/src/a.ts", 'const pursuer = "the purse"; // mended'],
  [leftovers, "packages/buyer/src/a.ts", '// TODO #12: later\nconst text = "FIXME";'],
  [tests, "packages/buyer/src/a.test.ts", "const retry = { retry: 2 }; setTimeout(stop, 10);"],
  ["SQL and database drivers", inside("http/a.ts"), 'const hint = "Select a network first.";'],
  ["JSON-RPC", inside("http/a.ts"), '// Not eth_call.\nconst text = "the eth_call failed";'],
  ["the time", inside("http/a.ts"), "const shown = new Date(ms); type D = Date;"],
  ["the time", engine("base/clock.ts"), "const now = Date.now();"],
  ["private keys", engine("relayer/sign.ts"), "Secp256k1.sign({ payload, privateKey });"],
];

const findingsOf = (name: string, path: string, text: string) =>
  checks[name]?.(read(path, text)) ?? ["there is no such check"];

describe("the checks can fail", () => {
  test.each(faults)("%s: %s: %s", (name, path, text) => {
    const findings = findingsOf(name, path, text);
    expect(findings.length).toBeGreaterThan(0);
    // Says where, and after the semicolon or colon what to do.
    for (const finding of findings) expect(finding).toMatch(/^[\w./-]+.*[;:,] \S.{8,}$/);
  });

  test("every check is shown a fault", () => {
    expect(new Set(faults.map(([name]) => name))).toEqual(new Set(Object.keys(checks)));
  });

  test.each(innocents)("and pass, %s: %s: %s", (name, path, text) => {
    expect(findingsOf(name, path, text)).toEqual([]);
  });
});

const file = (name: string, text: string) => read(`packages/buyer/src/${name}`, text);

describe("circles", () => {
  const first = file("a.ts", 'import { b } from "./b.ts";');
  const middle = file("b.ts", 'export * from "./c/c.ts";');
  const last = file("c/c.ts", 'import type { A } from "../a.ts";');
  const harmless = file("c/c.ts", 'import type { D } from "../d.ts";');
  const apart = file("d.ts", 'import { b } from "./b.ts";');

  test("one that a type import closes is found", () => {
    const [finding, ...more] = checkCircles([first, middle, last, apart]);
    expect(finding).toContain(
      "packages/buyer/src/a.ts, packages/buyer/src/b.ts, packages/buyer/src/c/c.ts",
    );
    expect(more).toEqual([]);
  });
  test("a file that imports itself is one", () => {
    expect(checkCircles([file("a.ts", 'import "./a.ts";')])).toHaveLength(1);
  });
  test("two ways to one file are none", () => {
    expect(checkCircles([first, middle, harmless])).toEqual([]);
  });
});

describe("names of exported types", () => {
  const first = file("a.ts", "export interface A { readonly b: string }");

  test("a second one is found", () => {
    expect(checkTypeNames([first, file("c.ts", "export type A = string;")])).toHaveLength(1);
    expect(checkTypeNames([first, file("c.ts", "export class A {}")])).toHaveLength(1);
  });
  test("one that is not exported, or exported again, or of another package is none", () => {
    const again = file("c.ts", 'type A = string; export type { A as B } from "./a.ts";');
    const elsewhere = read("packages/seller/src/a.ts", "export type A = string;");
    expect(checkTypeNames([first, again, elsewhere])).toEqual([]);
  });
});
