/**
 * A network through its endpoints, each within the limits that it was found to have. Reads go to the
 * endpoint that does best and move on when it does not answer or has no room; sends do not: a
 * transaction's bytes go to the endpoint that its lane is pinned to, and the same bytes to the others
 * only when somebody asks for that.
 */
import type { Hex, Network } from "@farthing/protocol";
import { steadyClockOf, systemClock, type Clock } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Log } from "../base/log.ts";
import { createEndpointHealth, type EndpointHealth } from "./endpoint-health.ts";
import type { EndpointLimits, RpcPriority } from "./endpoint-limiter.ts";
import {
  limitEndpoint,
  type Asking,
  type LimitedAnswers,
  type LimitedEndpoint,
} from "./limited-endpoint.ts";
import { classifyNodeError, isEndpointProblem } from "./node-errors.ts";
import { blocksOf, countIll, headOf, isEmptyWord, isUnexplained } from "./reply-content.ts";
import type { RpcAnswer, RpcCall, RpcEndpoint } from "./rpc-endpoint.ts";

/** How a read is made. */
export interface ReadOptions {
  /** Whose turn comes first where an endpoint limits our rate; "outcome" if left out. */
  readonly priority?: Exclude<RpcPriority, "send">;
}

/** A network that can be read and sent to. */
export interface Chain {
  readonly network: Network;
  readonly endpoints: readonly { readonly index: number }[];
  /**
   * Asks the best endpoint, then the others on every error that is not about a call's content; in
   * requests as large as the endpoint takes, each in its turn. Throws `rpc_unavailable` when none
   * answers, or has room in time: whoever asked backs off, and never repeats at once.
   */
  read(calls: readonly RpcCall[], options?: ReadOptions): Promise<RpcAnswer[]>;
  /**
   * Asks a second opinion: a healthy endpoint other than the one that `read` uses first, once its
   * head is at or above `headNumber`, for which it gets a moment. Undefined when there is none, or
   * it does not answer, has no room, or does not get there. One that answers a call of a contract
   * with nothing is no second word either, and distrusted.
   */
  readElsewhere(calls: readonly RpcCall[], headNumber: number): Promise<RpcAnswer[] | undefined>;
  /**
   * Sends signed bytes, in order, to one endpoint, before everything else that waits for it. Throws
   * `rpc_unavailable`: then all is unknown.
   */
  send(endpointIndex: number, raws: readonly Hex[]): Promise<RpcAnswer[]>;
  /** What each endpoint was found to take, in their order. */
  limits(): readonly EndpointLimits[];
  /** What the endpoint that `read` uses first was found to take. */
  limitsInUse(): EndpointLimits;
  /** An endpoint that is doing better than this one; undefined while this one does well enough. */
  betterThan(endpointIndex: number): number | undefined;
  /** An endpoint gave an answer that cannot be true: the others are asked for a while. */
  distrust(endpointIndex: number): void;
  /** Looks at every endpoint's chain and head; called now and then when there are several. */
  probe(): Promise<void>;
}

/** A block reaches two healthy nodes within half a second; one that lags is not waited for longer. */
const secondLooksMax = 5;
const secondLookMs = 100;

/**
 * How long an endpoint is waited for while there is another one to go on with: answers take
 * milliseconds, and XDC makes a block every 2 s. The last one is given all its time.
 */
const patienceMs = 3_000;

/**
 * How long a request may wait for its turn at an endpoint that limits our rate: an outcome is told
 * within three blocks of 2 s, and callers wait about as long for a verification. A transaction that
 * is given up has to wait for another block.
 */
const waitMsMax: Record<RpcPriority, number> = {
  send: 8_000,
  outcome: 6_000,
  verification: 6_000,
};

/** How long a read may wait while another endpoint could be asked at once. */
const waitMsWithOthers = 250;

/** And a send: with the next block its wallet may move to another endpoint. */
const sendWaitMsWithOthers = 2_000;

const askHead: RpcCall = { method: "eth_blockNumber", params: [] };

/** What every endpoint answers that is of any use, whoever asks. */
const probeCalls: readonly RpcCall[] = [{ method: "eth_chainId", params: [] }, askHead];

/** Creates a chain. */
export function createChain(options: ChainOptions): Chain {
  return new LimitedChain(options);
}

/** What a chain is made of. */
interface ChainOptions {
  readonly network: Network;
  readonly endpoints: readonly RpcEndpoint[];
  readonly log: Log;
  readonly clock?: Clock;
}

/** A network through endpoints that each are asked within their limits. */
class LimitedChain implements Chain {
  readonly network: Network;
  readonly endpoints: readonly LimitedEndpoint[];
  readonly #health: readonly EndpointHealth[];
  /** Only waits are measured with it, and none may grow when the time of day is put back. */
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
    this.#health = this.endpoints.map(({ index }) => createEndpointHealth(index, this.#clock));
  }

  limits(): readonly EndpointLimits[] {
    return this.endpoints.map(({ limiter }) => limiter.limits());
  }

  limitsInUse(): EndpointLimits {
    return this.limits()[this.#inOrder()[0] ?? 0] ?? noLimits;
  }

  distrust(at: number): void {
    this.#health[at]?.distrust();
  }

  #newestHead(): number {
    return Math.max(0, ...this.#health.filter((one) => one.isOurs()).map((one) => one.head()));
  }

  #rankOf(at: number): number {
    return this.#health[at]?.rank(this.#newestHead()) ?? 0;
  }

  /** Endpoints of this chain from best to worst; among equals the one in use stays first. */
  #inOrder(): number[] {
    const distance = (at: number) =>
      (at - this.#preferred + this.endpoints.length) % this.endpoints.length;
    return this.endpoints
      .map((_, at) => at)
      .filter((at) => this.#health[at]?.isOurs())
      .toSorted(
        (one, other) => this.#rankOf(one) - this.#rankOf(other) || distance(one) - distance(other),
      );
  }

  /** Undefined when the endpoint has no room for it in time. */
  async #ask(
    at: number,
    calls: readonly RpcCall[],
    asking: Asking,
  ): Promise<RpcAnswer[] | undefined> {
    const endpoint = this.endpoints[at];
    if (!endpoint) throw new Fault("configuration", "The network has no RPC endpoint");
    try {
      const answers = await endpoint.ask(calls, asking);
      const read = answers.filter((answer) => answer !== undefined);
      this.#noteAnswers(at, calls, answers);
      const isWhole = read.length === answers.length;
      const isIll = calls === probeCalls && read.every(isUnexplained);
      if (isWhole && !isIll) this.#health[at]?.noteAnswer();
      else this.#health[at]?.noteFailure();
      return isWhole ? read : undefined;
    } catch (error) {
      this.#health[at]?.noteFailure();
      this.#log.warn(
        { chainId: this.network.chainId, endpoint: at, problem: messageOf(error) },
        "RPC endpoint did not answer",
      );
      throw error;
    }
  }

  /** Asks, and gives up after a while; what comes later is only noted. */
  async #askInTime(
    at: number,
    calls: readonly RpcCall[],
    asking: Asking,
  ): Promise<RpcAnswer[] | undefined> {
    const answering = this.#ask(at, calls, asking);
    const isAnswered = new AbortController();
    const patience = patienceMs + Math.max(0, asking.untilMs - this.#clock.nowMs());
    const tooLate = this.#clock.sleep(patience, isAnswered.signal).then(() => "late" as const);
    try {
      const answers = await Promise.race([answering, tooLate]);
      if (answers !== "late") return answers;
      // Whether it answers yet or not is noted where it happens.
      answering.catch(() => undefined);
      this.#health[at]?.noteFailure();
      throw new Fault("rpc_unavailable", `RPC endpoint ${at}: no answer within ${patience} ms`);
    } finally {
      isAnswered.abort();
    }
  }

  #noteAnswers(at: number, calls: readonly RpcCall[], answers: LimitedAnswers): void {
    for (const [index, answer] of answers.entries()) {
      const call = calls[index];
      const number = answer?.ok ? headOf(call, answer.result) : undefined;
      if (number !== undefined) this.#health[at]?.noteHead(number);
      const isRange =
        answer?.ok === false && classifyNodeError(answer.error) === "log_range_too_large";
      const blocks = isRange ? blocksOf(call, this.#health[at]?.head() ?? 0) : undefined;
      if (blocks) this.endpoints[at]?.limiter.learnSize("logRangeBlocks", blocks);
    }
  }

  async read(
    calls: readonly RpcCall[],
    { priority = "outcome" }: ReadOptions = {},
  ): Promise<RpcAnswer[]> {
    const order = this.#inOrder();
    const lastMs = this.#clock.nowMs() + waitMsMax[priority];
    const soonMs = this.#clock.nowMs() + waitMsWithOthers;
    const full: number[] = [];
    let best: { readonly at: number; readonly answers: RpcAnswer[] } | undefined;
    let fault: unknown;
    for (const at of order) {
      try {
        const isLast = at === order.at(-1);
        const untilMs = order.length === 1 ? lastMs : soonMs;
        const asking = { priority, untilMs };
        const answers = await (isLast
          ? this.#ask(at, calls, asking)
          : this.#askInTime(at, calls, asking));
        if (!answers) full.push(at);
        else if (!best || countIll(answers) < countIll(best.answers)) best = { at, answers };
        if (answers && countIll(answers) === 0) break;
      } catch (error) {
        fault = error;
      }
    }
    if (!best) {
      const answers = await this.#askFull(full, calls, { priority, untilMs: lastMs });
      if (!answers) throw unansweredBy(full, fault);
      return answers;
    }
    this.#preferred = best.at;
    return best.answers;
  }

  /** Waits for the endpoint that has room first, where there are several. */
  async #askFull(full: readonly number[], calls: readonly RpcCall[], asking: Asking) {
    if (this.endpoints.length < 2) return undefined;
    const waitMs = (at: number) => this.endpoints[at]?.limiter.waitMs(asking.priority) ?? Infinity;
    const [soonest] = full.toSorted((one, other) => waitMs(one) - waitMs(other));
    return soonest === undefined ? undefined : this.#ask(soonest, calls, asking);
  }

  async readElsewhere(calls: readonly RpcCall[], headNumber: number) {
    const other = this.#inOrder().find((at) => at !== this.#preferred && this.#rankOf(at) === 0);
    if (other === undefined) return undefined;
    const asking = {
      priority: "outcome",
      untilMs: this.#clock.nowMs() + waitMsMax.outcome,
    } as const;
    try {
      for (let look = 1; look <= secondLooksMax; look++) {
        // In one request: a head that was seen before is older than the block in question.
        const [head, ...answers] = (await this.#ask(other, [askHead, ...calls], asking)) ?? [];
        const reached = head?.ok ? headOf(askHead, head.result) : undefined;
        if (reached === undefined) return undefined;
        if (reached >= headNumber) {
          if (!calls.some((call, index) => isEmptyWord(call, answers[index]))) return answers;
          this.#health[other]?.distrust();
          return undefined;
        }
        if (look < secondLooksMax) await this.#clock.sleep(secondLookMs);
      }
      return undefined;
    } catch {
      return undefined;
    }
  }

  async send(at: number, raws: readonly Hex[]): Promise<RpcAnswer[]> {
    const calls = raws.map((raw) => ({ method: "eth_sendRawTransaction", params: [raw] }));
    const waitMs = this.endpoints.length > 1 ? sendWaitMsWithOthers : waitMsMax.send;
    const untilMs = this.#clock.nowMs() + waitMs;
    const asking: Asking = { priority: "send", untilMs, isInOrder: true };
    const answers = await (this.endpoints.length > 1
      ? this.#askInTime(at, calls, asking)
      : this.#ask(at, calls, asking));
    if (answers) return answers;
    throw unansweredBy([at], undefined);
  }

  betterThan(at: number): number | undefined {
    if (this.#health[at]?.isOurs() && this.#rankOf(at) === 0) return undefined;
    const [best] = this.#inOrder();
    const isBetter =
      best !== undefined && (!this.#health[at]?.isOurs() || this.#rankOf(best) < this.#rankOf(at));
    return isBetter ? best : undefined;
  }

  async probe(): Promise<void> {
    const asking = { priority: "verification", untilMs: this.#clock.nowMs() } as const;
    await Promise.all(
      this.endpoints.map(async (_, at) => {
        // A failure is noted where it happens.
        const answers = await this.#ask(at, probeCalls, asking).catch(() => undefined);
        const [id] = answers ?? [];
        if (!id?.ok) return;
        const isOurs = Number(id.result) === this.network.chainId;
        if (!isOurs)
          this.#log.error(
            { chainId: this.network.chainId, endpoint: at },
            "RPC endpoint serves another chain",
          );
        this.#health[at]?.noteChain(isOurs);
      }),
    );
  }
}

const noLimits: EndpointLimits = {
  requestsPerSecond: undefined,
  countsCalls: false,
  batchCalls: undefined,
  logRangeBlocks: undefined,
  bodyBytes: undefined,
};

/** Why nothing was read: from these endpoints because they had no room. */
function unansweredBy(full: readonly number[], fault: unknown): Fault {
  if (full.length === 0 && fault instanceof Fault) return fault;
  const text =
    full.length > 0
      ? `No room in time: RPC endpoint ${full.join(" and ")} limits how much we ask`
      : "No RPC endpoint answered";
  return new Fault("rpc_unavailable", text, { cause: fault });
}

/** The result of an answer that must have one; else the fault `rpc_refused` or `rpc_unavailable`. */
export function resultOf(answer: RpcAnswer | undefined, method: string): unknown {
  if (answer?.ok) return answer.result;
  const problem = answer ? classifyNodeError(answer.error) : "inconclusive";
  throw new Fault(
    isEndpointProblem(problem) ? "rpc_unavailable" : "rpc_refused",
    `${method} was refused: ${problem}`,
    { cause: answer && new Error(answer.error.message) },
  );
}

/** Reads bytes of a node's answer, in lower case. */
export function bytesOf(value: unknown, name: string): Hex {
  if (typeof value === "string" && /^0x[0-9a-fA-F]*$/.test(value)) {
    return `0x${value.slice(2).toLowerCase()}`;
  }
  throw new Fault("rpc_refused", `The node sent no bytes for ${name}`);
}

/** Reads a quantity (`0x…`) of a node's answer. */
export function quantity(value: unknown, name: string): bigint {
  if (typeof value === "string" && /^0x[0-9a-fA-F]{1,64}$/.test(value)) return BigInt(value);
  throw new Fault("rpc_refused", `The node sent no number for ${name}`);
}
