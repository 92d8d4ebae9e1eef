/**
 * The API reference at /docs, shown by Scalar. The page loads everything from this host and sends
 * no requests to the API, because the browser may hold a session's cookie. Its policy allows own
 * scripts only; inline styles are allowed, because Scalar writes them.
 */
import { promisify } from "node:util";
import { brotliDecompress } from "node:zlib";
import { html, iconLink } from "@farthing/protocol";
import type { FastifyInstance } from "fastify";
import { sendCompressed } from "./compressed.ts";
import {
  referenceDocuments,
  referenceNames,
  type ReferenceSurface,
} from "./reference-documents.ts";
import { HttpProblem } from "../messages/responses.ts";
import { readScalar } from "./scalar.ts";
import { siteLinks } from "../site/site-links.ts";

const pageHeaders = {
  "Content-Security-Policy": [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; "),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
};

/** The languages of the samples. Scalar hides what is listed. */
const hiddenClients = {
  ...Object.fromEntries(
    "c clojure csharp dart fsharp http java kotlin node objc ocaml php powershell r ruby rust swift"
      .split(" ")
      .map((language) => [language, true]),
  ),
  shell: ["httpie", "wget"],
  js: ["axios", "jquery", "ofetch", "xhr"],
  python: ["aiohttp", "httpx_async", "httpx_sync", "python3"],
};

/** Nothing is sent to Scalar's services, and nothing is loaded from them. */
const settings = {
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  showDeveloperTools: "never",
  hideClientButton: true,
  hideTestRequestButton: true,
  documentDownloadType: "direct",
  hiddenClients,
  featuredClients: ["shell/curl", "js/fetch", "python/requests", "go/native"],
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
};

/** The colours of the other pages, dark enough for text in light mode and light enough in dark. */
const style = `
:root { --scalar-custom-header-height: 49px; --scalar-font: system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif; --scalar-font-code: ui-monospace, "SF Mono", "Cascadia Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
body { margin: 0; }
.light-mode { color-scheme: light; --scalar-color-1: #211d19; --scalar-color-2: #5a534b; --scalar-color-3: #665e55; --scalar-color-accent: #96471f; --scalar-background-1: #fff; --scalar-background-2: #f7f5f2; --scalar-background-3: #eeeae5; --scalar-border-color: #e4dfd8; --scalar-color-green: #14633a; --scalar-color-blue: #1d4f8a; --scalar-color-orange: #7a4300; --scalar-color-red: #a3241b; --scalar-color-yellow: #6b4e00; --scalar-color-purple: #5b3a94; }
.dark-mode { color-scheme: dark; --scalar-color-1: #eee9e2; --scalar-color-2: #c4bbb0; --scalar-color-3: #b3aa9f; --scalar-color-accent: #e9a177; --scalar-background-1: #161412; --scalar-background-2: #1f1c19; --scalar-background-3: #2a2622; --scalar-border-color: #37312b; --scalar-color-green: #7cc79c; --scalar-color-blue: #8ab8f0; --scalar-color-orange: #e9b277; --scalar-color-red: #f19a92; --scalar-color-yellow: #e8bd63; --scalar-color-purple: #bda3ee; }
.site { position: sticky; top: 0; z-index: 20; box-sizing: border-box; height: 49px; display: flex; gap: 18px; align-items: center; padding: 0 20px; border-bottom: 1px solid var(--scalar-border-color, #8884); background: var(--scalar-background-1); color: var(--scalar-color-1); font: 15px/1.4 var(--scalar-font); overflow-x: auto; }
.site a { color: inherit; white-space: nowrap; text-underline-offset: 3px; }
.site a:first-child { margin-right: auto; font-size: 17px; font-weight: 640; text-decoration: none; }
`;

const scriptHeaders = {
  "Content-Type": "text/javascript; charset=utf-8",
  "Cache-Control": "public, max-age=86400",
  "X-Content-Type-Options": "nosniff",
};

export function registerApiReference(
  server: FastifyInstance,
  {
    surfaces,
    docsUrl,
  }: { readonly surfaces: readonly ReferenceSurface[]; readonly docsUrl: string | undefined },
): void {
  const documents = once(() => {
    const whole: object = server.swagger();
    return referenceDocuments({ ...whole }, surfaces);
  });
  const hasAccounts = surfaces.some(({ name }) => name !== "self-built");
  const page = writePage(siteLinks(hasAccounts, docsUrl));

  server.get("/docs", (_, reply) =>
    reply
      .headers({ ...pageHeaders, "Cache-Control": "no-cache" })
      .type("text/html; charset=utf-8")
      .send(page),
  );
  server.get("/docs/style.css", (_, reply) =>
    reply
      .header("Cache-Control", "public, max-age=3600")
      .type("text/css; charset=utf-8")
      .send(style),
  );
  server.get("/docs/start.js", (_, reply) => {
    const sources = documents().map(({ name, title }) => {
      return { url: `/docs/${name}.json`, title, slug: name };
    });
    const options = JSON.stringify({ ...settings, sources });
    return reply
      .headers({ ...scriptHeaders, "Cache-Control": "no-cache" })
      .send(`Scalar.createApiReference("#app", ${options});\n`);
  });
  const sendScript = sendCompressed({
    read: async () => promisify(brotliDecompress)(await readScalar()),
    readBrotli: readScalar,
  });
  server.get("/docs/scalar.js", (request, reply) =>
    sendScript(request, reply.headers(scriptHeaders)),
  );
  for (const name of referenceNames) {
    const findDocument = () => documents().find((one) => one.name === name)?.document;
    const sendDocument = sendCompressed({
      read: async () => Buffer.from(JSON.stringify(findDocument())),
    });
    server.get(`/docs/${name}.json`, (request, reply) => {
      if (!findDocument()) throw new HttpProblem("not_found", "This service has no accounts.");
      reply.header("Cache-Control", "public, max-age=60").type("application/json; charset=utf-8");
      return sendDocument(request, reply);
    });
  }
}

function writePage(links: ReturnType<typeof siteLinks>): string {
  const { text } = html`<html lang="en">
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      <meta name="color-scheme" content="light dark" />
      <title>Farthing: API reference</title>
      <meta
        name="description"
        content="The HTTP API of this x402 facilitator: verify, settle and refund payments in USDC on XDC, with samples for curl, TypeScript, Python and Go."
      />
      ${iconLink}
      <link rel="stylesheet" href="/docs/style.css" />
    </head>
    <body>
      <nav class="site" aria-label="Farthing">
        <a href="/">Farthing</a>
        ${links
          .filter(({ href }) => href !== "/docs")
          .map((link) => html`<a href="${link.href}">${link.text}</a>`)}
      </nav>
      <noscript>This page needs a script. Programs read /openapi.json.</noscript>
      <div id="app"></div>
      <script src="/docs/scalar.js"></script>
      <script src="/docs/start.js"></script>
    </body>
  </html>`;
  return `<!doctype html>\n${text}\n`;
}

function once<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
