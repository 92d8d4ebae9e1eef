/** A seller of channels in a process of its own, which can be killed; says where it listens. */
import { farthing } from "@farthing/seller/express";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import express from "express";
import { readShopSetting as read } from "./shop-variables.ts";

const charge = farthing({
  facilitator: { url: read("facilitatorUrl"), apiKey: read("apiKey") },
  payTo: read("payTo"),
  network: read("network"),
  grants: createSqliteGrants({ path: read("databasePath") }),
  channels: { maxUnvaulted: read("maxUnvaulted") },
  onEvent: () => {},
});
const channel = { minDeposit: read("minDeposit"), only: true };
const app = express();
app.get("/report", charge({ price: read("price"), channel }), (_req, res) => void res.json({}));
const server = app.listen(0, "127.0.0.1", () => {
  const address = server.address();
  if (address !== null && typeof address === "object") {
    process.stdout.write(`The shop listens on http://127.0.0.1:${address.port}\n`);
  }
});
// A connection that is closed while a busy machine sends a call over it looks like a lost answer.
server.keepAliveTimeout = 600_000;
process.once("SIGTERM", () => server.close(() => process.exit(0)));
