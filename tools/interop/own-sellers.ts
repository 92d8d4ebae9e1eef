/** What other makers' buyers pay: our seller in front of a route, and our gateway before an API. */
import { readGatewayConfig, startGateway } from "@farthing/gateway";
import { farthing } from "@farthing/seller/express";
import { listen, listenAt } from "@farthing/seller/testing/listen";
import type { SellerOptions } from "@farthing/seller";
import express, { type RequestHandler } from "express";
import { network, type Deployment, type SurfaceName } from "./deployment.ts";

/** A seller of one report. */
export interface OwnSeller {
  /** Of the report. */
  readonly url: string;
  close(): Promise<void>;
}

/** One US cent. */
const price = "0.01";

const facilitatorOf = ({ surfaces }: Deployment, surface: SurfaceName) => {
  const { url, apiKey } = surfaces[surface];
  return apiKey === undefined ? { url } : { url, apiKey };
};

/** What a scenario changes about a shop. */
export interface ShopChanges extends Partial<SellerOptions> {
  /** What the paid handler responds with; a report with its number unless set. */
  readonly respond?: RequestHandler;
}

/** Opens a shop on our Express middleware, with payment records of its own in memory. */
export async function openShop(
  deployment: Deployment,
  surface: SurfaceName,
  { respond, ...changes }: ShopChanges = {},
): Promise<OwnSeller> {
  let reports = 0;
  const report: RequestHandler = (_req, res) => void res.json({ report: ++reports });
  const { url, close } = await listenAt((publicUrl) => {
    const charge = farthing({
      facilitator: facilitatorOf(deployment, surface),
      payTo: deployment.devnet.seller.address,
      network,
      publicUrl,
      price,
      // The figures come from the responses and the chain.
      onEvent: () => {},
      ...changes,
    });
    return express().get("/report", charge(), respond ?? report);
  });
  return { url: `${url}/report`, close };
}

/** Opens our gateway before an API that knows nothing of payments. */
export async function openGateway(
  deployment: Deployment,
  surface: SurfaceName,
): Promise<OwnSeller> {
  const app = express();
  let reports = 0;
  app.get("/report", (_req, res) => void res.json({ report: ++reports }));
  const api = await listen(app);
  const config = readGatewayConfig(
    JSON.stringify({
      version: 1,
      publicUrl: "http://localhost:1",
      listen: { http: "127.0.0.1:0" },
      facilitator: facilitatorOf(deployment, surface),
      network,
      payTo: deployment.devnet.seller.address,
      store: "memory",
      upstreams: { api: { url: api.url } },
      routes: [{ match: "GET /report", upstream: "api", price }],
    }),
  );
  const gateway = await startGateway({ config });
  return {
    url: `${gateway.url}/report`,
    async close() {
      await gateway.stop();
      await api.close();
    },
  };
}
