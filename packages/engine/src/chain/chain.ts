/**
 * A network through its endpoints, each used within its learned limits. Reads go to the best
 * endpoint and fail over; sends do not: a transaction goes to the endpoint of its wallet, and to
 * others only when the caller asks for that.
 */
import type { Hex, Network } from "@farthing/protocol";
import { steadyClockOf, systemClock, type Clock } from "../base/clock.ts";
import { Fault } from "../base/fault.ts";
import { warning, type Log } from "../base/log.ts";
import { EndpointHealth, restingRank } from "./endpoint-health.ts";
import { EndpointLimiter, type EndpointLimits, type RpcPriority } from "./endpoint-limiter.ts";
import {
  limitEndpoint,
  type Asking,
  type LimitedReplies,
  type LimitedEndpoint,
} from "./limited-endpoint.ts";
import { classifyNodeError, isEndpointProblem } from "./node-errors.ts";
import {
  blocksOf,
  countEndpointErrors,
  headOf,
  isEmptyWord,
  isUnexplained,
} from "./reply-content.ts";
import type { RpcReply, RpcCall, RpcEndpoint } from "./rpc-endpoint.ts";

export interface ReadOptions {
  /** Order of waiting reads at a rate-limited endpoint; default "outcome". */
  readonly priority?: Exclude<RpcPriority, "send">;
}

export interface Chain {
  readonly network: Network;
  readonly endpoints: readonly { readonly index: number }[];
  /**
   * Reads from the best endpoint and fails over on errors that are not about the calls, in batches
   * as large as the endpoint accepts. Throws `rpc_unavailable` when none replies or has capacity in
   * time; the caller backs off and never repeats at once.
   */
  read(calls: readonly RpcCall[], options?: ReadOptions): Promise<RpcReply[]>;
  /**
   * Reads as `read` does, and once more from another endpoint whose head is at or above
   * `headNumber`, which it gets a moment to reach: one endpoint alone must not decide about money.
   */
  readTwice(calls: readonly RpcCall[], headNumber: number): Promise<TwoReads>;
  /** Sends signed bytes in order, ahead of the queue. After `rpc_unavailable` all is unknown. */
  send(endpointIndex: number, raws: readonly Hex[]): Promise<RpcReply[]>;
  limits(): readonly EndpointLimits[];
  /** The learned limits of the endpoint that `read` uses first. */
  limitsInUse(): EndpointLimits;
  /** A better endpoint; undefined while this one does well enough. */
  betterThan(endpointIndex: number): number | undefined;
  /** Ranks an endpoint last for a while, because it gave a false reply. */
  distrust(endpointIndex: number): void;
  /** Reads the chain id and head of every endpoint; called periodically when there are several. */
  probe(): Promise<void>;
}

export interface TwoReads {
  readonly here: readonly RpcReply[];
  /**
   * "none" when no other endpoint counts: there is one only, or the others are down, lag, or
   * returned nothing for a contract call. "silent" when another one has just failed to reply; the
   * caller asks again later.
   */
  readonly elsewhere: readonly RpcReply[] | "none" | "silent";
}

/** A block reaches two healthy nodes within half a second; a slower one is not awaited. */
const secondLooksMax = 5;
const secondLookMs = 100;

/** Time limit while another endpoint remains: replies take milliseconds. The last gets its timeout. */
const failoverMs = 3_000;

/** An outcome or verification is due in three blocks of 2 s; a rejected send waits for another. */
const waitMsMax: Record<RpcPriority, number> = {
  send: 8_000,
  outcome: 6_000,
  verification: 6_000,
};

/** Longest queueing of a read while another endpoint is available. */
const waitMsWithOthers = 250;

/** The same for a send: with the next block its wallet may move to another endpoint. */
const sendWaitMsWithOthers = 2_000;

const askHead: RpcCall = { method: "eth_blockNumber", params: [] };

const probeCalls: readonly RpcCall[] = [{ method: "eth_chainId", params: [] }, askHead];

export function createChain(options: ChainOptions): Chain {
  return new LimitedChain(options);
}

interface ChainOptions {
  readonly network: Network;
  readonly endpoints: readonly RpcEndpoint[];
  readonly log: Log;
  readonly clock?: Clock;
}

class LimitedChain implements Chain {
  readonly network: Network;
  readonly endpoints: readonly LimitedEndpoint[];
  readonly #health: readonly EndpointHealth[];
  /** Measures waits only; none may grow when the time of day is put back. */
  readonly #clock: Clock;
  readonly #log: Log;
  #preferred = 0;

  constructor({ network, endpoints, log, clock = systemClock }: ChainOptions) {
    const { chainId } = network;
    this.network = network;
    this.#log = log;
    this.#clock = steadyClockOf(clock);
    this.endpoints = endpoints.map((endpoint) =>
      limitEndpoint(endpoint, {
        clock: this.#clock,
        onLearned: (limits) => {
          const fields = { event: "rpc_limit_learned", chainId, endpoint: endpoint.index };
          log.warn({ ...fields, ...limits }, "RPC endpoint limit learned");
        },
      }),
    );
    this.#health = endpoints.map(() => new EndpointHealth(this.#clock));
  }

  limits(): readonly EndpointLimits[] {
    return this.endpoints.map(({ limiter }) => limiter.limits());
  }

  limitsInUse(): EndpointLimits {
    const best = this.endpoints[this.#inOrder()[0] ?? 0];
    return (best?.limiter ?? new EndpointLimiter(this.#clock)).limits();
  }

  distrust(at: number): void {
    this.#health[at]?.distrust();
  }

  #newestHead(): number {
    return Math.max(0, ...this.#health.filter(({ isOurs }) => isOurs).map(({ head }) => head));
  }

  #rankOf(at: number): number {
    return this.#health[at]?.rank(this.#newestHead()) ?? 0;
  }

  /** Endpoints of this chain from best to worst; among equals the current one stays first. */
  #inOrder(): number[] {
    const distance = (at: number) =>
      (at - this.#preferred + this.endpoints.length) % this.endpoints.length;
    return this.endpoints
      .map((_, at) => at)
      .filter((at) => this.#health[at]?.isOurs)
      .toSorted(
        (one, other) => this.#rankOf(one) - this.#rankOf(other) || distance(one) - distance(other),
      );
  }

  /** Undefined when the endpoint has no capacity in time. */
  async #ask(at: number, calls: readonly RpcCall[], asking: Asking) {
    const endpoint = this.endpoints[at];
    if (!endpoint) throw new Fault("configuration", "The network has no RPC endpoint");
    try {
      const replies = await endpoint.ask(calls, asking);
      const read = replies.filter((reply) => reply !== undefined);
      this.#noteAnswers(at, calls, replies);
      const isWhole = read.length === replies.length;
      const isUnhealthy = calls === probeCalls && read.every(isUnexplained);
      if (isWhole && !isUnhealthy) this.#health[at]?.noteReply();
      else this.#health[at]?.noteFailure();
      return isWhole ? read : undefined;
    } catch (error) {
      this.#health[at]?.noteFailure();
      const fields = { chainId: this.network.chainId, endpoint: at };
      warning(this.#log, { event: "rpc_request_failed", ...fields }, "RPC request failed")(error);
      throw error;
    }
  }

  /** Stops waiting after a while; a later reply is only recorded. */
  async #askInTime(at: number, calls: readonly RpcCall[], asking: Asking) {
    const answering = this.#ask(at, calls, asking);
    const isAnswered = new AbortController();
    const timeoutMs = failoverMs + Math.max(0, asking.untilMs - this.#clock.nowMs());
    const tooLate = this.#clock.sleep(timeoutMs, isAnswered.signal).then(() => "late" as const);
    try {
      const replies = await Promise.race([answering, tooLate]);
      if (replies !== "late") return replies;
      // A late reply or failure is recorded inside `#ask`.
      answering.catch(() => undefined);
      this.#health[at]?.noteFailure();
      throw new Fault("rpc_unavailable", `RPC endpoint ${at}: no answer within ${timeoutMs} ms`);
    } finally {
      isAnswered.abort();
    }
  }

  #noteAnswers(at: number, calls: readonly RpcCall[], replies: LimitedReplies): void {
    const health = this.#health[at];
    for (const [index, reply] of replies.entries()) {
      const call = calls[index];
      const number = reply?.ok ? headOf(call, reply.result) : undefined;
      if (health && number !== undefined) health.head = number;
      const isRange =
        reply?.ok === false && classifyNodeError(reply.error) === "log_range_too_large";
      const blocks = isRange ? blocksOf(call, health?.head ?? 0) : undefined;
      if (blocks) this.endpoints[at]?.limiter.learnSize("logRangeBlocks", blocks);
    }
  }

  async read(calls: readonly RpcCall[], { priority = "outcome" }: ReadOptions = {}) {
    return (await this.#readBest(calls, priority)).replies;
  }

  async readTwice(calls: readonly RpcCall[], headNumber: number): Promise<TwoReads> {
    const { at, replies } = await this.#readBest(calls, "outcome");
    return { here: replies, elsewhere: await this.#readElsewhere(at, calls, headNumber) };
  }

  async #readBest(calls: readonly RpcCall[], priority: RpcPriority): Promise<ReadFrom> {
    const order = this.#inOrder();
    const lastMs = this.#clock.nowMs() + waitMsMax[priority];
    const soonMs = this.#clock.nowMs() + waitMsWithOthers;
    const full: number[] = [];
    let best: ReadFrom | undefined;
    let fault: unknown;
    for (const at of order) {
      try {
        const isLast = at === order.at(-1);
        const untilMs = order.length === 1 ? lastMs : soonMs;
        const asking = { priority, untilMs };
        const replies = await (isLast
          ? this.#ask(at, calls, asking)
          : this.#askInTime(at, calls, asking));
        if (!replies) full.push(at);
        else if (!best || countEndpointErrors(replies) < countEndpointErrors(best.replies))
          best = { at, replies };
        if (replies && countEndpointErrors(replies) === 0) break;
      } catch (error) {
        fault = error;
      }
    }
    best ??= await this.#askFull(full, calls, { priority, untilMs: lastMs });
    if (!best) throw unansweredBy(full, fault);
    if (!full.includes(best.at)) this.#preferred = best.at;
    return best;
  }

  /** Waits for the endpoint that has capacity first, where there are several. */
  async #askFull(full: readonly number[], calls: readonly RpcCall[], asking: Asking) {
    if (this.endpoints.length < 2) return undefined;
    const waitMs = (at: number) => this.endpoints[at]?.limiter.waitMs(asking.priority) ?? Infinity;
    const [soonest] = full.toSorted((one, other) => waitMs(one) - waitMs(other));
    if (soonest === undefined) return undefined;
    const replies = await this.#ask(soonest, calls, asking);
    return replies && { at: soonest, replies };
  }

  /** Another endpoint than the one that replied before: one must not confirm what it said itself. */
  async #readElsewhere(before: number, calls: readonly RpcCall[], headNumber: number) {
    const others = this.#inOrder().filter((at) => at !== before && !this.#health[at]?.isDown);
    const [other] = others;
    if (other === undefined) return "none";
    if (this.#rankOf(other) === restingRank) return "silent";
    const untilMs = this.#clock.nowMs() + waitMsMax.outcome;
    const asking: Asking = { priority: "outcome", untilMs };
    try {
      for (let look = 1; look <= secondLooksMax; look++) {
        // One request: a head that was seen earlier may be older than the block in question.
        const [head, ...replies] = (await this.#ask(other, [askHead, ...calls], asking)) ?? [];
        const reached = head?.ok ? headOf(askHead, head.result) : undefined;
        if (reached === undefined) return "silent";
        if (reached >= headNumber) {
          if (!calls.some((call, index) => isEmptyWord(call, replies[index]))) return replies;
          this.#health[other]?.distrust();
          return "none";
        }
        // What it said of its head counts: an endpoint far behind may never reach the block.
        if (this.#rankOf(other) !== 0) return "none";
        if (look < secondLooksMax) await this.#clock.sleep(secondLookMs);
      }
      return "silent";
    } catch {
      return "silent";
    }
  }

  async send(at: number, raws: readonly Hex[]): Promise<RpcReply[]> {
    const calls = raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }));
    const waitMs = this.endpoints.length > 1 ? sendWaitMsWithOthers : waitMsMax.send;
    const untilMs = this.#clock.nowMs() + waitMs;
    const asking: Asking = { priority: "send", untilMs, isInOrder: true };
    const replies = await (this.endpoints.length > 1
      ? this.#askInTime(at, calls, asking)
      : this.#ask(at, calls, asking));
    if (replies) return replies;
    throw unansweredBy([at], undefined);
  }

  betterThan(at: number): number | undefined {
    const isOurs = this.#health[at]?.isOurs === true;
    if (isOurs && this.#rankOf(at) === 0) return undefined;
    const [best] = this.#inOrder();
    const isBetter = best !== undefined && (!isOurs || this.#rankOf(best) < this.#rankOf(at));
    return isBetter ? best : undefined;
  }

  async probe(): Promise<void> {
    const asking = { priority: "verification", untilMs: this.#clock.nowMs() } as const;
    await Promise.all(
      this.endpoints.map(async (_, at) => {
        // `#ask` has recorded the failure.
        const replies = await this.#ask(at, probeCalls, asking).catch(() => undefined);
        const [id] = replies ?? [];
        if (!id?.ok) return;
        const { chainId } = this.network;
        const health = this.#health[at];
        const isOurs = Number(id.result) === chainId;
        if (health) health.isOurs = isOurs;
        if (isOurs) return;
        const fields = { event: "rpc_chain_mismatched", chainId, endpoint: at };
        this.#log.error(fields, "RPC endpoint serves another chain");
      }),
    );
  }
}

interface ReadFrom {
  /** The index of the endpoint that replied. */
  readonly at: number;
  readonly replies: RpcReply[];
}

/** `full` lists the endpoints without capacity. */
function unansweredBy(full: readonly number[], fault: unknown): Fault {
  if (full.length === 0 && fault instanceof Fault) return fault;
  const text =
    full.length > 0
      ? `No room in time: RPC endpoint ${full.join(" and ")} limits how much we ask`
      : "No RPC endpoint answered";
  return new Fault("rpc_unavailable", text, { cause: fault });
}

/** Throws `rpc_refused` or `rpc_unavailable` for a reply without result. */
export function resultOf(reply: RpcReply | undefined, method: string): unknown {
  if (reply?.ok) return reply.result;
  const problem = reply ? classifyNodeError(reply.error) : "inconclusive";
  throw new Fault(
    isEndpointProblem(problem) ? "rpc_unavailable" : "rpc_refused",
    `${method} was refused: ${problem}`,
    { cause: reply && new Error(reply.error.message) },
  );
}

/** Returns the result of a single call. Throws as {@link resultOf}. */
export async function readOne(chain: Chain, call: RpcCall): Promise<unknown> {
  const [reply] = await chain.read([call]);
  return resultOf(reply, call.method);
}

/** Returns lower-case bytes. */
export function bytesOf(value: unknown, name: string): Hex {
  if (typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)) {
    return `0x${value.slice(2).toLowerCase()}`;
  }
  throw new Fault("rpc_refused", `The node sent no bytes for ${name}`);
}

export function quantity(value: unknown, name: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw new Fault("rpc_refused", `The node sent no number for ${name}`);
}
