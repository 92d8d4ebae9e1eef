/** The seller, for all routes of the app. */
import { farthing } from "@farthing/seller/next";

const { FACILITATOR_URL = "", FARTHING_API_KEY: apiKey, PAY_TO = "", PUBLIC_URL } = process.env;

export const charge = farthing({
  facilitator: { url: FACILITATOR_URL, ...(apiKey === undefined ? {} : { apiKey }) },
  payTo: PAY_TO, // where the money goes
  network: process.env["NETWORK"] === "eip155:50" ? "eip155:50" : "eip155:51",
  price: process.env["PRICE"] ?? "0.01",
  // Next.js does not know the address under which buyers reach it.
  publicUrl: PUBLIC_URL ?? "http://127.0.0.1:3000",
});
