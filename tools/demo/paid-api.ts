/** The demo's seller: a weather report, sold through both surfaces of the facilitator. */
import type { Server } from "node:http";
import type { Facilitator } from "@farthing/seller";
import { newPrivateKey } from "@farthing/buyer/keystore";
import { farthing } from "@farthing/seller/express";
import express from "express";

/** Price of a report, in USDC. */
export const price = "0.01";

/** Reports that one payment for a pass opens. */
export const passUses = 3;

/** Price of one event of a stream, in base units. */
export const eventPriceUnits = 100n;

/** Price of a call over a channel, in base units. */
export const channelPriceUnits = 6_000n;

/** How the reports are sold. */
export interface PaidApiOptions {
  readonly payTo: string;
  readonly network: string;
  /** Client of the surface that requires an API key and supports version 2. */
  readonly publicFace: Facilitator;
  /** Client of the surface without keys that supports both versions. */
  readonly hostedFace: Facilitator;
  /** The client of calls over channels, whose requests are not reported. */
  readonly channelFace: Facilitator;
}

/** A running seller. */
export interface PaidApi {
  /** Sold through the public surface. */
  readonly publicUrl: string;
  /** Sold through the hosted surface. */
  readonly hostedUrl: string;
  /** Sold through the public surface, with a pass for the next requests. */
  readonly passUrl: string;
  /** A stream of events, each of which is charged to a balance that a payment tops up. */
  readonly streamUrl: string;
  /** Costs nothing, and tells what that balance has. */
  readonly leftUrl: string;
  /** Sold over channels, with a voucher for each call. */
  readonly channelUrl: string;
  stop(): Promise<void>;
}

/** Starts the seller on a free port. */
export async function startPaidApi(options: PaidApiOptions): Promise<PaidApi> {
  const { payTo, network, publicFace, hostedFace, channelFace } = options;
  const terms = { payTo, network, price, description: "One weather report" };
  const charge = farthing({ ...terms, facilitator: publicFace });
  const chargeHosted = farthing({ ...terms, facilitator: hostedFace });
  const app = express();
  app.get("/weather", charge(), (_req, res) => void res.json(report));
  const pass = { uses: passUses, validFor: "1h" };
  app.get("/pass/weather", charge({ pass }), (_req, res) => void res.json(report));
  const balance = { topUp: price, reserve: "0.002", scope: "stream" };
  app.get("/stream/weather", charge({ balance, stream: true }), sendEvents);
  app.get("/stream/left", charge({ balance, cost: () => 0n }), (_req, res) => void res.json({}));
  // The key signs the claims, which the facilitator sends.
  const channels = { authorizerKey: newPrivateKey() };
  const chargeCalls = farthing({ ...terms, facilitator: channelFace, channels });
  const call = { price: channelPriceUnits, channel: { minDeposit: "0.15", only: true } };
  app.get("/channel/weather", chargeCalls(call), (_req, res) => void res.json(report));
  app.get("/hosted/weather", chargeHosted(), (_req, res) => void res.json(report));
  const { server, origin } = await listen(app);
  return {
    publicUrl: `${origin}/weather`,
    hostedUrl: `${origin}/hosted/weather`,
    passUrl: `${origin}/pass/weather`,
    streamUrl: `${origin}/stream/weather`,
    leftUrl: `${origin}/stream/left`,
    channelUrl: `${origin}/channel/weather`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const report = { place: "Singapore", sky: "thunder", celsius: 31 };

/** Counts the cost of each event before it leaves. */
function sendEvents({ query, payment }: express.Request, res: express.Response): void {
  res.type("text/event-stream");
  for (let nth = 0; nth < Number(query["events"]); nth++) {
    payment?.meter?.add(eventPriceUnits);
    res.write(`data: ${JSON.stringify({ ...report, celsius: report.celsius + nth })}\n\n`);
  }
  res.end();
}

async function listen(app: express.Express): Promise<{ server: Server; origin: string }> {
  const server = await new Promise<Server>((resolve, reject) => {
    const listening = app.listen(0, "127.0.0.1", () => resolve(listening));
    listening.once("error", reject);
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("The paid API has no port");
  return { server, origin: `http://127.0.0.1:${address.port}` };
}
