import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, gzip } from "node:zlib";
import { defineConfig, type Plugin } from "vite";
import { basePath } from "./src/base-path.ts";

/** Smaller files fit into one packet as they are. */
const minCompressedBytes = 1_024;

/** Writes each file in Brotli and gzip beside itself; the service sends what a browser takes. */
function compressFiles(): Plugin {
  return {
    name: "compress-files",
    apply: "build",
    async writeBundle({ dir = "" }, bundle) {
      const files = Object.values(bundle).map((file) => {
        const content = Buffer.from(file.type === "chunk" ? file.code : file.source);
        return { path: join(dir, file.fileName), content };
      });
      const large = files.filter(({ content }) => content.length >= minCompressedBytes);
      await Promise.all(
        large.map(async ({ path, content }) => {
          await writeFile(`${path}.br`, await promisify(brotliCompress)(content));
          await writeFile(`${path}.gz`, await promisify(gzip)(content, { level: 9 }));
        }),
      );
    },
  };
}

export default defineConfig({
  base: basePath,
  plugins: [compressFiles()],
  // Our packages are bundled from TypeScript source.
  resolve: { conditions: ["@farthing/source", "module", "browser", "development|production"] },
  build: {
    target: "es2024",
    // The content security policy allows no inlined image but those of wallets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries mark client code; here everything is.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: {
    host: "127.0.0.1",
    // A facilitator whose FARTHING_PUBLIC_URL is this server's address.
    proxy: { "^/(v1|supported|verify)": "http://127.0.0.1:8402" },
  },
});
