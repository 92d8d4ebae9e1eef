/** A seller of published packages behind Hono: `node stock-hono-seller.mjs <folder of the packages>`. */
import { serve } from "@hono/node-server";
import { Hono } from "hono";
import { charge, port } from "./stock-terms.mjs";

const app = new Hono();
app.use(charge);
let reports = 0;
app.get("/report", (context) => context.json({ report: ++reports }));
serve({ fetch: app.fetch, port, hostname: "127.0.0.1" });
