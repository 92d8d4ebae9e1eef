/** An endpoint as the network uses it: behind its limiter, with its health, and failures in the log. */
import type { ChainId } from "@farthing/protocol";
import { waitEnded, type Clock } from "../../base/clock.ts";
import { Fault } from "../../base/fault.ts";
import { warning, type Log } from "../../base/log.ts";
import { EndpointHealth } from "./endpoint-health.ts";
import type { EndpointLimiter } from "./endpoint-limiter.ts";
import {
  limitEndpoint,
  type Asking,
  type LimitedEndpoint,
  type LimitedReplies,
} from "./limited-endpoint.ts";
import { classifyNodeError } from "./node-errors.ts";
import { blocksOf, headOf, isUnexplained } from "./reply-content.ts";
import type { RpcCall, RpcEndpoint, RpcReply } from "./rpc-endpoint.ts";

/** Time limit while another endpoint remains: replies take milliseconds. The last gets its timeout. */
export const failoverMs = 3_000;

/** A reply that takes this many times the usual is late: another endpoint is asked as well. */
export const lateTimes = 3;
/** A good endpoint's pause of this length is not noticed. */
const lateMsMin = 250;

/** Probes ask these: an endpoint that explains neither failure is unhealthy. */
export const askHead: RpcCall = { method: "eth_blockNumber", params: [] };
const probeCalls: readonly RpcCall[] = [{ method: "eth_chainId", params: [] }, askHead];

export class AskedEndpoint {
  readonly index: number;
  readonly health: EndpointHealth;
  readonly limiter: EndpointLimiter;
  readonly #limited: LimitedEndpoint;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #chainId: ChainId;

  /** The clock must not go back. */
  constructor(
    endpoint: RpcEndpoint,
    {
      clock,
      log,
      chainId,
    }: { readonly clock: Clock; readonly log: Log; readonly chainId: ChainId },
  ) {
    this.index = endpoint.index;
    this.health = new EndpointHealth(clock);
    this.#clock = clock;
    this.#log = log;
    this.#chainId = chainId;
    this.#limited = limitEndpoint(endpoint, {
      clock,
      onLearned: (limits) => {
        const fields = { event: "rpc_limit_learned", chainId, endpoint: endpoint.index };
        log.warn({ ...fields, ...limits }, "RPC endpoint limit learned");
      },
      onLatency: (ms) => this.#noteLatency(ms),
    });
    this.limiter = this.#limited.limiter;
  }

  /** When another endpoint is asked beside this one. */
  get lateMs(): number {
    const { usualMs } = this.health;
    if (usualMs === undefined) return failoverMs;
    return Math.min(failoverMs, Math.max(lateMsMin, usualMs * lateTimes));
  }

  /** Undefined when the endpoint has no capacity in time. */
  async ask(calls: readonly RpcCall[], asking: Asking): Promise<RpcReply[] | undefined> {
    try {
      const replies = await this.#limited.ask(calls, asking);
      const read = replies.filter((reply) => reply !== undefined);
      this.#noteAnswers(calls, replies);
      const isWhole = read.length === replies.length;
      const isUnhealthy = calls === probeCalls && read.every(isUnexplained);
      if (isWhole && !isUnhealthy) this.health.noteReply();
      else this.health.noteFailure();
      return isWhole ? read : undefined;
    } catch (error) {
      this.health.noteFailure();
      const fields = { chainId: this.#chainId, endpoint: this.index };
      warning(this.#log, { event: "rpc_request_failed", ...fields }, "RPC request failed")(error);
      throw error;
    }
  }

  /** Stops waiting after a while beside the wait for a turn; a later reply is only recorded. */
  async askInTime(calls: readonly RpcCall[], asking: Asking, withinMs = failoverMs) {
    const answering = this.ask(calls, asking);
    const isAnswered = new AbortController();
    const timeoutMs = withinMs + Math.max(0, asking.untilMs - this.#clock.nowMs());
    const tooLate = this.#clock.sleep(timeoutMs, isAnswered.signal).then(() => "late" as const);
    try {
      const replies = await Promise.race([answering, tooLate]);
      if (replies !== "late") return replies;
      // A late reply or failure is recorded inside `ask`.
      answering.catch(() => undefined);
      this.health.noteFailure();
      const waited = `no answer within ${Math.round(timeoutMs)} ms`;
      throw new Fault("rpc_unavailable", `RPC endpoint ${this.index}: ${waited}`);
    } finally {
      isAnswered.abort(waitEnded);
    }
  }

  /** Reads its chain id and head, where its limits leave room at once. */
  async probe(): Promise<void> {
    const asking = { priority: "verification", untilMs: this.#clock.nowMs() } as const;
    // `ask` has recorded the failure.
    const replies = await this.ask(probeCalls, asking).catch(() => undefined);
    const [id] = replies ?? [];
    if (!id?.ok) return;
    const isOurs = Number(id.result) === this.#chainId;
    this.health.isOurs = isOurs;
    this.health.isProven = isOurs;
    if (isOurs) return;
    const fields = { event: "rpc_chain_mismatched", chainId: this.#chainId, endpoint: this.index };
    this.#log.error(fields, "RPC endpoint serves another chain");
  }

  /** Its logs lack what receipts hold, so that every payment would wait for them. */
  distrustLogs(): void {
    if (this.health.isDistrusted) return;
    this.health.distrust();
    const fields = {
      event: "rpc_endpoint_distrusted",
      chainId: this.#chainId,
      endpoint: this.index,
    };
    this.#log.error(fields, "RPC endpoint's logs are incomplete; it is asked last for ten minutes");
  }

  #noteAnswers(calls: readonly RpcCall[], replies: LimitedReplies): void {
    for (const [index, reply] of replies.entries()) {
      const call = calls[index];
      const number = reply?.ok ? headOf(call, reply.result) : undefined;
      if (number !== undefined) this.health.head = number;
      const isRange =
        reply?.ok === false && classifyNodeError(reply.error) === "log_range_too_large";
      const blocks = isRange ? blocksOf(call, this.health.head) : undefined;
      if (blocks) this.limiter.learnSize("logRangeBlocks", blocks);
    }
  }

  #noteLatency(ms: number): void {
    const isSlow = this.health.noteLatency(ms);
    if (isSlow === undefined) return;
    const usualMs = Math.round(this.health.usualMs ?? 0);
    const fields = { chainId: this.#chainId, endpoint: this.index, usualMs };
    if (isSlow) {
      const message = "RPC endpoint slow; every payment waits for it";
      this.#log.warn({ event: "rpc_endpoint_slow", ...fields }, message);
    } else this.#log.info({ event: "rpc_endpoint_fast", ...fields }, "RPC endpoint no longer slow");
  }
}
