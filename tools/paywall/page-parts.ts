/**
 * Bundles the script and the style of the page for people into the seller's package, as text with
 * its hash for the content security policy. The result is committed, so that a seller needs no
 * bundler; `page-parts.test.ts` bundles again and compares.
 */
import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const page = fileURLToPath(new URL("../../packages/paywall/src", import.meta.url));

/** Where the parts go, from the repository. */
export const partsPath = "packages/seller/src/paywall/generated/page-parts.ts";

/** Bundles one entry into one text. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${page}/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    // Browsers of spring 2024 and later, the first with `light-dark()`.
    target: ["chrome123", "firefox120", "safari17.5"],
    conditions: ["@farthing/source"],
    alias: {
      "ox/Hash": `${page}/stand-ins/hash.ts`,
      "ox/Address": `${page}/stand-ins/address.ts`,
    },
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
  });
  const text = outputFiles[0]?.text.trim() ?? "";
  // Inside an element the parser would stop there, and the hash would be of something else.
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${entry} holds an end tag.`);
  return text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The module as it should be. */
export async function writeParts(): Promise<string> {
  const [script, style] = await Promise.all([bundle("main.ts"), bundle("page.css")]);
  const constants = { script, scriptHash: hashOf(script), style, styleHash: hashOf(style) };
  const lines = Object.entries(constants).map(
    ([name, value]) => `\nexport const ${name}: string =\n  ${JSON.stringify(value)};\n`,
  );
  return `// Generated from packages/paywall by \`npm run paywall\`. Do not edit.\n${lines.join("")}`;
}
