/** Writes the reference pages: `npm run reference`. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pages } from "./pages.ts";

const folder = join(import.meta.dirname, "../../docs/reference");
mkdirSync(folder, { recursive: true });
for (const [name, page] of Object.entries(pages)) {
  writeFileSync(join(folder, name), page());
  console.log(`docs/reference/${name}`);
}
