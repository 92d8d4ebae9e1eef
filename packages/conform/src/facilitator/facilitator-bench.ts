/** What a case about a facilitator works with: a chain, a faulty node, the subject and its callers. */
import type { Devnet } from "@farthing/devnet";
import type { NodeCall, RpcProxy } from "@farthing/devnet/rpc-proxy";
import type { Address, Authorization, Hex, JsonObject } from "@farthing/protocol";
import { setTimeout as pause } from "node:timers/promises";
import { carries } from "../chain/chain-facts.ts";
import { signPayment, type SignedPayment } from "../chain/payments.ts";
import { postJson, request, type HttpAnswer } from "../run/http-answer.ts";
import type { Subject } from "../run/subject.ts";
import { readSettle } from "./settle-answer.ts";

export interface FacilitatorBench {
  readonly devnet: Devnet;
  /** The subject's only way to the chain. */
  readonly node: RpcProxy;
  readonly subject: Subject;
  readonly payTo: Address;
  readonly limits: Limits;
  /** Signs a payment of a payer with funds. */
  newPayment(changes?: Partial<Authorization>): SignedPayment;
  supported(): Promise<HttpAnswer>;
  verify(body: JsonObject | string): Promise<HttpAnswer>;
  /** The signal ends the call as a broken connection does. */
  settle(body: JsonObject | string, signal?: AbortSignal): Promise<HttpAnswer>;
  /** Repeats `/settle`, as sellers do after a pending answer, until one says how it ended. */
  settleToEnd(body: JsonObject, withinMs?: number): Promise<readonly HttpAnswer[]>;
  /** The number of the newest block. */
  head(): Promise<bigint>;
  /** Resolves when the subject sends a transaction with this authorization; false after `answerMs`. */
  untilSent(nonce: Hex): Promise<boolean>;
  /** No block is made from here on; returns the function that lets the chain go on. */
  holdBlocks(): Promise<() => Promise<void>>;
}

/** How long a subject is waited for, in milliseconds. */
export interface Limits {
  readonly answerMs: number;
  readonly endMs: number;
  /** Until it has seen what happened around it. */
  readonly noticeMs: number;
}

/**
 * An answer: the default time limit of the Python and Go SDKs and of `@x402/core` 2.21 to 2.25. The
 * end of a payment: sixty blocks, enough for a wallet that has to pay a higher price. A notice: stock
 * clients look for a receipt every four seconds, and a reorganisation shows in the next blocks.
 */
export const limitsDefault: Limits = { answerMs: 30_000, endMs: 60_000, noticeMs: 5_000 };

const blockSeconds = 1;
const lookMs = 50;

const repeatMs = 1_000;

export interface BenchParts {
  readonly devnet: Devnet;
  readonly node: RpcProxy;
  /** Changes when the subject is started with other wallets. */
  readonly subject: () => Subject;
  /** What stands between the subject's address and `/verify`. */
  readonly basePath: string;
  /** Sent with every call, such as an API key. */
  readonly headers: Readonly<Record<string, string>>;
  readonly limits: Limits;
  /** Ends the calls of the whole run. */
  readonly signal: AbortSignal | undefined;
}

/** Too early, too many, or another call has it. */
const passing: ReadonlySet<number> = new Set([408, 409, 425, 429]);

/** Other statuses of 4xx say that the same request will not be taken later either. */
const isFinal = ({ status = 0, body }: HttpAnswer): boolean =>
  status >= 400 && status < 500 && !passing.has(status) && body?.["success"] === undefined;

export function createFacilitatorBench(parts: BenchParts): FacilitatorBench {
  const { devnet, node, headers, limits } = parts;
  const { answerMs, endMs } = limits;
  let payers = 0;
  const call = (path: string, body: JsonObject | string, signal?: AbortSignal) =>
    postJson(`${parts.subject().url}${parts.basePath}${path}`, body, {
      timeoutMs: answerMs,
      headers,
      signals: [signal, parts.signal].filter((one) => one !== undefined),
    });
  const settle = (body: JsonObject | string, signal?: AbortSignal) => call("/settle", body, signal);
  return {
    devnet,
    node,
    get subject() {
      return parts.subject();
    },
    payTo: devnet.seller.address,
    limits,
    newPayment(changes) {
      const payer = devnet.buyers[payers++ % devnet.buyers.length];
      if (!payer) throw new Error("the chain has no payers");
      return signPayment(payer, devnet.seller.address, changes);
    },
    supported: () =>
      request(`${parts.subject().url}${parts.basePath}/supported`, { headers }, answerMs),
    verify: (body) => call("/verify", body),
    settle,
    async settleToEnd(body, withinMs = endMs) {
      const answers: HttpAnswer[] = [];
      const until = performance.now() + withinMs;
      for (;;) {
        const answer = await settle(body);
        answers.push(answer);
        const { outcome } = readSettle(answer);
        if (outcome === "settled" || outcome === "refused" || isFinal(answer)) return answers;
        if (performance.now() >= until || parts.signal?.aborted === true) return answers;
        await pause(repeatMs);
      }
    },
    async untilSent(nonce) {
      const until = performance.now() + answerMs;
      const isSend = ({ method, params }: NodeCall) =>
        method === "eth_sendRawTransaction" && carries(params[0], nonce);
      while (!node.calls.some(isSend)) {
        if (performance.now() > until) return false;
        await pause(lookMs);
      }
      return true;
    },
    async holdBlocks() {
      await devnet.rpc("evm_setIntervalMining", [0]);
      return () => devnet.rpc("evm_setIntervalMining", [blockSeconds]);
    },
    head: async () => BigInt(await devnet.rpc<Hex>("eth_blockNumber")),
  };
}
