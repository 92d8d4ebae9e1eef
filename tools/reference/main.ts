/** Writes the reference pages and the drawings of the concept pages: `npm run reference`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { written } from "./written.ts";

for (const [folder, files] of Object.entries(written)) {
  mkdirSync(join(import.meta.dirname, "../../docs", folder), { recursive: true });
  for (const [name, write] of Object.entries(files)) {
    writeFileSync(join(import.meta.dirname, "../../docs", folder, name), write());
    console.log(join("docs", folder, name));
  }
}
