/** A shop for the benchmark of passes: one route without a pass and one with, on a SQLite file. */
import { createServer, type RequestListener } from "node:http";
import { farthing } from "@farthing/seller/node";
import { createSqliteGrants } from "@farthing/seller/sqlite";

/** As many as a seller can sell at once; no run uses them up. */
const uses = 1_000_000;

const report: RequestListener = (_req, res) => void res.end("content");

function serve(facilitatorUrl: string, payTo: string, network: string, path: string): void {
  const grants = createSqliteGrants({ path });
  const server = createServer();
  server.listen(0, "127.0.0.1", () => {
    const address = server.address();
    if (address === null || typeof address === "string") throw new Error("The shop has no port.");
    const publicUrl = `http://127.0.0.1:${address.port}`;
    const facilitator = { url: facilitatorUrl };
    const charge = farthing({ facilitator, payTo, network, publicUrl, grants, price: "0.01" });
    const once = charge({}, report);
    const withPass = charge({ pass: { uses, validFor: "1d" } }, report);
    server.on("request", (req, res) => (req.url === "/once" ? once : withPass)(req, res));
    process.stderr.write(`Shop listens on ${publicUrl}\n`);
  });
}

if (import.meta.main) {
  const [url = "", payTo = "", network = "", path = ""] = process.argv.slice(2);
  serve(url, payTo, network, path);
}
