/**
 * The scenario "a public endpoint is enough": one facilitator, one endpoint that takes a few HTTP
 * requests a second, and a payment each second, verified and settled as a seller does. Every payment
 * has to be settled, and told soon after it was mined.
 */
import type { NodeConditions, NodeRecord, RateLimit } from "@farthing/lab/ordinary-node";
import { isObject, type Hex, type JsonObject } from "@farthing/protocol";
import {
  setUpReal,
  setUpVirtual,
  type EndpointEnvironment,
} from "./public-endpoint-environment.ts";
import { requestBody, signAuthorization, type SignedPayment } from "@farthing/lab/token-calls";

/** What is played. */
export interface EndpointPlan {
  /** Seconds during which payments are made. */
  readonly seconds: number;
  readonly paymentsPerSecond: number;
  readonly conditions: NodeConditions;
  /** On a devnet and by the machine's time, instead of virtual time. */
  readonly isReal: boolean;
}

/** What became of one payment. */
export interface ToldPayment {
  readonly index: number;
  /** "confirmed", or what was told instead. */
  readonly outcome: string;
  /** The head when that was told. */
  readonly toldAtBlock: number;
  /** The block of the transaction; undefined where there is none. */
  readonly minedInBlock: number | undefined;
}

/** How it went. */
export interface EndpointReport {
  readonly plan: EndpointPlan;
  readonly payments: readonly ToldPayment[];
  /** Since the first payment. */
  readonly record: NodeRecord;
  readonly trace: readonly string[];
}

/** Blocks after a payment's own within which it has to be told. */
export const maxToldAfterBlocks = 3;

/** What is enough for a payment a second: HTTP requests, or calls where an endpoint counts those. */
const enoughPerSecond = { requests: 5, calls: 6 };

/** What the promise is about: a payment a second at an endpoint that takes so many, as many at once. */
export function publicEndpoint(
  wanted: Pick<EndpointPlan, "seconds" | "isReal"> & Pick<RateLimit, "style">,
): EndpointPlan {
  const { style, ...plan } = wanted;
  const perSecond = enoughPerSecond[style === "late_calls_in_200" ? "calls" : "requests"];
  return { ...plan, paymentsPerSecond: 1, conditions: { rateLimit: { perSecond, style } } };
}

/** How long a payment is asked for, in milliseconds: far longer than any promise. */
const maxAskMs = 120_000;

/** Longest wait of one look at a settlement, in seconds: within the service's own bound. */
const lookSeconds = 20;

/** How long a signature is good for, in seconds, and how far back it begins. */
const validSeconds = 300n;
const begunSeconds = 600n;

/** Plays it. */
export async function playPublicEndpoint(plan: EndpointPlan): Promise<EndpointReport> {
  await using stack = new AsyncDisposableStack();
  const environment = await (plan.isReal ? setUpReal(stack) : setUpVirtual(stack));
  const { clock, node } = environment;
  node.conditions = plan.conditions;
  node.record.reset();
  const asking: Promise<ToldPayment>[] = [];
  const startMs = clock.nowMs();
  for (let index = 0; index < plan.seconds * plan.paymentsPerSecond; index++) {
    const dueMs = startMs + (index / plan.paymentsPerSecond) * 1_000;
    await clock.sleep(Math.max(0, dueMs - clock.nowMs()));
    asking.push(pay(environment, index));
  }
  const payments = await Promise.all(asking);
  return { plan, payments, record: node.record, trace: environment.trace.lines() };
}

/** Every broken promise of a report, for a person to read. */
export function findingsOf({ payments }: EndpointReport): string[] {
  return payments.flatMap(({ index, outcome, toldAtBlock, minedInBlock }) => {
    if (outcome !== "confirmed") return [`payment ${index}: ${outcome}`];
    if (minedInBlock === undefined) return [`payment ${index}: confirmed without a transaction`];
    const after = toldAtBlock - minedInBlock;
    return after <= maxToldAfterBlocks ? [] : [`payment ${index}: told ${after} blocks later`];
  });
}

/** A few lines about a report. */
export function summaryOf({ plan, payments, record }: EndpointReport): string {
  const settled = payments.filter(({ outcome }) => outcome === "confirmed");
  const byBlocks = Object.groupBy(settled, ({ toldAtBlock, minedInBlock = 0 }) =>
    String(toldAtBlock - minedInBlock),
  );
  const told = Object.entries(byBlocks).map(
    ([blocks, those]) => `${those?.length} after ${blocks}`,
  );
  const [first, last] = [record.exchanges[0], record.exchanges.at(-1)];
  const minutes = ((last?.atMs ?? 0) - (first?.atMs ?? 0)) / 60_000;
  const perMinute = (count: number) => (count / minutes).toFixed(0);
  return [
    `${settled.length} of ${payments.length} payments settled in ${plan.seconds} s`,
    `told, in blocks after their own: ${told.join(", ") || "none"}`,
    `${perMinute(record.requests())} HTTP requests and ${perMinute(record.calls())} calls a minute; ` +
      `${record.refused()} refused; at most ${record.mostPerSecond()} within a second`,
  ].join("\n");
}

async function pay(environment: EndpointEnvironment, index: number): Promise<ToldPayment> {
  const { clock, devnet, url } = environment;
  const body = requestBody(devnet.chainId, sign(environment, index));
  const verified = await post(`${url}/verify`, body);
  if (verified["isValid"] !== true) return tell(environment, index, verified);
  const untilMs = clock.nowMs() + maxAskMs;
  let told = await post(`${url}/settle`, body);
  while (told["status"] === "pending" && clock.nowMs() < untilMs) {
    const path = `/settlements/${String(told["id"])}?wait=${lookSeconds}`;
    told = { ...told, ...(await readJson(await fetch(`${url}${path}`))) };
  }
  return tell(environment, index, told);
}

function sign({ clock, devnet }: EndpointEnvironment, index: number): SignedPayment {
  const buyer = devnet.buyers[index % devnet.buyers.length];
  if (!buyer) throw new Error("a devnet has buyers");
  const now = BigInt(Math.floor(clock.nowMs() / 1_000));
  const authorization = {
    from: buyer.address,
    to: devnet.seller.address,
    value: 1_000n,
    validAfter: now - begunSeconds,
    validBefore: now + validSeconds,
    nonce: `0x${(index + 1).toString(16).padStart(64, "0")}` as const,
  };
  return signAuthorization(devnet.chainId, authorization, buyer.privateKey);
}

async function tell(
  environment: EndpointEnvironment,
  index: number,
  body: JsonObject,
): Promise<ToldPayment> {
  const toldAtBlock = await environment.head();
  const isConfirmed = body["status"] === "confirmed" || body["success"] === true;
  const outcome = isConfirmed ? "confirmed" : JSON.stringify(body);
  const minedInBlock = await readBlockOf(environment, body["transaction"]);
  return { index, outcome, toldAtBlock, minedInBlock };
}

async function readBlockOf(
  { devnet }: EndpointEnvironment,
  hash: unknown,
): Promise<number | undefined> {
  if (typeof hash !== "string" || hash === "") return undefined;
  const receipt = await devnet.rpc<{ blockNumber: Hex } | null>("eth_getTransactionReceipt", [
    hash,
  ]);
  return receipt ? Number(receipt.blockNumber) : undefined;
}

async function post(url: string, body: JsonObject): Promise<JsonObject> {
  const headers = { "content-type": "application/json" };
  return readJson(await fetch(url, { method: "POST", headers, body: JSON.stringify(body) }));
}

async function readJson(response: Response): Promise<JsonObject> {
  const body: unknown = await response.json();
  return isObject(body) ? body : {};
}
