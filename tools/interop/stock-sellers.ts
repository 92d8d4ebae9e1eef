/** Sellers of one report, built from the published packages as their documentation shows it. */
import { listen } from "@farthing/seller/testing/listen";
import express from "express";
import { network, type Deployment, type Surface, type SurfaceName } from "./deployment.ts";
import {
  loadStock,
  type AuthHeaders,
  type PaymentRequired,
  type StockPackages,
  type StockVersion,
} from "./stock-packages.ts";

/** How a row configures its seller. */
export interface SellerRow {
  readonly version: StockVersion;
  readonly surface: SurfaceName;
  /** `express`, or a tool in the order of the stock MCP wrapper. */
  readonly kind: "express" | "mcp";
  /** `upfront` settles before the work; the default verifies, works and then settles. */
  readonly flow: "default" | "upfront";
}

/** A seller that is open. */
export interface StockSeller {
  challenge(): Promise<PaymentRequired>;
  /** Sends a payment; true when content came back. */
  send(payment: object): Promise<boolean>;
  /** Of the report, where the seller speaks HTTP. */
  readonly url?: string;
  close(): Promise<void>;
}

/** One US cent in base units. */
export const priceUnits = "10000";

/** Opens the seller of a row. */
export async function openStockSeller(
  deployment: Deployment,
  row: SellerRow,
): Promise<StockSeller> {
  const stock = await loadStock(row.version);
  return row.kind === "mcp"
    ? openTool(stock, deployment, row)
    : openExpress(stock, deployment, row);
}

/** Connects the stock seller's side to a surface. */
export function connectStock(stock: StockPackages, { url, apiKey }: Surface) {
  const headers = apiKey === undefined ? {} : { Authorization: `Bearer ${apiKey}` };
  const all: AuthHeaders = { verify: headers, settle: headers, supported: headers };
  const client = new stock.HTTPFacilitatorClient({ url, createAuthHeaders: async () => all });
  return new stock.x402ResourceServer(client).register(network, new stock.ExactEvmSeller());
}

/** The terms of a report. */
export function termsOf({ devnet }: Deployment, flow: SellerRow["flow"]) {
  // The token by its address: the stock table of 2.10 does not list USDC on this network.
  const extra = { name: "USDC", version: "2" };
  return {
    scheme: "exact",
    network,
    payTo: devnet.seller.address,
    price: { amount: priceUnits, asset: devnet.token, extra },
    ...(flow === "upfront" ? { extra: { ...extra, paymentFlow: "upfront" } } : {}),
  };
}

async function openExpress(
  stock: StockPackages,
  deployment: Deployment,
  { surface, flow }: SellerRow,
): Promise<StockSeller> {
  const server = connectStock(stock, deployment.surfaces[surface]);
  const app = express();
  const accepts = termsOf(deployment, flow);
  app.use(stock.paymentMiddleware({ "GET /report": { accepts, description: "Report" } }, server));
  let reports = 0;
  app.get("/report", (_req, res) => void res.json({ report: ++reports }));
  const listening = await listen(app);
  const url = `${listening.url}/report`;
  return {
    url,
    challenge: () => readChallenge(url),
    async send(payment) {
      const header = Buffer.from(JSON.stringify(payment)).toString("base64");
      const response = await fetch(url, { headers: { "PAYMENT-SIGNATURE": header } });
      return response.status === 200 && (await response.text()).includes('"report"');
    },
    close: listening.close,
  };
}

/** Requests a URL without a payment and returns what the 402 asks for. */
export async function readChallenge(url: string): Promise<PaymentRequired> {
  const response = await fetch(url);
  await response.body?.cancel();
  const header = response.headers.get("PAYMENT-REQUIRED");
  if (response.status !== 402 || header === null) {
    throw new Error(`${url} answered ${response.status} and no challenge.`);
  }
  const required: PaymentRequired = JSON.parse(Buffer.from(header, "base64").toString());
  return required;
}

/**
 * A tool in the order of the upstream wrapper for MCP, which is not on the registry, on the core of
 * this version: verify, run the tool, settle. As upstream, only a settle that throws withholds the
 * result; `success: false` does not.
 */
async function openTool(
  stock: StockPackages,
  deployment: Deployment,
  { surface, flow }: SellerRow,
): Promise<StockSeller> {
  const server = connectStock(stock, deployment.surfaces[surface]);
  await server.initialize();
  const accepts = await server.buildPaymentRequirements(termsOf(deployment, flow));
  const resource = { url: "mcp://tool/report", description: "Report", mimeType: "text/plain" };
  return {
    challenge: () => server.createPaymentRequiredResponse(accepts, resource),
    async send(payment) {
      const terms = server.findMatchingRequirements(accepts, payment);
      if (!terms) return false;
      try {
        const { isValid } = await server.verifyPayment(payment, terms);
        if (!isValid) return false;
        await server.settlePayment(payment, terms);
        return true;
      } catch {
        return false;
      }
    },
    close: async () => {},
  };
}
