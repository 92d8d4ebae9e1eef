/** Makes the tarballs that are published, each from a folder with nothing but its files. */
import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import { isObject, type JsonObject } from "@farthing/protocol";
import { bundleCommand } from "./bundle.ts";
import { publishedManifest, type PublishedPackage } from "./packages.ts";

/** One tarball. */
export interface Packed {
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly files: readonly string[];
  readonly packedBytes: number;
  readonly unpackedBytes: number;
}

/** The package that is published as one bundle, see docs/decisions/0063. */
const bundledName = "farthing";

/** The examples that `farthing init` writes. */
const templates = ["express", "gateway", "agent-mcp"];

/** What `farthing-operator init` writes, which is in deploy/. */
const operatorName = "farthing-operator";
const operatorTemplates = ["caddy", "facilitator", "gateway", "prometheus"];

/** Packs built packages of the checkout `root` into `folder`, and needs no network. */
export async function packAll(
  root: string,
  packages: readonly PublishedPackage[],
  folder: string,
): Promise<Packed[]> {
  const work = resolve(folder); // npm and the bundler run in folders of their own
  const tarballs = join(work, "tarballs");
  mkdirSync(tarballs, { recursive: true });
  return Promise.all(
    packages.map(async (one) => pack(await stage(root, one, join(work, one.folder)), tarballs)),
  );
}

/** Puts together what a package consists of once it is installed. */
async function stage(root: string, one: PublishedPackage, to: string): Promise<string> {
  const from = join(root, one.folder);
  const files = one.manifest["files"];
  if (!Array.isArray(files)) throw new Error(`${one.folder}/package.json has no list of files`);
  mkdirSync(to, { recursive: true });
  for (const file of [...files.map(String), "README.md"]) {
    if (!existsSync(join(from, file))) {
      throw new Error(`${one.folder}/${file} is missing; run \`npm run build\` first`);
    }
    cpSync(join(from, file), join(to, file), {
      recursive: true,
      filter: (path) => !path.endsWith(".tsbuildinfo"),
    });
  }
  cpSync(join(root, "LICENSE"), join(to, "LICENSE"));
  const manifest = publishedManifest(one.manifest);
  if (one.name === bundledName) {
    await bundleCommand(from, to);
    for (const name of templates) {
      cpSync(join(root, "examples", name), join(to, "templates", name), { recursive: true });
    }
    Object.assign(manifest, bundledParts(manifest, files));
  }
  if (one.name === operatorName) {
    for (const name of operatorTemplates) {
      cpSync(join(root, "deploy", name), join(to, "templates", name), {
        recursive: true,
        filter: (path) => !path.includes(".test."),
      });
    }
    Object.assign(manifest, { files: [...files, "templates"] });
  }
  writeFileSync(join(to, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  return to;
}

/** A bundle brings what it needs, and is run rather than imported: no dependencies, no types. */
function bundledParts(manifest: JsonObject, files: readonly unknown[]): JsonObject {
  const targets = Object.entries(isObject(manifest["exports"]) ? manifest["exports"] : {});
  const exported = targets.map(([subpath, target]) => [
    subpath,
    isObject(target) ? target["default"] : target,
  ]);
  return {
    dependencies: undefined,
    exports: Object.fromEntries(exported),
    files: [...files, "templates", "THIRD-PARTY-LICENSES"],
  };
}

async function pack(from: string, tarballs: string): Promise<Packed> {
  const flags = ["pack", "--json", "--ignore-scripts", "--pack-destination", tarballs];
  const { stdout } = await promisify(execFile)("npm", flags, { cwd: from });
  const all: Readonly<Record<string, Listed>> = JSON.parse(stdout);
  const [listed] = Object.values(all);
  if (!listed) throw new Error(`npm packed nothing in ${from}`);
  return {
    name: listed.name,
    version: listed.version,
    path: join(tarballs, listed.filename),
    files: listed.files.map(({ path }) => path),
    packedBytes: listed.size,
    unpackedBytes: listed.unpackedSize,
  };
}

/** A tarball as `npm pack --json` lists it. */
interface Listed {
  readonly name: string;
  readonly version: string;
  readonly filename: string;
  readonly size: number;
  readonly unpackedSize: number;
  readonly files: readonly { readonly path: string }[];
}
