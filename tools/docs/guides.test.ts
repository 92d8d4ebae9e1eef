/** Runs every command and snippet of the README and the guides, as their readers do. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { parse as parseYaml } from "yaml";
import { isHostSettings, startServers } from "./mcp-host.testing.ts";
import { fileOf, isProgram, readPages, type Page } from "./pages.ts";
import { readPage, type Block } from "./read-page.ts";
import { openStage, startWorld, type Stage, type World } from "./stage.testing.ts";
import { openTerminals, type Terminals } from "./terminal.testing.ts";
import { typeCheck } from "./type-check.ts";

const root = join(import.meta.dirname, "../..");
const pages = readPages();

/**
 * A page that needs another toolchain downloads packages. `npm run interop -- --only languages` runs
 * it and names the toolchain in this variable; every other run leaves the page out.
 */
const toolchain = process.env["FARTHING_DOCS_TOOLCHAIN"];
const played = pages.filter(({ blocks, needs }) => blocks.length > 0 && needs === toolchain);
const elsewhere = pages.filter(({ needs }) => needs !== undefined && needs !== toolchain);

/** Blocks that no test can run, each with its reason. */
const leftOut = pages.flatMap(({ path, blocks }) =>
  blocks.flatMap(({ run }) => (run.not === undefined ? [] : [`${path}: ${run.not}`])),
);

/**
 * A page takes up to a minute alone, ten seconds of it for the doctor, and longer beside others; one
 * that downloads packages takes two minutes. The run that plays it allows ten.
 */
const pageMs = toolchain === undefined ? 300_000 : 540_000;

/** Languages that a reader does not run: output and drawings. */
const shown = new Set(["", "text"]);

let world: World;
beforeAll(async () => {
  world = await startWorld();
});
afterAll(() => world?.stop());

// Pages run concurrently, because most of the time they wait for blocks.
test.concurrent.each(played)("$path", { timeout: pageMs }, async (page) => {
  const stage = await openStage(world);
  const terminals = openTerminals(stage);
  try {
    for (const block of page.blocks) await runBlock(page, block, { stage, terminals });
  } finally {
    await terminals.close();
    stage.remove();
  }
});

test.for(elsewhere)("$path, where it downloads packages", ({ path, needs }, { skip }) => {
  console.log(`LEFT OUT: ${path} (${needs}). To run it: npm run interop -- --only languages`);
  skip("it downloads packages");
});

async function runBlock(
  { path }: Page,
  block: Block,
  { stage, terminals }: { stage: Stage; terminals: Terminals },
): Promise<void> {
  const { language, line, run } = block;
  if (run.not !== undefined || shown.has(language)) return;
  const text = stage.localize(block.text);
  try {
    const file = isProgram(block) ? fileOf(block) : run.as;
    if (file !== undefined) {
      mkdirSync(dirname(join(stage.folder, file)), { recursive: true });
      writeFileSync(join(stage.folder, file), text);
    }
    if (text === "Ctrl-C") await terminals.interrupt();
    else if (language === "sh") await terminals.run(text, run);
    else if (isProgram(block)) {
      if (run.as === undefined) await terminals.run(`node ${file}`, run);
    } else if (language === "json") {
      const value: unknown = JSON.parse(text);
      if (isHostSettings(value)) await startServers(value, stage);
    } else if (language === "yaml") parseYaml(text, { strict: true });
    else if (file === undefined) throw new Error(`nothing here can run ${language}`);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${path}:${line}: ${reason}`, { cause });
  }
}

test("programs in TypeScript are right by their types", { timeout: pageMs }, async () => {
  const programs = pages.flatMap(({ path, blocks }) =>
    blocks
      .filter((block) => isProgram(block) && block.run.not === undefined)
      .map((block) => [`${path}/${fileOf(block)}`, block.text] as const),
  );
  expect(await typeCheck(new Map(programs))).toEqual([]);
});

test("what is not run is little, and everybody sees it grow", () => {
  expect(leftOut).toEqual([
    "README.md: tools/demo/demo.test.ts runs the demo",
    "README.md: .ci/run does",
    "docs/guides/run-a-facilitator.md: needs Docker",
    "docs/guides/run-a-facilitator.md: the steps are what you do between its runs",
    "docs/guides/run-a-facilitator.md: the steps are what you do between its runs",
    "docs/guides/run-a-facilitator.md: needs root and systemd",
    "docs/guides/run-a-facilitator.md: needs Docker",
    "docs/guides/run-a-facilitator.md: needs a public name and root",
    "docs/guides/run-a-facilitator.md: needs PgBouncer",
    "docs/guides/run-a-facilitator.md: needs PostgreSQL's own programs",
    "docs/guides/run-a-facilitator.md: needs Docker",
    "docs/guides/run-a-facilitator.md: needs Prometheus",
    "docs/guides/run-a-facilitator.md: needs Docker",
    "docs/guides/run-on-kubernetes.md: needs Docker",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/run-on-kubernetes.md: needs a cluster",
    "docs/guides/sell-with-the-gateway.md: tools/e2e/gateway/dev.test.ts runs it",
    "docs/guides/sell-with-the-gateway.md: needs Docker",
    "docs/guides/sellers-account.md: the page's facilitator sells no credits",
    "docs/guides/test-x402-software.md: it tests software of yours",
    "docs/guides/test-x402-software.md: a facilitator takes four minutes",
    "docs/guides/test-x402-software.md: it needs the binary of x402-rs",
    "docs/guides/test-x402-software.md: it is for GitHub",
    "docs/guides/upgrade.md: it needs two versions",
    "docs/guides/upgrade.md: it needs a database of an earlier version",
    "docs/concepts/channels.md: it asks a public node",
    "docs/concepts/channels.md: it needs forge and the published sources",
  ]);
});

test("the pages of other toolchains are known to the run that plays them", () => {
  const needed = pages.flatMap(({ path, needs }) => (needs === undefined ? [] : [[path, needs]]));
  expect(needed).toEqual([
    ["docs/guides/go.md", "go"],
    ["docs/guides/python.md", "python"],
  ]);
});

test("every link to a file leads to one", () => {
  const broken = pages.flatMap(({ path, links }) =>
    links
      .filter((link) => !existsSync(join(root, dirname(path), link)))
      .map((link) => [path, link]),
  );
  expect(broken).toEqual([]);
});

test("a page is read as it is written", () => {
  const page = [
    "<!-- run: stays up, says listens on -->",
    "",
    "```sh",
    "farthing serve",
    "```",
    "<!-- run: as shop.ts -->",
    "```ts",
    "export {};",
    "```",
    "<!-- run: ends with 3, says what to fix -->",
    "```sh",
    "farthing doctor",
    "```",
    "```",
    "text",
    "```",
  ].join("\n");
  expect(readPage(page).map(({ language, run }) => [language, run])).toEqual([
    ["sh", { endsWith: 0, staysUp: true, says: "listens on" }],
    ["ts", { endsWith: 0, as: "shop.ts" }],
    ["sh", { endsWith: 3, says: "what to fix" }],
    ["", { endsWith: 0 }],
  ]);
  expect(() => readPage("<!-- run: sometimes -->\n```sh\n```\n")).toThrow("not understood");
  expect(() => readPage("<!-- run: as x -->\ntext\n")).toThrow("above no block");
  expect(() => readPage("```sh\n")).toThrow("no end");
});
