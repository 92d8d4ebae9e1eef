/** The demo's seller: a weather report, sold through both surfaces of the facilitator. */
import type { Server } from "node:http";
import type { Facilitator } from "@farthing/seller";
import { farthing } from "@farthing/seller/express";
import express from "express";

/** Price of a report, in USDC. */
export const price = "0.01";

/** Reports that one payment for a pass opens. */
export const passUses = 3;

/** How the reports are sold. */
export interface PaidApiOptions {
  readonly payTo: string;
  readonly network: string;
  /** Client of the surface that requires an API key and supports version 2. */
  readonly publicFace: Facilitator;
  /** Client of the surface without keys that supports both versions. */
  readonly hostedFace: Facilitator;
}

/** A running seller. */
export interface PaidApi {
  /** Sold through the public surface. */
  readonly publicUrl: string;
  /** Sold through the hosted surface. */
  readonly hostedUrl: string;
  /** Sold through the public surface, with a pass for the next requests. */
  readonly passUrl: string;
  stop(): Promise<void>;
}

/** Starts the seller on a free port. */
export async function startPaidApi(options: PaidApiOptions): Promise<PaidApi> {
  const { payTo, network, publicFace, hostedFace } = options;
  const terms = { payTo, network, price, description: "One weather report" };
  const charge = farthing({ ...terms, facilitator: publicFace });
  const chargeHosted = farthing({ ...terms, facilitator: hostedFace });
  const app = express();
  app.get("/weather", charge(), (_req, res) => void res.json(report));
  const pass = { uses: passUses, validFor: "1h" };
  app.get("/pass/weather", charge({ pass }), (_req, res) => void res.json(report));
  app.get("/hosted/weather", chargeHosted(), (_req, res) => void res.json(report));
  const { server, origin } = await listen(app);
  return {
    publicUrl: `${origin}/weather`,
    hostedUrl: `${origin}/hosted/weather`,
    passUrl: `${origin}/pass/weather`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const report = { place: "Singapore", sky: "thunder", celsius: 31 };

async function listen(app: express.Express): Promise<{ server: Server; origin: string }> {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
    listening.once("error", reject);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The paid API has no port");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
