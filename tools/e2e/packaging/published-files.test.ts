/** What the packages say of themselves, and what is installed with them. */
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { expect, test } from "vitest";
import { namesIn, readPackages } from "../../release/packages.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

test("every package says what the registry shows, and all have one version", () => {
  const packages = readPackages(root);
  expect(packages.length).toBeGreaterThan(5);
  for (const { folder, manifest } of packages) {
    expect(manifest).toMatchObject({
      version: packages[0]?.version,
      description: expect.stringMatching(/.{20}/),
      keywords: expect.arrayContaining(["x402", "usdc", "xdc"]),
      license: "Apache-2.0",
      repository: { type: "git", directory: folder },
      publishConfig: { access: "public" },
      engines: { node: expect.stringMatching(/^>=\d+$/) },
    });
  }
});

test("a package is published after those that it depends on", () => {
  const names: string[] = [];
  for (const { name, manifest } of readPackages(root)) {
    const ours = namesIn(manifest, "dependencies").filter((one) => /^@?farthing/.test(one));
    expect(names).toEqual(expect.arrayContaining(ours));
    names.push(name);
  }
});

/** A package as the lock file lists it. */
interface Locked {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  /** Of a workspace: its folder. */
  readonly resolved?: string;
}

/** Names of everything that npm installs with a package of ours, ours included. */
function installedWith(workspace: string): Set<string> {
  const { packages }: { packages: Readonly<Record<string, Locked | undefined>> } = JSON.parse(
    readFileSync(new URL("../../../package-lock.json", import.meta.url), "utf8"),
  );
  const names = new Set<string>();
  const visit = (name: string, { dependencies = {}, optionalDependencies = {} }: Locked) => {
    if (names.has(name)) return;
    names.add(name);
    for (const next of Object.keys({ ...dependencies, ...optionalDependencies })) {
      const locked = packages[`node_modules/${next}`] ?? {};
      const { resolved = "" } = locked;
      visit(next, next.startsWith("@farthing/") ? (packages[resolved] ?? {}) : locked);
    }
  };
  visit(workspace, packages[workspace] ?? {});
  return names;
}

test("the buyer brings no HTTP client: it takes the fetch that it is given", () => {
  const names = installedWith("packages/buyer");
  expect([...names]).toEqual(expect.arrayContaining(["@farthing/protocol", "ox"]));
  for (const client of ["axios", "got", "node-fetch", "undici", "viem", "ethers"]) {
    expect([...names]).not.toContain(client);
  }
  // Protocol, signatures and their number theory: nothing that could grow unseen.
  expect(names.size).toBeLessThan(15);
});

test("the command line brings no chain: a buyer does not wait for 44 MB", () => {
  const names = [...installedWith("packages/cli")];
  expect(names).toEqual(expect.arrayContaining(["@farthing/devnet", "@farthing/buyer", "ox"]));
  expect(names.filter((name) => name.startsWith("@foundry-rs/"))).toEqual([]);
});

test("the buyer's core needs nothing of Node: it is bundled for a browser as it is", async () => {
  const bundled = await build({
    entryPoints: ["index", "wallet/keystore", "steps"].map(
      (name) => new URL(`../../../packages/buyer/src/${name}.ts`, import.meta.url).pathname,
    ),
    bundle: true,
    write: false,
    outdir: "unused",
    platform: "browser",
    format: "esm",
    conditions: ["@farthing/source"],
    metafile: true,
  });
  const inputs = Object.keys(bundled.metafile.inputs);
  expect(inputs.some((path) => path.endsWith("wrap-fetch.ts"))).toBe(true);
  expect(inputs.filter((path) => /file-ledger|file-lock|node:/.test(path))).toEqual([]);
});
