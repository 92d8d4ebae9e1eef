import { defineConfig } from "vite";
import { basePath } from "./src/base-path.ts";

export default defineConfig({
  base: basePath,
  // Our packages are taken as TypeScript source, so nothing has to be built before.
  resolve: { conditions: ["@farthing/source", "module", "browser", "development|production"] },
  build: {
    target: "es2024",
    // The content security policy allows no inlined image but those of wallets.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // Libraries mark what runs in a client; here everything does.
    rolldownOptions: { checks: { moduleLevelDirective: false } },
  },
  server: {
    host: "127.0.0.1",
    // A facilitator beside it, which takes this page for its own by FARTHING_PUBLIC_URL.
    proxy: { "^/(v1|supported|verify)": "http://127.0.0.1:8402" },
  },
});
