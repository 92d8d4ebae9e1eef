import { defineConfig } from "vite";
import { basePath } from "./src/base-path.ts";

export default defineConfig({
  base: basePath,
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
