/** The program on the HTTP server of Bun or Deno. */
import process from "node:process";
import { createSeller } from "@farthing/seller";
import { respond, sellerOptions } from "./program.mjs";

const settings = JSON.parse(process.env.SETTINGS);
const seller = createSeller(sellerOptions(settings));
let reports = 0;

const sell = async (request) => {
  const { response } = await seller.charge(request, () => Response.json({ report: ++reports }));
  return response;
};
const handle = (request) => respond(request, settings, sell);

/** Starts the runtime's own server on a free port. */
function serve() {
  const hostname = "127.0.0.1";
  const port = 0;
  if (typeof Bun !== "undefined") return Bun.serve({ port, hostname, fetch: handle }).port;
  return Deno.serve({ port, hostname, onListen() {} }, handle).addr.port;
}

console.log(`The program listens on http://127.0.0.1:${serve()}`);
// The end of the input is that of the parent.
process.stdin.resume().on("end", () => process.exit());
