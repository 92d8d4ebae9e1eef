/** Whether an endpoint keeps up: it is asked at the facilitator's own rate, for some seconds, last. */
import { ok, fail, warn, type CheckLine } from "../base/check-line.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { classifyNodeError, type NodeError } from "./node-errors.ts";
import type { RpcEndpoint } from "./rpc-endpoint.ts";

/** Requests that one payment a second takes, per second: its reads, its sending, its outcome. */
const requestsPerPayment = 5;

/**
 * Requests a second that the endpoint is asked: a payment a second and a half, with a margin to the
 * limit of ten that many providers have.
 */
const askedPerSecond = 8;

/** Long enough for a bucket of allowed bursts to run dry. */
export const rateSecondsDefault = 10;

/** What a request asks: two calls, since some endpoints count calls and not requests. */
const pair = [
  { method: "eth_blockNumber", params: [] },
  { method: "eth_chainId", params: [] },
];

/** Asks `seconds` long, and says how much of it was taken. Throws nothing. */
export async function checkRate(
  endpoint: RpcEndpoint,
  { clock, seconds }: { readonly clock: Clock; readonly seconds: number },
): Promise<CheckLine> {
  const name = `rate ${endpoint.index}`;
  const count = Math.max(1, Math.round(askedPerSecond * seconds));
  const asked: Promise<Outcome>[] = [];
  const size = { calls: pair.length };
  for (let sent = 0; sent < count; sent++) {
    asked.push(askOnce(endpoint, size));
    // Never less, also after a delay of ours: that would be a burst.
    await clock.sleep(1_000 / askedPerSecond);
  }
  const outcomes = await Promise.all(asked);
  const refused = outcomes.filter(({ problem }) => problem !== undefined);
  const first = refused[0]?.problem;
  if (first === undefined) {
    return ok(name, `${askedPerSecond} requests a second for ${seconds} seconds`);
  }
  // By then a bucket is empty, and what is taken is what is taken for good.
  const later = outcomes.slice(Math.floor(count / 2));
  const sum = later.reduce((total, { taken: share }) => total + share, 0);
  const taken = Math.round((sum / later.length) * askedPerSecond);
  const text = `${refused.length} of ${count} requests at ${askedPerSecond} a second were refused (${first}); it takes about ${taken} a second`;
  if (taken < 1) return fail(name, text, "use another endpoint; this one stops to answer");
  const enough =
    taken < requestsPerPayment
      ? "less than one payment a second takes, so payments are told late"
      : `enough for about ${Math.floor(taken / requestsPerPayment)} payment a second`;
  const more = "for more raise its limit, run a node of your own, or put this endpoint last";
  return warn(name, text, `${enough}; ${more}`);
}

/** What became of a request. */
interface Outcome {
  /** Share of its calls that were taken. */
  readonly taken: number;
  /** Why not all were; absent when they were. */
  readonly problem?: string;
}

/** Asks once; `size` goes down where batches are not taken. */
async function askOnce(endpoint: RpcEndpoint, size: { calls: number }): Promise<Outcome> {
  try {
    const reply = await endpoint.send(pair.slice(0, size.calls));
    if (reply.kind === "refused") {
      if (reply.refusal === "rate_limited") return { taken: 0, problem: textOf(reply.error) };
      size.calls = 1;
      return { taken: 1 };
    }
    const errors = reply.answers.flatMap((answer) => (answer.ok ? [] : [answer.error]));
    const taken = 1 - errors.length / reply.answers.length;
    return errors[0] === undefined ? { taken } : { taken, problem: textOf(errors[0]) };
  } catch (error) {
    return { taken: 0, problem: messageOf(error).replace(/^RPC endpoint \d+: /, "") };
  }
}

function textOf(error: NodeError): string {
  return `${classifyNodeError(error)}, code ${error.code}: ${error.message}`;
}
