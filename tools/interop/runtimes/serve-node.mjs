/** The program on node:http, with the adapter for it. */
import { createServer } from "node:http";
import process from "node:process";
import { farthing } from "@farthing/seller/node";
import { respond, sellerOptions } from "./program.mjs";

const settings = JSON.parse(process.env.SETTINGS);
let reports = 0;

const report = farthing(sellerOptions(settings))({}, (_request, response) => {
  response.setHeader("Content-Type", "application/json");
  response.end(JSON.stringify({ report: ++reports }));
});

const server = createServer((request, response) => {
  if (request.url === "/report") {
    report(request, response);
    return;
  }
  const asked = new Request(new URL(request.url, "http://localhost"));
  respond(asked, settings)
    .then(async (made) => response.writeHead(made.status).end(await made.text()))
    .catch((error) => response.writeHead(500).end(String(error)));
});

server.listen(0, "127.0.0.1", () => {
  console.log(`The program listens on http://127.0.0.1:${server.address().port}`);
});
// The end of the input is that of the parent.
process.stdin.resume().on("end", () => process.exit());
