/**
 * Bundles the script and the style of the page for people into the seller's package, as text with
 * its hash for the content security policy. The result is committed, so that a seller needs no
 * bundler; `page-parts.test.ts` bundles again and compares.
 */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { build, type Plugin } from "esbuild";
import { minify } from "vite";
import { texts } from "@farthing/paywall/texts";

const page = fileURLToPath(new URL("../../packages/paywall/src", import.meta.url));

/** Where the parts go, from the repository. */
export const partsPath = "packages/seller/src/paywall/generated/page-parts.ts";

/** What the page does not need of a source, by the end of its path, and what it has in its place. */
const replacements: readonly (readonly [path: string, change: (text: string) => string])[] = [
  // The page has its own table of the refusals that a payer can act on, in each language.
  ["protocol/src/errors/refusals.ts", (text) => text.replaceAll(/^ {2}\w+:\s+"[^"]*",$/gm, "")],
  // The page reads tokens itself, and its record keeps no response.
  ["buyer/src/passes.ts", () => "export const readGiven = () => ({});"],
  // The page shows the checks that failed, so it has no texts of those that passed.
  [
    "offer/check-offer.ts",
    (text) => text.replaceAll(/\b(pass|skip)\("(\w+)", (?:"[^"]*"|`[^`]*`|\w+)\)/g, '$1("$2", "")'),
  ],
  // Only a facilitator uses these facts of the networks.
  [
    "protocol/src/networks/networks.ts",
    (text) =>
      text.replaceAll(/^ {2}(domainSeparator: "0x[0-9a-f]+"|multicall3: \[[^\]]*\]),\n/gm, ""),
  ],
];

/** Makes the replacements; fails where a source is not met, which would be left as it is. */
function replacing(isExpected: boolean): Plugin {
  return {
    name: "replacing",
    setup(bundling) {
      const met = new Set<string>();
      for (const [end, change] of replacements) {
        const filter = new RegExp(`/${end.replaceAll(".", "\\.")}$`);
        bundling.onLoad({ filter }, async ({ path }) => {
          met.add(end);
          return { contents: change(await readFile(path, "utf8")), loader: "ts" };
        });
      }
      bundling.onEnd(() => {
        const missing = replacements.filter(([end]) => !met.has(end)).map(([end]) => end);
        if (isExpected && missing.length > 0) {
          throw new Error(
            `The page does not load ${missing.join(", ")}; correct the replacements.`,
          );
        }
      });
    },
  };
}

/**
 * Long names of our own members, shortened in the bundle. None of them is on the wire, in the tab's
 * storage, in a string, or a name of the browser's.
 */
const ownNames = [
  "answerTimeoutMs|askAboveUnits|blockNumber|bodyHash|complaints?|domainName|domainVersion",
  "explorerUrl|hasApprover|isContradicted|isDoubled|isInterrupted|isUnanswered|verdict",
  "isLasting|lookalikes|maxAmountUnits|maxTimeoutSeconds|networkName|openPayments",
  "openPaymentsMax|openPaymentsPerHostMax|paymentFlow|perCallUnits|perDayUnits|requirements",
  "resendsMax|retryAfterSeconds|saysUncharged|spentUnits|runtime",
];

/** Browsers of spring 2024 and later, the first with `light-dark()`. */
const target = ["chrome123", "firefox120", "safari17.5"];

/** The script, bundled and then made smaller once more by another tool: 1 % that the page needs. */
async function bundleScript(): Promise<string> {
  const bundled = await bundle("main.ts");
  const { code, errors } = await minify("main.js", bundled, { compress: { target }, mangle: true });
  if (errors.length > 0) throw new Error(`The script could not be minified: ${errors[0]?.message}`);
  return withoutEndTags("main.ts", code.trim());
}

/** Bundles one entry into one text. */
async function bundle(entry: string): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [`${page}/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target,
    conditions: ["@farthing/source"],
    alias: {
      "ox/Hash": `${page}/stand-ins/hash.ts`,
      "ox/Address": `${page}/stand-ins/address.ts`,
    },
    // The style loads none of them.
    plugins: [replacing(entry.endsWith(".ts"))],
    mangleProps: new RegExp(`^(${ownNames.join("|")})$`),
    charset: "utf8",
    legalComments: "none",
    logLevel: "error",
  });
  return withoutEndTags(entry, outputFiles[0]?.text.trim() ?? "");
}

/** Inside an element the parser would stop there, and the hash would be of something else. */
function withoutEndTags(entry: string, text: string): string {
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`${entry} holds an end tag.`);
  return text;
}

function hashOf(text: string): string {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}

/** The license of the one library in the script, which asks for it beside every copy. */
async function licenseOfLibrary(): Promise<string> {
  const license = new URL("../../node_modules/lean-qr/LICENSE", import.meta.url);
  const text = await readFile(license, "utf8");
  return `\n/*\nThe script contains lean-qr.\n\n${text.trim()}\n*/\n`;
}

/** The module as it should be. */
export async function writeParts(): Promise<string> {
  const [script, style] = await Promise.all([bundleScript(), bundle("page.css")]);
  const notice = await licenseOfLibrary();
  const constants = { script, scriptHash: hashOf(script), style, styleHash: hashOf(style) };
  const lines = Object.entries(constants).map(
    ([name, value]) => `\nexport const ${name}: string =\n  ${JSON.stringify(value)};\n`,
  );
  return `// Generated from packages/paywall by \`npm run paywall\`. Do not edit.\n${notice}${lines.join("")}\nexport const texts = ${JSON.stringify(texts, null, 2)};\n`;
}
