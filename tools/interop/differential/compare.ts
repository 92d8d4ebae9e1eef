/**
 * Sends every case to our facilitator and to the stock one, on one chain with one token, and looks
 * each difference up in the table of those that have a reason.
 */
import { startDeployment, type Deployment } from "../deployment.ts";
import { casesV1 } from "./cases-v1.ts";
import { casesV2 } from "./cases-v2.ts";
import type { Case } from "./cases.ts";
import { differences, type Outcomes } from "./differences.ts";
import { isJson, type Json, type Stage, type WireRequest } from "./requests.ts";
import { createStockFacilitator, type StockFacilitator } from "./stock-facilitator.ts";

/** A case with what both said. `explained` holds when they agree or the table has this difference. */
export interface Comparison extends Outcomes {
  /** The case's name; settles have ` (settle)` behind it. */
  readonly name: string;
  readonly isSame: boolean;
  readonly isExplained: boolean;
}

/** Cases at once; they wait for the node most of the time. */
const casesAtOnceMax = 4;

/** Every case. */
export const allCases: readonly Case[] = [...casesV2, ...casesV1];

/** Runs the comparison. */
export async function compare(
  quick: boolean,
  onResult: (comparison: Comparison) => void,
): Promise<readonly Comparison[]> {
  const deployment = await startDeployment({ buyers: 4, env: { FARTHING_PAYER_CAP: "0" } });
  try {
    const { relayers } = deployment.devnet;
    // The last wallet is not among those of our facilitator.
    const relayer = relayers.at(-1);
    if (!relayer) throw new Error("The devnet lacks relayer wallets.");
    const stock = await createStockFacilitator(deployment.devnet, relayer);
    return await compareAll(deployment, stock, quick, onResult);
  } finally {
    await deployment.stop();
  }
}

async function compareAll(
  deployment: Deployment,
  stock: StockFacilitator,
  quick: boolean,
  onResult: (comparison: Comparison) => void,
): Promise<readonly Comparison[]> {
  const stage = await openStage(deployment);
  const { url } = deployment.surfaces.hosted;
  const results: Comparison[] = [];
  const record = (name: string, outcomes: Outcomes) => {
    const comparison = compareOutcomes(name, outcomes);
    results.push(comparison);
    onResult(comparison);
  };
  const compareCase = async (one: Case) => {
    const request = await one.make(stage);
    const [ours, theirs] = await Promise.all([
      ask(`${url}/verify`, request),
      outcomeOf(() => stock.verify(structuredClone(request))),
    ]);
    record(one.name, { ours, stock: theirs });
    if (!one.isSettled || quick) return;
    const ownRequest = await one.make(stage);
    const settled = await ask(`${url}/settle`, ownRequest);
    const stockRequest = await one.make(stage);
    const stockSettled = await outcomeOf(() => stock.settle(stockRequest));
    record(`${one.name} (settle)`, { ours: settled, stock: stockSettled });
  };
  const waiting = allCases.filter(({ isQuick }) => isQuick || !quick);
  const work = async () => {
    for (let one = waiting.shift(); one; one = waiting.shift()) await compareCase(one);
  };
  await Promise.all(Array.from({ length: casesAtOnceMax }, work));
  return results;
}

async function openStage({ devnet, surfaces, newBuyer }: Deployment): Promise<Stage> {
  const [buyer, other, poor] = [newBuyer(), newBuyer(), newBuyer()];
  await devnet.usdc.setBalance(poor.address, 0n);
  const settle = (request: WireRequest) => ask(`${surfaces.hosted.url}/settle`, request);
  return { devnet, buyer, other, poor, settle };
}

/** Our answer in the words of the ecosystem, which `extra.x402Reason` has beside our own code. */
async function ask(url: string, request: WireRequest): Promise<string> {
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(request),
  });
  const body: unknown = await response.json();
  if (!isJson(body)) return `HTTP ${response.status}`;
  if (response.status !== 200) return `HTTP ${response.status} ${String(body["error"])}`;
  return describe(body);
}

function describe(body: Json): string {
  if (body["isValid"] === true) return "valid";
  if (body["success"] === true) return "settled";
  const reason = String(body["invalidReason"] ?? body["errorReason"]);
  // Version 1 of the stock class passes a node's error on, with the call's bytes in it.
  if (reason.includes(" ")) return "raw error text";
  const extra = isJson(body["extra"]) ? body["extra"]["x402Reason"] : undefined;
  return typeof extra === "string" && extra !== reason ? `${reason} = ${extra}` : reason;
}

async function outcomeOf(question: () => Promise<object>): Promise<string> {
  try {
    return describe({ ...(await question()) });
  } catch {
    return "throws";
  }
}

function compareOutcomes(name: string, outcomes: Outcomes): Comparison {
  const { ours, stock } = outcomes;
  const isSame = ours === stock || ours.endsWith(` = ${stock}`);
  const known = differences[name];
  const isExplained = isSame
    ? known === undefined
    : known !== undefined && known.ours === ours && known.stock === stock;
  return { name, ours, stock, isSame, isExplained };
}

/** A comparison for a person. */
export function describeComparison({ name, ours, stock, isSame, isExplained }: Comparison): string {
  if (isSame && isExplained) return `same ${name}: ${ours}`;
  if (isSame) return `FAIL ${name}: both say ${ours}, and the table still has a difference`;
  const mark = isExplained ? "diff" : "FAIL";
  return `${mark} ${name}: ours ${ours}; stock ${stock}`;
}
