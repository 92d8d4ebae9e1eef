/**
 * Publishes the packages, or shows with `--dry-run` what would be published, in which order and how
 * large, without any network. `--prepare` sets the version and writes the changelog instead.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { checkTarball } from "./check-tarball.ts";
import { packAll, type Packed } from "./pack.ts";
import { readPackages } from "./packages.ts";
import { prepareVersion } from "./version.ts";

const root = join(import.meta.dirname, "../..");
const usage = `npm run release -- [options]

  --dry-run            show what would be published, in order; no network
  --tarballs <folder>  write the tarballs there and publish nothing
  --from <package>     leave out the packages before this one, which are published already
  --tag <name>         publish under a tag of the registry other than latest
  --prepare            set the next version and move the changes of .changeset to the
                       changelog; publish nothing
  --version <version>  with --prepare: another version, such as 0.2.0-rc.1
  --help               show this text`;

const kilobytes = (bytes: number): string => `${Math.ceil(bytes / 1000).toLocaleString("en")} kB`;

function describe({ name, version, files, packedBytes, unpackedBytes }: Packed): string {
  const columns = [`${name}@${version}`.padEnd(30), kilobytes(packedBytes).padStart(9)];
  return `${columns.join("")}, ${kilobytes(unpackedBytes)} installed, ${files.length} files`;
}

/** Stops unless the checkout is what the registry will show. */
function demandReleasable(): void {
  const remains = execFileSync("git", ["status", "--porcelain"], { cwd: root, encoding: "utf8" });
  if (remains !== "") throw new Error(`Commit or remove these first:\n${remains}`);
  for (const { folder, manifest } of readPackages(root)) {
    if (JSON.stringify(manifest["repository"]).includes("github.com/OWNER/"))
      throw new Error(`${folder}/package.json: put the repository's address in "repository" first`);
  }
}

async function release(flags: Flags): Promise<void> {
  const isDryRun = flags["dry-run"] === true || flags.tarballs !== undefined;
  if (!isDryRun) demandReleasable();
  const folder = resolve(flags.tarballs ?? mkdtempSync(join(tmpdir(), "farthing-release-")));
  const packages = readPackages(root);
  const first = packages.findIndex(({ name }) => name === (flags.from ?? packages[0]?.name));
  if (first < 0) throw new Error(`There is no package ${flags.from}`);
  const packed = await packAll(root, packages.slice(first), folder);
  const problems = (await Promise.all(packed.map(checkTarball))).flat();
  if (problems.length > 0) throw new Error(problems.join("\n"));
  for (const one of packed) {
    console.log(describe(one));
    if (isDryRun) continue;
    const tag = flags.tag ?? "latest";
    execFileSync("npm", ["publish", one.path, "--tag", tag], { cwd: root, stdio: "inherit" });
  }
  console.log(isDryRun ? `Nothing is published. Tarballs: ${folder}/tarballs` : "Published.");
}

interface Flags {
  readonly "dry-run"?: boolean | undefined;
  readonly tarballs?: string | undefined;
  readonly from?: string | undefined;
  readonly tag?: string | undefined;
  readonly prepare?: boolean | undefined;
  readonly version?: string | undefined;
  readonly help?: boolean | undefined;
}

const { values } = parseArgs({
  options: {
    "dry-run": { type: "boolean" },
    tarballs: { type: "string" },
    from: { type: "string" },
    tag: { type: "string" },
    prepare: { type: "boolean" },
    version: { type: "string" },
    help: { type: "boolean" },
  },
});

if (values.help === true) console.log(usage);
else if (values.prepare === true) {
  const current = readPackages(root)[0]?.version ?? "";
  const day = new Date().toISOString().slice(0, 10);
  const version = await prepareVersion(root, { current, version: values.version, day });
  execFileSync("npm", ["install", "--package-lock-only", "--ignore-scripts"], { cwd: root });
  console.log(
    `Version ${version} is set. Read the changelog, then commit as "Release ${version}".`,
  );
} else await release(values);
