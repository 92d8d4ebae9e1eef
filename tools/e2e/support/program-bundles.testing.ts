/**
 * Bundles the programs that tests start by the hundred, once for the whole run: each of them then
 * starts from one file. The programs are the same, and the folders that they read are those of their
 * sources. The tests of packaging, of closed pipes and of the terminal start `bin/farthing.js` itself.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { bundlesVariable } from "@farthing/lab/programs";

const root = fileURLToPath(new URL("../../..", import.meta.url));

const programs = [
  "packages/buyer/src/ledger/paying-process.testing.ts",
  "packages/cli/bin/farthing.js",
  "packages/facilitator/test/crash/crash-runner.testing.ts",
  "packages/facilitator/test/crash/stepped-runner.testing.ts",
  "packages/facilitator/test/support/serve-runner.testing.ts",
  "packages/seller/src/payment-records/several-processes/shop-process.testing.ts",
  "tools/bench/requests/client-process.ts",
  "tools/bench/requests/peer-server.ts",
  "tools/sim/facilitator-process.ts",
  "tools/soak/channels/shop-process.ts",
];

/** CommonJS inside an ES module finds none of these. */
const banner = `import { createRequire as bundleRequire } from "node:module";
import { dirname as bundleFolder } from "node:path";
import { fileURLToPath as bundleFile } from "node:url";
const require = bundleRequire(import.meta.url);
const __filename = bundleFile(import.meta.url), __dirname = bundleFolder(__filename);`;

/** Sources keep their own address, and what the command imports by a computed name is part of it. */
const atHome: Plugin = {
  name: "at-home",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$|\/bin\/\w+\.js$/ }, async ({ path }) => {
      if (path.includes("/node_modules/")) return undefined;
      const source = await readFile(path, "utf8");
      const contents = source
        .replace("await import(main.href)", 'await import("../src/main.ts")')
        .replace("import.meta.resolve(name);", "")
        .replace("await import(name)", 'await import("farthing-operator")')
        .replaceAll("import.meta.url", JSON.stringify(pathToFileURL(path).href));
      return { contents, loader: "ts" };
    });
    // They read and serve files that lie beside their own.
    onLoad(
      { filter: /\/node_modules\/(@fastify|pino|thread-stream)\/.*\.js$/ },
      async ({ path }) => {
        const source = await readFile(path, "utf8");
        return { contents: source.replaceAll("__dirname", JSON.stringify(dirname(path))) };
      },
    );
  },
};

/** Called by Vitest before the first test; it calls the returned function after the last. */
export default async function setUp(): Promise<() => void> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-programs-"));
  await build({
    entryPoints: programs.map((program) => join(root, program)),
    outdir: folder,
    outbase: root,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    banner: { js: banner },
    conditions: ["@farthing/source"],
    external: ["@foundry-rs/anvil", "pg-native"],
    plugins: [atHome],
    logLevel: "error",
    absWorkingDir: root,
  });
  process.env[bundlesVariable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
