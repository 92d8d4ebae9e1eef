/**
 * A network through its endpoints, each used within its learned limits. Reads go to the best
 * endpoint and fail over; sends do not: a transaction goes to the endpoint of its wallet, and to
 * others only when the caller asks for that.
 */
import type { Hex, Network } from "@farthing/protocol";
import { steadyClockOf, systemClock, type Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import type { Log } from "../../base/log.ts";
import { AskedEndpoint, askHead, failoverMs } from "./asked-endpoint.ts";
import { restingRank } from "./endpoint-health.ts";
import { EndpointLimiter, type EndpointLimits, type RpcPriority } from "./endpoint-limiter.ts";
import type { Asking } from "./limited-endpoint.ts";
import { classifyNodeError, isEndpointProblem } from "./node-errors.ts";
import { createReadRace, unansweredBy, type ReadFrom } from "./read-race.ts";
import { momentaryMs, repeatPauseMs, sendAgain, triesMax } from "./repeats.ts";
import { headOf, isEmptyWord, isUnexplained } from "./reply-content.ts";
import { type RpcReply, type RpcCall, type RpcEndpoint } from "./rpc-endpoint.ts";

export interface ReadOptions {
  /** Order of waiting reads at a rate-limited endpoint; default "outcome". */
  readonly priority?: Exclude<RpcPriority, "send">;
  /** Gives up after this long, beside the wait for a turn; default: the endpoint's own limit. */
  readonly withinMs?: number;
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
  /** Whether a request waits for its turn at an endpoint that takes no more. */
  isHeldUp(): boolean;
  /** The learned limits of the endpoint that `read` uses first. */
  limitsInUse(): EndpointLimits;
  /** What a request usually takes, at the endpoint that `read` uses first unless another is named. */
  usualMs(endpointIndex?: number): number;
  /** The least that a request took of late, at the endpoint that `read` uses first or another one. */
  distanceMs(endpointIndex?: number): number;
  /** The lesser of what its last two requests took: known sooner, and at times wrong. */
  presentMs(endpointIndex: number): number;
  /** For how long no read got a reply; 0 while reads are answered, or nothing is asked. */
  unansweredMs(): number;
  /** A better endpoint; undefined while this one does well enough. */
  betterThan(endpointIndex: number): number | undefined;
  /** Ranks an endpoint last for a while, because it gave a false reply. */
  distrust(endpointIndex: number): void;
  /** The same for the endpoint that gave these replies of a `read`; nothing where it is the only one. */
  distrustGiver(replies: readonly RpcReply[]): void;
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
  readonly endpoints: readonly AskedEndpoint[];
  /** Measures waits only; none may grow when the time of day is put back. */
  readonly #clock: Clock;
  #preferred = 0;
  readonly #open = new Set<{ readonly sinceMs: number }>();
  /** The endpoint that gave what a read returned. */
  readonly #givers = new WeakMap<readonly RpcReply[], number>();
  /** When the last reply came, and the first read that has failed since then began. */
  #repliedAtMs = Number.NEGATIVE_INFINITY;
  #unansweredSinceMs: number | undefined;

  constructor({ network, endpoints, log, clock = systemClock }: ChainOptions) {
    this.network = network;
    this.#clock = steadyClockOf(clock);
    const deps = { clock: this.#clock, log, chainId: network.chainId };
    this.endpoints = endpoints.map((endpoint) => new AskedEndpoint(endpoint, deps));
  }

  limits(): readonly EndpointLimits[] {
    return this.endpoints.map(({ limiter }) => limiter.limits());
  }

  isHeldUp(): boolean {
    return this.endpoints.some(({ limiter }) => limiter.hasWaiting());
  }

  limitsInUse(): EndpointLimits {
    const limiter = this.endpoints[this.#inOrder()[0] ?? 0]?.limiter;
    return (limiter ?? new EndpointLimiter(this.#clock)).limits();
  }

  usualMs(at = this.#inOrder()[0] ?? 0): number {
    return this.endpoints[at]?.health.usualMs ?? 0;
  }

  distanceMs(at = this.#inOrder()[0] ?? 0): number {
    return this.endpoints[at]?.health.distanceMs ?? 0;
  }

  presentMs(at: number): number {
    return this.endpoints[at]?.health.presentMs ?? 0;
  }

  unansweredMs(): number {
    let sinceMs = this.#unansweredSinceMs ?? Infinity;
    for (const reading of this.#open) sinceMs = Math.min(sinceMs, reading.sinceMs);
    if (sinceMs === Infinity) return 0;
    return this.#clock.nowMs() - Math.max(sinceMs, this.#repliedAtMs);
  }

  distrust(at: number): void {
    this.endpoints[at]?.health.distrust();
  }

  distrustGiver(replies: readonly RpcReply[]): void {
    const at = this.#givers.get(replies);
    if (at !== undefined && this.#inOrder().length > 1) this.#at(at).distrustLogs();
  }

  #newestHead(): number {
    const ours = this.endpoints.filter(({ health }) => health.isOurs);
    return Math.max(0, ...ours.map(({ health }) => health.head));
  }

  #rankOf(at: number): number {
    return this.endpoints[at]?.health.rank(this.#newestHead()) ?? 0;
  }

  /** Endpoints of this chain from best to worst; among equals the current one stays first. */
  #inOrder(): number[] {
    const distance = (at: number) =>
      (at - this.#preferred + this.endpoints.length) % this.endpoints.length;
    // Places in this chain's list: an endpoint's own index counts all that are configured.
    const ours = this.endpoints.flatMap(({ health }, at) => (health.isOurs ? [at] : []));
    // Asked for each payment, and most operators have one.
    if (ours.length < 2) return ours;
    return ours.toSorted(
      (one, other) => this.#rankOf(one) - this.#rankOf(other) || distance(one) - distance(other),
    );
  }

  #at(at: number): AskedEndpoint {
    const endpoint = this.endpoints[at];
    if (!endpoint) throw new Fault("configuration", "The network has no RPC endpoint");
    return endpoint;
  }

  async read(calls: readonly RpcCall[], options: ReadOptions = {}) {
    const { at, replies } = await this.#readBest(calls, options);
    this.#givers.set(replies, at);
    return replies;
  }

  async readTwice(calls: readonly RpcCall[], headNumber: number): Promise<TwoReads> {
    // Both are asked at once: the slower one alone decides how long it takes.
    const [first] = this.#inOrder();
    const [best, beside] = await Promise.all([
      this.#readBest(calls, {}),
      first === undefined ? ("none" as const) : this.#readElsewhere(first, calls, headNumber),
    ]);
    const { at, replies } = best;
    const elsewhere = at === first ? beside : await this.#readElsewhere(at, calls, headNumber);
    return { here: replies, elsewhere };
  }

  /** Repeats what failed at once at endpoints that are half broken; any reply proves them alive. */
  async #readBest(calls: readonly RpcCall[], options: ReadOptions): Promise<ReadFrom> {
    const reading = { sinceMs: this.#clock.nowMs() };
    this.#open.add(reading);
    try {
      for (let tries = 1; ; tries++) {
        const triedMs = this.#clock.nowMs();
        const outcome = await this.#readOnce(calls, options);
        const { best } = outcome;
        const isLast = !this.#isMomentary(tries, triedMs);
        if (best && (isLast || !best.replies.every(isUnexplained))) {
          this.#unansweredSinceMs = undefined;
          this.#repliedAtMs = this.#clock.nowMs();
          return best;
        }
        if (isLast || outcome.full.length > 0) {
          this.#unansweredSinceMs ??= reading.sinceMs;
          throw unansweredBy(outcome.full, outcome.fault);
        }
        await this.#clock.sleep(repeatPauseMs(tries));
      }
    } finally {
      this.#open.delete(reading);
    }
  }

  /** Whether a failure came at once, from endpoints that answer other requests. */
  #isMomentary(tries: number, triedMs: number, at?: number): boolean {
    const tookMs = this.#clock.nowMs() - triedMs - this.usualMs(at);
    const asked = at === undefined ? this.endpoints : [this.#at(at)];
    const isAnswering = asked.some(({ health }) => health.isOurs && health.isAnswering);
    return tries < triesMax && tookMs < momentaryMs && isAnswering;
  }

  /** Asks the best endpoint, and the next one where it fails, or is late and the next has spare capacity. */
  async #readOnce(
    calls: readonly RpcCall[],
    { priority = "outcome", withinMs }: ReadOptions,
  ): Promise<{ best: ReadFrom | undefined; full: readonly number[]; fault: unknown }> {
    const order = this.#inOrder();
    const lastMs = this.#clock.nowMs() + waitMsMax[priority];
    const soonMs = this.#clock.nowMs() + waitMsWithOthers;
    const untilMs = order.length === 1 ? lastMs : soonMs;
    const race = createReadRace(this.#clock);
    for (const [turn, at] of order.entries()) {
      const endpoint = this.#at(at);
      const isLast = turn === order.length - 1;
      // Beside one that is late, another is asked from its spare capacity only.
      const isSpare = endpoint.health.isProven && endpoint.limiter.waitMs(priority) === 0;
      if (race.isOpen() && !isSpare) continue;
      const asking = { priority, untilMs };
      const isPatient = isLast && withinMs === undefined;
      race.add(
        at,
        isPatient ? endpoint.ask(calls, asking) : endpoint.askInTime(calls, asking, withinMs),
      );
      if (
        await race.isDecided(isLast ? undefined : endpoint.lateMs + untilMs - this.#clock.nowMs())
      )
        break;
    }
    await race.isDecided();
    const { full } = race;
    const best = race.best ?? (await this.#askFull(full, calls, { priority, untilMs: lastMs }));
    if (best && !full.includes(best.at) && !race.wasLate(best.at)) this.#preferred = best.at;
    return { best, full, fault: race.fault };
  }

  /** Waits for the endpoint that has capacity first, where there are several. */
  async #askFull(full: readonly number[], calls: readonly RpcCall[], asking: Asking) {
    if (this.endpoints.length < 2) return undefined;
    const waitMs = (at: number) => this.endpoints[at]?.limiter.waitMs(asking.priority) ?? Infinity;
    const [soonest] = full.toSorted((one, other) => waitMs(one) - waitMs(other));
    if (soonest === undefined) return undefined;
    const replies = await this.#at(soonest).ask(calls, asking);
    return replies && { at: soonest, replies };
  }

  /** Another endpoint than the one that replied before: one must not confirm what it said itself. */
  async #readElsewhere(
    before: number,
    calls: readonly RpcCall[],
    headNumber: number,
  ): Promise<TwoReads["elsewhere"]> {
    const at = this.#inOrder().find((one) => one !== before && !this.#at(one).health.isDown);
    if (at === undefined) return "none";
    const other = this.#at(at);
    const { health } = other;
    if (this.#rankOf(at) === restingRank && !health.isAnswering) return "silent";
    const untilMs = this.#clock.nowMs() + waitMsMax.outcome;
    const asking: Asking = { priority: "outcome", untilMs };
    for (let look = 1; look <= secondLooksMax; look++) {
      const askedMs = this.#clock.nowMs();
      // One request: a head that was seen earlier may be older than the block in question.
      const answers = await other
        .askInTime([askHead, ...calls], asking, failoverMs + this.usualMs(at))
        .catch(() => undefined);
      const [head, ...replies] = answers ?? [];
      const reached = head?.ok ? headOf(askHead, head.result) : undefined;
      if (reached === undefined) {
        // One that is half broken is asked again at once; a payment waits for its opinion.
        if (this.#clock.nowMs() - askedMs > momentaryMs || !health.isAnswering) return "silent";
      } else if (reached >= headNumber) {
        if (!calls.some((call, index) => isEmptyWord(call, replies[index]))) return replies;
        health.distrust();
        return "none";
        // What it said of its head counts: an endpoint far behind may never reach the block.
      } else if (this.#rankOf(at) !== 0) return "none";
      if (look < secondLooksMax) await this.#clock.sleep(secondLookMs);
    }
    return "silent";
  }

  async send(at: number, raws: readonly Hex[]): Promise<RpcReply[]> {
    const calls = raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }));
    const waitMs = this.endpoints.length > 1 ? sendWaitMsWithOthers : waitMsMax.send;
    const untilMs = this.#clock.nowMs() + waitMs;
    const asking: Asking = { priority: "send", untilMs, isInOrder: true };
    const endpoint = this.#at(at);
    const send = () =>
      this.endpoints.length > 1 ? endpoint.askInTime(calls, asking) : endpoint.ask(calls, asking);
    const replies = await sendAgain(send, {
      clock: this.#clock,
      isWorthIt: (tries, triedMs) => this.#isMomentary(tries, triedMs, at),
    });
    if (replies) return replies;
    throw unansweredBy([at], undefined);
  }

  betterThan(at: number): number | undefined {
    const isOurs = this.endpoints[at]?.health.isOurs === true;
    if (isOurs && this.#rankOf(at) === 0) return undefined;
    const [best] = this.#inOrder();
    const isBetter = best !== undefined && (!isOurs || this.#rankOf(best) < this.#rankOf(at));
    return isBetter ? best : undefined;
  }

  async probe(): Promise<void> {
    await Promise.all(this.endpoints.map((endpoint) => endpoint.probe()));
  }
}

/** Throws `rpc_refused` or `rpc_unavailable` for a reply without result. */
export function resultOf(reply: RpcReply | undefined, method: string): unknown {
  if (reply?.ok) return reply.result;
  const problem = reply ? classifyNodeError(reply.error) : "inconclusive";
  // What no class explains is told in the node's own words.
  const isUnclear = reply !== undefined && problem === "inconclusive";
  const why = isUnclear ? `${reply.error.message} (code ${reply.error.code})` : problem;
  throw new Fault(
    isEndpointProblem(problem) ? "rpc_unavailable" : "rpc_refused",
    `${method} was refused: ${why}`,
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
