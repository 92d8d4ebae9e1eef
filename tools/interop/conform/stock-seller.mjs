/** A seller of published packages behind Express: `node stock-seller.mjs <folder of the packages>`. */
import express from "express";
import { charge, port } from "./stock-terms.mjs";

const app = express();
app.use(charge);
let reports = 0;
app.get("/report", (_req, res) => res.json({ report: ++reports }));
app.listen(port, "127.0.0.1");
