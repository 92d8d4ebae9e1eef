/**
 * The dashboard's files at /account/facilitator: a static build that calls only the account API of
 * the same origin. Paths without a file belong to the page's own routes.
 */
import { existsSync } from "node:fs";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import files from "@fastify/static";
import type { FastifyInstance, FastifyReply } from "fastify";

export const dashboardPath = "/account/facilitator";

/** The build of packages/dashboard, from `src/http/site` and from `dist/http/site` alike. */
const dashboardFolder = fileURLToPath(new URL("../../../../dashboard/dist", import.meta.url));

/** Returns a policy that allows a page's own files only; `data:` is for the icons of wallets. */
export function ownFilesPolicy(...more: readonly string[]): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    "connect-src 'self'",
    ...more,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}

const pageHeaders = {
  "Content-Security-Policy": ownFilesPolicy("font-src 'self'"),
  "X-Content-Type-Options": "nosniff",
  "Referrer-Policy": "no-referrer",
  "Cross-Origin-Resource-Policy": "same-origin",
};

/** These files' names change with their content, so caches may keep them for a year. */
const hashedFiles = "public, max-age=31536000, immutable";

const notBuilt = `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Dashboard</title></head>
<body>
<h1>The dashboard is not built</h1>
<p>The service runs; only the pages are missing. Build them in the folder of Farthing's sources, then load this page again:</p>
<pre>npm run build -w @farthing/dashboard</pre>
<p>What sellers do here is also there <a href="/docs">as an API</a>.</p>
</body>
</html>
`;

export async function registerDashboard(
  server: FastifyInstance,
  folder: string = dashboardFolder,
): Promise<void> {
  await server.register(async (scope) => {
    scope.addHook("onRequest", async (_, reply) => {
      reply.headers(pageHeaders);
    });
    await scope.register(files, {
      root: folder,
      serve: false,
      dotfiles: "ignore",
      cacheControl: false,
      // The build has its larger files in Brotli and gzip as well.
      preCompressed: true,
      setHeaders(reply, path) {
        reply.header("Cache-Control", cachingOf(path.slice(folder.length)));
      },
    });
    scope.get(dashboardPath, async (_, reply) => sendPage(reply, folder));
    scope.get<{ Params: { "*": string } }>(`${dashboardPath}/*`, async (request, reply) => {
      const path = request.params["*"];
      return extname(path) === "" ? sendPage(reply, folder) : reply.sendFile(path);
    });
  });
}

/** The page is not cached, because it names the files of the current build. */
function cachingOf(path: string): string {
  return /^[/\\]assets[/\\]/.test(path) ? hashedFiles : "no-store";
}

function sendPage(reply: FastifyReply, folder: string): FastifyReply {
  if (existsSync(join(folder, "index.html"))) return reply.sendFile("index.html");
  return reply
    .status(503)
    .headers({ "Cache-Control": "no-store", "Content-Type": "text/html; charset=utf-8" })
    .send(notBuilt);
}
