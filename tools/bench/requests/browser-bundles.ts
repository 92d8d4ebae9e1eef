/** What a browser loads: each script minified, as bytes and compressed. */
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import { build } from "esbuild";
import { build as buildPages } from "vite";
import { script, style } from "../../../packages/seller/src/paywall/generated/page-parts.ts";
import { table } from "../report-table.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

/** One file. */
export interface BrowserFile {
  readonly name: string;
  readonly bytes: number;
  readonly gzipBytes: number;
  /** The name of the file that does the same with the published packages. */
  readonly beside?: string;
}

const stock = `export { wrapFetchWithPayment, x402Client } from "@x402/fetch";
export { ExactEvmScheme } from "@x402/evm/exact/client";`;

const stockAlone = "stock @x402/fetch and @x402/evm";
const stockWithKey = "stock with a viem account";

/** The exports of which each is made. A page with a wallet needs no account of its own. */
const clients = [
  { name: stockAlone, source: stock },
  {
    name: "wrapFetch",
    source: 'export { wrapFetch } from "@farthing/buyer";',
    beside: stockAlone,
  },
  {
    name: stockWithKey,
    source: `${stock}\nexport { privateKeyToAccount } from "viem/accounts";`,
  },
  {
    name: "wrapFetch with privateKeySigner",
    source: 'export { privateKeySigner, wrapFetch } from "@farthing/buyer";',
    beside: stockWithKey,
  },
] as const;

/** Bundles all of them and writes no file. */
export async function measureBundles(): Promise<BrowserFile[]> {
  const files: BrowserFile[] = [];
  for (const { source, ...client } of clients) {
    files.push({ ...client, ...sizeOf(await bundle(source)) });
  }
  return [
    ...files,
    { name: "page for people, script", ...sizeOf(script) },
    { name: "page for people, style", ...sizeOf(style) },
    ...(await dashboardScripts()),
  ];
}

async function bundle(source: string): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: source, resolveDir: root },
    bundle: true,
    minify: true,
    write: false,
    format: "esm",
    platform: "browser",
    // The second is the bundler's own default, for packages that have it.
    conditions: ["@farthing/source", "module"],
    legalComments: "none",
    logLevel: "error",
  });
  return outputFiles[0]?.text ?? "";
}

async function dashboardScripts(): Promise<BrowserFile[]> {
  const built = await buildPages({
    root: `${root}packages/dashboard`,
    logLevel: "error",
    build: { write: false },
  });
  const outputs = [built].flat().flatMap((one) => ("output" in one ? one.output : []));
  return outputs.flatMap((file) => {
    if (file.type !== "chunk") return [];
    const when = file.isEntry ? "at the start" : "when it is needed";
    return [{ name: `dashboard, ${file.name}, loaded ${when}`, ...sizeOf(file.code) }];
  });
}

/** As servers that compress files beforehand do. */
const gzipLevel = 9;

function sizeOf(text: string): Pick<BrowserFile, "bytes" | "gzipBytes"> {
  const bytes = Buffer.from(text);
  return { bytes: bytes.length, gzipBytes: gzipSync(bytes, { level: gzipLevel }).length };
}

/** Sizes do not vary between runs, so they are exact. */
export function bundlesTable(files: readonly BrowserFile[]): string {
  const rows = files.map(({ name, bytes, gzipBytes, beside }) => {
    const other = files.find((file) => file.name === beside);
    const ratio = other ? (gzipBytes / other.gzipBytes).toFixed(2) : "";
    return [name, bytes.toLocaleString("en"), gzipBytes.toLocaleString("en"), ratio];
  });
  return table(["", "minified bytes", "gzip bytes", "gzip beside stock"], rows);
}
