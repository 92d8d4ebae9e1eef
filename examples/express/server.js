/** An API that sells one report: Express, and one line that charges. */
import express from "express";
import { farthing } from "@farthing/seller/express";

const { FACILITATOR_URL, FARTHING_API_KEY, NETWORK, PAY_TO, PORT, PRICE, PUBLIC_URL } = process.env;

const charge = farthing({
  facilitator: { url: FACILITATOR_URL, apiKey: FARTHING_API_KEY },
  payTo: PAY_TO, // where the money goes
  network: NETWORK,
  price: PRICE,
  publicUrl: PUBLIC_URL, // the address that buyers see
});

const app = express();
app.get("/report", charge({ description: "One report" }), (request, response) => {
  response.json({ report: "worth a cent", paidBy: request.payment.payer });
});

const server = app.listen(Number(PORT), "127.0.0.1", (error) => {
  if (error) throw error; // such as a port that is taken
  console.log(`Open at http://127.0.0.1:${server.address().port}/report`);
  void charge.ready(); // prints "Ready: …", or what to fix
});
