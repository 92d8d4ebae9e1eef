/** Checks last, for some seconds, that an endpoint sustains the facilitator's request rate. */
import { ok, fail, warn, type CheckLine } from "../../base/check-line.ts";
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/fault.ts";
import { classifyNodeError, type NodeError } from "../endpoints/node-errors.ts";
import type { RpcEndpoint } from "../endpoints/rpc-endpoint.ts";

/** Requests of one payment: its reads, its send, its outcome. */
const requestsPerPayment = 5;

/** Enough for one and a half payments a second, with a margin to the common limit of ten. */
const askedPerSecond = 8;

/** Long enough to exhaust a bucket of allowed bursts. */
export const rateSecondsDefault = 10;

/** Two calls, since some endpoints count calls and not requests. */
const pair = [
  { method: "eth_blockNumber", params: [] },
  { method: "eth_chainId", params: [] },
];

/** Throws nothing. */
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
    // The pause is never shorter, even after a delay in this process: that would be a burst.
    await clock.sleep(1_000 / askedPerSecond);
  }
  const outcomes = await Promise.all(asked);
  const refused = outcomes.filter(({ problem }) => problem !== undefined);
  const first = refused[0]?.problem;
  if (first === undefined) {
    return ok(name, `${askedPerSecond} requests a second for ${seconds} seconds`);
  }
  // By then a bucket is empty, and the rate is the sustained one.
  const later = outcomes.slice(Math.floor(count / 2));
  const sum = later.reduce((total, { taken: share }) => total + share, 0);
  const taken = Math.round((sum / later.length) * askedPerSecond);
  const text = `${refused.length} of ${count} requests at ${askedPerSecond} a second were refused (${first}); it takes about ${taken} a second`;
  if (taken < 1) return fail(name, text, "use another endpoint; this one stops to answer");
  const enough =
    taken < requestsPerPayment
      ? "less than one payment a second takes, so payments are reported late"
      : `enough for about ${Math.floor(taken / requestsPerPayment)} payment a second`;
  const more = "for more raise its limit, run a node of your own, or put this endpoint last";
  return warn(name, text, `${enough}; ${more}`);
}

interface Outcome {
  readonly taken: number;
  readonly problem?: string;
}

async function askOnce(endpoint: RpcEndpoint, size: { calls: number }): Promise<Outcome> {
  try {
    const response = await endpoint.send(pair.slice(0, size.calls));
    if (response.kind === "refused") {
      if (response.refusal === "rate_limited") return { taken: 0, problem: textOf(response.error) };
      size.calls = 1;
      return { taken: 1 };
    }
    const errors = response.answers.flatMap((reply) => (reply.ok ? [] : [reply.error]));
    const taken = 1 - errors.length / response.answers.length;
    return errors[0] === undefined ? { taken } : { taken, problem: textOf(errors[0]) };
  } catch (error) {
    return { taken: 0, problem: messageOf(error).replace(/^RPC endpoint \d+: /, "") };
  }
}

function textOf(error: NodeError): string {
  return `${classifyNodeError(error)}, code ${error.code}: ${error.message}`;
}
