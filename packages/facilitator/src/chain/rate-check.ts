/** Whether an endpoint keeps up: it is asked at the facilitator's own rate, for some seconds, last. */
import { ok, fail, warn, type CheckLine } from "../base/check-line.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import { classifyNodeError } from "./node-errors.ts";
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

const call = { method: "eth_blockNumber", params: [] };

/** Asks `seconds` long, and says how much of it was taken. Throws nothing. */
export async function checkRate(
  endpoint: RpcEndpoint,
  { clock, seconds }: { readonly clock: Clock; readonly seconds: number },
): Promise<CheckLine> {
  const name = `rate ${endpoint.index}`;
  const count = Math.max(1, Math.round(askedPerSecond * seconds));
  const asked: Promise<string | undefined>[] = [];
  for (let sent = 0; sent < count; sent++) {
    asked.push(askOnce(endpoint));
    // Never less, also after a delay of ours: that would be a burst.
    await clock.sleep(1_000 / askedPerSecond);
  }
  const problems = await Promise.all(asked);
  const refused = problems.filter((problem) => problem !== undefined);
  const [first] = refused;
  if (first === undefined) {
    return ok(name, `${askedPerSecond} requests a second for ${seconds} seconds`);
  }
  // By then a bucket is empty, and what is taken is what is taken for good.
  const later = problems.slice(Math.floor(count / 2));
  const share = later.filter((problem) => problem === undefined).length / later.length;
  const taken = Math.round(share * askedPerSecond);
  const text = `${refused.length} of ${count} requests at ${askedPerSecond} a second were refused (${first}); it takes about ${taken} a second`;
  if (taken < 1) return fail(name, text, "use another endpoint; this one stops to answer");
  const enough =
    taken < requestsPerPayment
      ? "less than one payment a second takes, so payments are told late"
      : `enough for about ${Math.floor(taken / requestsPerPayment)} payment a second`;
  const more = "for more raise its limit, run a node of your own, or put this endpoint last";
  return warn(name, text, `${enough}; ${more}`);
}

/** Undefined when the request was taken. */
async function askOnce(endpoint: RpcEndpoint): Promise<string | undefined> {
  try {
    const reply = await endpoint.send([call]);
    const [answer] = reply.kind === "answered" ? reply.answers : [];
    const error = reply.kind === "refused" ? reply.error : answer?.ok === false && answer.error;
    if (!error) return undefined;
    const { code, message } = error;
    return `${classifyNodeError(error)}, code ${code}: ${message}`;
  } catch (error) {
    return messageOf(error).replace(/^RPC endpoint \d+: /, "");
  }
}
