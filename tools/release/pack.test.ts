import { existsSync, mkdtempSync, rmSync, writeFileSync, mkdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { packAll } from "./pack.ts";
import { readPackages } from "./packages.ts";

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "farthing-pack-"));
  const folder = join(root, "packages/thing");
  mkdirSync(join(folder, "dist"), { recursive: true });
  writeFileSync(join(root, "LICENSE"), "A licence\n");
  writeFileSync(join(folder, "README.md"), "# A thing\n");
  writeFileSync(join(folder, "dist/index.js"), "export {};\n");
  const manifest = { name: "@farthing/thing", version: "0.1.0", files: ["dist"] };
  writeFileSync(join(folder, "package.json"), JSON.stringify(manifest));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

it("writes the tarballs into a folder that is named from the current one, as ./packed is", async () => {
  const [packed] = await packAll(
    root,
    readPackages(root),
    relative(process.cwd(), join(root, "packed")),
  );
  expect(packed?.path).toBe(join(root, "packed/tarballs/farthing-thing-0.1.0.tgz"));
  expect(existsSync(packed?.path ?? "")).toBe(true);
});
