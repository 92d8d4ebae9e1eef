/**
 * Whether the token's issuer has paused it, which stops every transfer for a time. What was claimed
 * waits for the end of the pause while its authorization is valid. Nothing is asked as long as
 * simulated transfers succeed.
 */
import { isHexBytes, isObject } from "@farthing/protocol";
import { messageOf } from "../../base/fault.ts";
import type { Runtime } from "../../base/log.ts";
import type { Chain } from "../endpoints/chain.ts";
import { walkLogs } from "../logs/log-ranges.ts";
import type { PaymentReader } from "./payment-reader.ts";
import type { PaymentReading } from "./payment-reading.ts";
import { ethCall, type RpcReply } from "../endpoints/rpc-endpoint.ts";
import { pausedCall, revertText, tokenRefusalOf, topics } from "../contracts/usdc.ts";

/** Between two questions whether the pause has ended: six a minute, as often as an idle service may ask. */
const askPauseMs = 10_000;

export interface TokenPauseDeps extends Runtime {
  readonly chain: Chain;
  headNumber(): number;
}

export class TokenPause {
  readonly #deps: TokenPauseDeps;
  /** A simulation said so; the token itself decides. */
  #isSuspected = false;
  #sinceMs: number | undefined;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;

  constructor(deps: TokenPauseDeps) {
    this.#deps = deps;
  }

  /** When this process found the pause, in milliseconds; undefined while transfers are possible. */
  sinceMs(): number | undefined {
    return this.#sinceMs;
  }

  /** Learns from each simulated transfer. */
  watch(read: PaymentReader): PaymentReader {
    return async (check) => {
      const reading = await read(check);
      this.#note(reading);
      return reading;
    };
  }

  /** After such a refusal the next look asks the token. */
  #note({ isTransferable, revertData }: PaymentReading): void {
    if (!isTransferable && tokenRefusalOf(revertText(revertData)) === "token_paused") {
      this.#isSuspected = true;
    } else if (isTransferable && this.#sinceMs !== undefined) {
      // The pause may have ended, so that waiting payments need not wait for the next question.
      this.#askedAtMs = Number.NEGATIVE_INFINITY;
    }
  }

  /** Called every second: asks the token while a pause is suspected or known. */
  look(): void {
    const { clock, log, chain } = this.#deps;
    if (!this.#isSuspected && this.#sinceMs === undefined) return;
    if (this.#isAsking || clock.nowMs() - this.#askedAtMs < askPauseMs) return;
    this.#isAsking = true;
    this.#askedAtMs = clock.nowMs();
    void this.#ask()
      .catch((error: unknown) => {
        const fields = { event: "token_pause_not_read", chainId: chain.network.chainId };
        log.warn({ ...fields, problem: messageOf(error) }, "Pause of the token not read");
      })
      .finally(() => (this.#isAsking = false));
  }

  /**
   * Whether the token may have been paused in a block, although it is not any more: the first log of
   * a pause since then is its end, or a beginning in the block itself. `upToBlock` is a block at
   * which it was seen unpaused. Throws RPC faults.
   */
  async wasPausedAt(blockNumber: number, upToBlock: number): Promise<boolean> {
    const range = { fromBlock: blockNumber, toBlock: Math.max(blockNumber, upToBlock) };
    const filter = { topics: [[topics.paused, topics.unpaused]] };
    // After a long stop the range may be larger than a node allows.
    for await (const { logs } of walkLogs(this.#deps.chain, filter, range)) {
      const [first] = logs;
      if (first !== undefined) return isEndOfPause(first) || blockOf(first) === blockNumber;
    }
    return false;
  }

  async #ask(): Promise<void> {
    const { chain, log, clock, headNumber } = this.#deps;
    const calls = [ethCall({ to: chain.network.usdc, data: pausedCall })];
    const { here, elsewhere } = await chain.readTwice(calls, headNumber());
    // One endpoint alone must not stop all payments where another one contradicts it.
    const isDenied = typeof elsewhere !== "string" && !saysPaused(elsewhere[0]);
    const isPaused = saysPaused(here[0]) && !isDenied;
    this.#isSuspected = false;
    if (isPaused === (this.#sinceMs !== undefined)) return;
    this.#sinceMs = isPaused ? clock.nowMs() : undefined;
    const { chainId } = chain.network;
    if (isPaused) {
      log.error({ event: "token_paused", chainId }, "USDC paused by its issuer; nothing is sent");
    } else {
      log.warn({ event: "token_unpaused", chainId }, "USDC no longer paused; sending continues");
    }
  }
}

function isEndOfPause(log: unknown): boolean {
  const of: unknown = isObject(log) ? log["topics"] : undefined;
  return Array.isArray(of) && of[0] === topics.unpaused;
}

function blockOf(log: unknown): number {
  return isObject(log) ? Number(log["blockNumber"]) : Number.NaN;
}

/** Bytes of a boolean as contracts return it. */
const wordBytes = 32;

/** Whether the reply to `paused()` is yes; a refusal is none. */
export function saysPaused(reply: RpcReply | undefined): boolean {
  const result = reply?.ok ? reply.result : undefined;
  return isHexBytes(result, wordBytes) && result !== "0x" && BigInt(result) === 1n;
}
