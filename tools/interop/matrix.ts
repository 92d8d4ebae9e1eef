/**
 * The matrix of stock sellers: in each row one payment is sent twelve times at once, another four times
 * in a row, and a stock buyer of the same version buys honestly.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { privateKeyToAccount } from "viem/accounts";
import { network, startDeployment, surfaceNames, type Deployment } from "./deployment.ts";
import { loadStock, stockVersions, type StockVersion } from "./stock-packages.ts";
import { openStockSeller, type SellerRow, type StockSeller } from "./stock-sellers.ts";

/** What a row counted. Each payment was signed once. */
export interface RowFigures {
  /** Responses with content, of twelve requests at once with one payment. */
  readonly servedAtOnce: number;
  /** Responses with content, of four requests in a row with one payment. */
  readonly servedInRow: number;
  /** Whether the honest purchase was served at the first try. */
  readonly honest: boolean;
  /** Transfers from the buyer, of three payments. */
  readonly transfers: number;
}

/** A row and what it counted. */
export interface RowResult {
  readonly name: string;
  readonly figures: RowFigures | Error;
}

/** What every row must count: one response and one transfer for each payment. */
const wanted: RowFigures = { servedAtOnce: 1, servedInRow: 1, honest: true, transfers: 3 };

/** Requests at once, and in a row, as the finding asks for them. */
const requestsAtOnce = 12;
const requestsInRow = 4;

/** Rows wait for blocks most of the time; more than four at once only fill the processor. */
const rowsAtOnceMax = 4;

/** The rows of a whole run, with one process and with two that share a PostgreSQL. */
export function allRows(): SellerRow[] {
  return stockVersions.flatMap((version) =>
    surfaceNames.flatMap((surface) =>
      (["express", "mcp"] as const).flatMap((kind) => rowsOf({ version, surface, kind })),
    ),
  );
}

type Place = Pick<SellerRow, "version" | "surface" | "kind">;

function rowsOf(place: Place): SellerRow[] {
  const usual: SellerRow = { ...place, flow: "default" };
  const upfront: SellerRow = { ...place, flow: "upfront" };
  return hasUpfront(place) ? [usual, upfront] : [usual];
}

/** The flow exists from 2.24; the wrapper for tools verifies first whatever the terms say. */
const hasUpfront = ({ version, kind }: Place) => version === "2.27" && kind === "express";

/** The rows of the part that CI runs. */
export function quickRows(): SellerRow[] {
  const place = { surface: "hosted", kind: "express" } as const;
  return [
    { ...place, version: "2.10", flow: "default" },
    { ...place, version: "2.27", flow: "default" },
    { ...place, version: "2.27", flow: "upfront" },
  ];
}

/** Runs rows on a deployment of their own; `onResult` is called as each ends. */
export async function runMatrix(
  rows: readonly SellerRow[],
  processes: 1 | 2,
  onResult: (result: RowResult) => void,
): Promise<readonly RowResult[]> {
  const selfBuilt = rows.some(({ surface }) => surface === "self-built");
  const deployment = await startDeployment({ processes, selfBuilt, buyers: rows.length });
  const results: RowResult[] = [];
  const waiting = [...rows];
  const work = async () => {
    for (let row = waiting.shift(); row; row = waiting.shift()) {
      const figures = await runRow(deployment, row).catch(asError);
      const result = { name: nameOf(row, processes), figures };
      results.push(result);
      onResult(result);
    }
  };
  try {
    await Promise.all(Array.from({ length: rowsAtOnceMax }, work));
  } finally {
    await deployment.stop();
  }
  return results;
}

const asError = (error: unknown) => (error instanceof Error ? error : new Error(String(error)));

function nameOf({ version, surface, kind, flow }: SellerRow, processes: number) {
  const count = processes === 1 ? "" : `, ${processes} processes`;
  return `${kind} ${version}, ${surface}, ${flow}${count}`;
}

async function runRow(deployment: Deployment, row: SellerRow): Promise<RowFigures> {
  const buyer = deployment.newBuyer();
  const seller = await openStockSeller(deployment, row);
  try {
    const burst = await signPayment(row.version, seller, buyer);
    const atOnce = Array.from({ length: requestsAtOnce }, () => seller.send(burst));
    const servedAtOnce = countServed(await Promise.all(atOnce));
    const repeated = await signPayment(row.version, seller, buyer);
    const inRow: boolean[] = [];
    for (let sent = 0; sent < requestsInRow; sent++) inRow.push(await seller.send(repeated));
    const honest = await buyHonestly(row, seller, buyer);
    const transfers = (await deployment.transfers(buyer.address)).length;
    return { servedAtOnce, servedInRow: countServed(inRow), honest, transfers };
  } finally {
    await seller.close();
  }
}

const countServed = (answers: readonly boolean[]) => answers.filter(Boolean).length;

/** A payment for the seller's challenge, signed by the stock client of a version. */
export async function signPayment(
  version: StockVersion,
  seller: StockSeller,
  buyer: DevnetWallet,
): Promise<object> {
  return (await stockClient(version, buyer)).createPaymentPayload(await seller.challenge());
}

/** The stock client of a version with nothing set. */
export async function stockClient(version: StockVersion, { privateKey }: DevnetWallet) {
  const stock = await loadStock(version);
  const scheme = new stock.ExactEvmBuyer(privateKeyToAccount(privateKey));
  return new stock.x402Client().register(network, scheme);
}

async function buyHonestly(row: SellerRow, seller: StockSeller, buyer: DevnetWallet) {
  if (seller.url === undefined) {
    return seller.send(await signPayment(row.version, seller, buyer));
  }
  const { wrapFetchWithPayment } = await loadStock(row.version);
  const buy = wrapFetchWithPayment(fetch, await stockClient(row.version, buyer));
  // Before 2.2 the client pays only for requests with options.
  const response = await buy(seller.url, { method: "GET" });
  return response.status === 200 && (await response.text()).includes('"report"');
}

/** Whether a row counted what it must. */
export function isAsWanted({ figures }: RowResult): boolean {
  return !(figures instanceof Error) && JSON.stringify(figures) === JSON.stringify(wanted);
}

/** A row for a person. */
export function describeRow(result: RowResult): string {
  const { figures } = result;
  const mark = isAsWanted(result) ? "ok  " : "FAIL";
  if (figures instanceof Error) return `${mark} ${result.name}: ${figures.message}`;
  const { servedAtOnce, servedInRow, honest, transfers } = figures;
  const counts = `${servedAtOnce} of ${requestsAtOnce} at once, ${servedInRow} of ${requestsInRow} in a row`;
  return `${mark} ${result.name}: ${counts}, honest ${honest ? "served" : "REFUSED"}, ${transfers} transfers`;
}
