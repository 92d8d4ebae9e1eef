/** What a case about a facilitator works with: a chain, a faulty node, the subject and its callers. */
import type { Devnet } from "@farthing/devnet";
import type { RpcProxy } from "@farthing/devnet/rpc-proxy";
import type { Address, Authorization, Hex, JsonObject } from "@farthing/protocol";
import { setTimeout as pause } from "node:timers/promises";
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
  /** Signs a payment of a payer with funds. */
  newPayment(changes?: Partial<Authorization>): SignedPayment;
  supported(): Promise<HttpAnswer>;
  verify(body: JsonObject | string): Promise<HttpAnswer>;
  settle(body: JsonObject | string): Promise<HttpAnswer>;
  /** Repeats `/settle`, as sellers do after a pending answer, until one says how it ended. */
  settleToEnd(body: JsonObject, withinMs?: number): Promise<readonly HttpAnswer[]>;
  /** The number of the newest block. */
  head(): Promise<bigint>;
}

/** The default time limit of the Python and Go SDKs, and of `@x402/core` 2.21 to 2.25. */
export const answerMsMax = 30_000;

/** Sixty blocks: long enough for a wallet that waits for a price to step. */
export const endMsMax = 60_000;

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
}

export function createFacilitatorBench(parts: BenchParts): FacilitatorBench {
  const { devnet, node, headers } = parts;
  let payers = 0;
  const call = (path: string, body: JsonObject | string) =>
    postJson(`${parts.subject().url}${parts.basePath}${path}`, body, {
      timeoutMs: answerMsMax,
      headers,
    });
  const settle = (body: JsonObject | string) => call("/settle", body);
  return {
    devnet,
    node,
    get subject() {
      return parts.subject();
    },
    payTo: devnet.seller.address,
    newPayment(changes) {
      const payer = devnet.buyers[payers++ % devnet.buyers.length];
      if (!payer) throw new Error("the chain has no payers");
      return signPayment(payer, devnet.seller.address, changes);
    },
    supported: () =>
      request(`${parts.subject().url}${parts.basePath}/supported`, { headers }, answerMsMax),
    verify: (body) => call("/verify", body),
    settle,
    async settleToEnd(body, withinMs = endMsMax) {
      const answers: HttpAnswer[] = [];
      const until = performance.now() + withinMs;
      for (;;) {
        const answer = await settle(body);
        answers.push(answer);
        const { outcome } = readSettle(answer);
        if (outcome === "settled" || outcome === "refused") return answers;
        if (performance.now() >= until) return answers;
        await pause(repeatMs);
      }
    },
    head: async () => BigInt(await devnet.rpc<Hex>("eth_blockNumber")),
  };
}
