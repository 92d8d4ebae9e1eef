/** An API that sells one report: Fastify, and one hook that charges. */
import fastify from "fastify";
import { farthing } from "@farthing/seller/fastify";

const { FACILITATOR_URL, FARTHING_API_KEY, NETWORK, PAY_TO, PORT, PRICE, PUBLIC_URL } = process.env;

const charge = farthing({
  facilitator: { url: FACILITATOR_URL, apiKey: FARTHING_API_KEY },
  payTo: PAY_TO, // where the money goes
  network: NETWORK,
  price: PRICE,
  publicUrl: PUBLIC_URL, // the address that buyers see
});

const app = fastify();
app.get("/report", { onRequest: charge({ description: "One report" }) }, (request, reply) => {
  reply.send({ report: "worth a cent", paidBy: request.payment.payer });
});

const url = await app.listen({ host: "127.0.0.1", port: Number(PORT) });
console.log(`Open at ${url}/report`);
await charge.ready(); // prints "Ready: …", or what to fix
