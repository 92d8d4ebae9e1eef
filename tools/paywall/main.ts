/** Writes the page's parts into the seller's package. */
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { partsPath, writeParts } from "./page-parts.ts";

const text = await writeParts();
writeFileSync(fileURLToPath(new URL(`../../${partsPath}`, import.meta.url)), text);
console.log(`${partsPath}: ${text.length} characters`);
