/** A seller on our Express middleware, with the variables of `farthing conform`. */
import { farthing } from "@farthing/seller/express";
import express from "express";

const env = (name: string): string => process.env[name] ?? "";

const charge = farthing({
  facilitator: { url: env("CONFORM_FACILITATOR_URL") },
  payTo: env("CONFORM_PAY_TO"),
  network: "eip155:51",
  publicUrl: env("CONFORM_URL"),
  price: "0.01",
  onEvent: () => {},
});
let reports = 0;
express()
  .options("/report", charge())
  .get("/report", charge(), (_req, res) => void res.json({ report: ++reports }))
  .listen(Number(env("PORT")), "127.0.0.1");
