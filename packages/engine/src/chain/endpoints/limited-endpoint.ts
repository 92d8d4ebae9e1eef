/**
 * An endpoint behind its limiter: calls are sent in requests no larger than its learned limits.
 * Requests refused for their size are split in halves; those refused for the rate are repeated
 * unchanged at their next turn.
 */
import type { Clock } from "../../base/clock.ts";
import { EndpointLimiter, type EndpointLimits, type RpcPriority } from "./endpoint-limiter.ts";
import { classifyNodeError } from "./node-errors.ts";
import type { RpcReply, RpcCall, RpcEndpoint } from "./rpc-endpoint.ts";

export interface Asking {
  readonly priority: RpcPriority;
  readonly untilMs: number;
  /** Sends one request after the other, and none after one that was not sent. */
  readonly isInOrder?: boolean;
}

/** One reply per call; undefined for calls without a turn in time. */
export type LimitedReplies = readonly (RpcReply | undefined)[];

export interface LimitedEndpoint {
  readonly index: number;
  readonly limiter: EndpointLimiter;
  /** Throws `rpc_unavailable` when a request was sent and no reply was read. */
  ask(calls: readonly RpcCall[], asking: Asking): Promise<LimitedReplies>;
}

/** Concurrent requests of a split batch: the largest burst. */
const partsInFlightMax = 16;

/**
 * Parts of split batches that wait for the others, of all that ask at once. A batch has at most as many
 * of them here as may be on their way, however large it is.
 */
export const partsWaitingMax = 1_000;

/** Attempts for the same calls after rate limits. */
const triesMax = 5;

export function limitEndpoint(
  endpoint: RpcEndpoint,
  options: {
    readonly clock: Clock;
    onLearned(limits: EndpointLimits): void;
    /** Receives what a request took that got a reply, without the wait for its turn. */
    onLatency?(ms: number): void;
  },
): LimitedEndpoint {
  const { clock, onLatency = () => undefined } = options;
  const limiter = new EndpointLimiter(options.clock, options.onLearned);
  const inParts = createPartsGate();

  async function ask(calls: readonly RpcCall[], asking: Asking): Promise<LimitedReplies> {
    const parts = split(calls, limiter);
    const [first, ...others] = parts;
    if (!first) return [];
    if (others.length === 0) return askOnce(first, asking);
    if (asking.isInOrder === true) return askInOrder(parts, asking);
    // A part that is split further runs sequentially: waiting for more permits could deadlock.
    const oneByOne = { ...asking, isInOrder: true };
    // Nothing of a part without a place was sent, as of one without a turn.
    const askPart = async (part: readonly RpcCall[]) =>
      (await inParts(() => askOnce(part, oneByOne))) ?? none(part);
    return askEach(parts, askPart);
  }

  async function askInOrder(parts: readonly (readonly RpcCall[])[], asking: Asking) {
    const answers: (RpcReply | undefined)[] = [];
    for (const part of parts) {
      const isHeldUp = answers.includes(undefined);
      answers.push(...(isHeldUp ? none(part) : await askOnce(part, asking)));
    }
    return answers;
  }

  /** Sends one request, or smaller ones when it turns out to be too large. */
  async function askOnce(calls: readonly RpcCall[], asking: Asking): Promise<LimitedReplies> {
    for (let tries = 0; tries < triesMax; tries++) {
      if (split(calls, limiter).length > 1) return ask(calls, asking);
      const permit = await limiter.take({ ...asking, calls: calls.length });
      if (!permit) break;
      const sentMs = clock.nowMs();
      const response = await endpoint.send(calls).catch((error: unknown) => {
        limiter.noteUnanswered(permit);
        throw error;
      });
      if (response.kind === "answered") {
        onLatency(clock.nowMs() - sentMs);
        const taken = response.answers.filter((reply) => !isRateLimited(reply));
        if (taken.length === calls.length) limiter.noteTaken(permit);
        else limiter.notePartlyRefused(permit, taken.length);
        return taken.length === calls.length
          ? response.answers
          : askRefused(calls, response.answers, asking);
      }
      if (response.refusal === "rate_limited") {
        limiter.noteRefused(permit, response.retryAfterMs);
        continue;
      }
      limiter.noteTaken(permit);
      if (response.refusal === "batch_not_read") return askHalves(calls, response.error, asking);
      if (calls.length === 1) {
        limiter.learnSize("bodyBytes", response.bodyBytes);
        return [{ ok: false, error: response.error }];
      }
      // Also for a body that is too large: that may be how the endpoint counts calls.
      limiter.learnSize("batchCalls", calls.length);
    }
    return none(calls);
  }

  /** Repeats the calls of a request that were refused for the rate. */
  async function askRefused(
    calls: readonly RpcCall[],
    answers: readonly RpcReply[],
    asking: Asking,
  ): Promise<LimitedReplies> {
    const refused = calls.filter((_, index) => isRateLimited(answers[index]));
    const again = [...(await ask(refused, asking))];
    return answers.map((reply) => (isRateLimited(reply) ? again.shift() : reply));
  }

  /** Splits the calls, to find out whether their number was the problem. */
  async function askHalves(
    calls: readonly RpcCall[],
    error: { readonly message: string },
    asking: Asking,
  ): Promise<LimitedReplies> {
    const middle = Math.ceil(calls.length / 2);
    const first = await askOnce(calls.slice(0, middle), asking);
    const isSame = (reply: RpcReply | undefined) =>
      !reply || (!reply.ok && reply.error.message === error.message);
    if (first.every(isSame)) return calls.map(() => first[0]);
    limiter.learnSize("batchCalls", calls.length);
    return [...first, ...(await askOnce(calls.slice(middle), asking))];
  }

  return { index: endpoint.index, limiter, ask };
}

/** Asks as many parts at once as may be on their way; the replies are in the order of the parts. */
async function askEach(
  parts: readonly (readonly RpcCall[])[],
  askPart: (part: readonly RpcCall[]) => Promise<LimitedReplies>,
): Promise<LimitedReplies> {
  const answers: LimitedReplies[] = [];
  let next = 0;
  async function askRest(): Promise<void> {
    for (let at = next++; at < parts.length; at = next++) {
      answers[at] = await askPart(parts[at] ?? []);
    }
  }
  await Promise.all(Array.from({ length: Math.min(parts.length, partsInFlightMax) }, askRest));
  return answers.flat();
}

function none(calls: readonly RpcCall[]): undefined[] {
  return calls.map(() => undefined);
}

function isRateLimited(reply: RpcReply | undefined): boolean {
  return reply !== undefined && !reply.ok && classifyNodeError(reply.error) === "rate_limited";
}

/** Splits calls into requests within the learned limits. */
function split(calls: readonly RpcCall[], limiter: EndpointLimiter): RpcCall[][] {
  if (calls.length === 0) return [];
  const { bodyBytes } = limiter.limits();
  const callsMax = limiter.callsMax();
  if (bodyBytes === undefined && calls.length <= callsMax) return [[...calls]];
  const parts: RpcCall[][] = [];
  let bytes = 0;
  for (const call of calls) {
    const size = bodyBytes === undefined ? 0 : sizeOf(call);
    const part = parts.at(-1);
    bytes += size;
    if (part && part.length < callsMax && bytes <= (bodyBytes ?? Infinity)) part.push(call);
    else {
      parts.push([call]);
      bytes = size;
    }
  }
  return parts;
}

function sizeOf(call: RpcCall): number {
  return JSON.stringify(call).length + envelopeBytes;
}

/** Bytes around method and parameters: version, number and commas. */
const envelopeBytes = 48;

/** The returned function asks nothing, and returns undefined, where too many wait already. */
function createPartsGate(): <T>(ask: () => Promise<T>) => Promise<T | undefined> {
  let inFlight = 0;
  const waiting: (() => void)[] = [];
  return async (ask) => {
    if (waiting.length >= partsWaitingMax) return undefined;
    if (inFlight >= partsInFlightMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else inFlight++;
    try {
      return await ask();
    } finally {
      // The next waiter takes over the permit.
      const next = waiting.shift();
      if (next) next();
      else inFlight--;
    }
  };
}
