/**
 * Replaces npm while pages are run: accepts `npm install` of packages of this repository only, and
 * the one setting of a package.json that the pages make.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dirname, "../..");
const [verb, ...rest] = process.argv.slice(2);
// `name@1.2.3` names the same package; a scope starts with @ as well.
const names = rest
  .filter((word) => !word.startsWith("-"))
  .map((word) => word.replace(/(?<=.)@[^/]*$/, ""));
const missing = names.filter((name) => !existsSync(join(root, "node_modules", name)));
if ([verb, ...rest].join(" ") === "pkg set type=module") {
  writeFileSync("package.json", '{ "type": "module" }\n');
} else if (verb !== "install" || names.length === 0 || missing.length > 0) {
  console.error(`npm ${process.argv.slice(2).join(" ")}: not here: ${missing.join(", ")}`);
  process.exitCode = 1;
}
