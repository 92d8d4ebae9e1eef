/** How the honest facilitator settles, and the ways in which it can be told to do it wrongly. */
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isObject, parsePrivateKey, type JsonObject } from "@farthing/protocol";
import { chainId } from "../chain/payments.ts";
import { answerOf, refused, type Request } from "./answers.testing.ts";
import type { Checked } from "./check-payment.testing.ts";
import type { FacilitatorFault } from "./faults.testing.ts";
import { createMisbehaviour } from "./misbehaviour.testing.ts";
import { sendCalls } from "./node-calls.testing.ts";
import { openTransactions } from "./open-transactions.testing.ts";
import { createLook, GivenUp } from "./payment-look.testing.ts";
import { expired } from "./reasons.testing.ts";

const callMsDefault = 20_000;
const lookMs = 200;
/** A faulty one gives up after so many blocks: never, where none comes. */
const timeoutBlocks = 2;

/** Creates the part that talks to the node; it ends with `life`. */
export function createSettler(
  env: Readonly<Record<string, string>>,
  life: { readonly isOver: boolean },
  fault: FacilitatorFault | undefined,
) {
  const privateKey = parsePrivateKey(env["CONFORM_KEY"]);
  if (!privateKey) throw new Error("CONFORM_KEY is no private key");
  const file = join(env["CONFORM_FOLDER"] ?? "", "transactions");
  const transactions = openTransactions(file, chainId, privateKey);
  const look = createLook(sendCalls(env["CONFORM_RPC_URL"] ?? "", life), transactions, fault);
  const running = new Map<string, Promise<JsonObject>>();
  const { answerFaulty, remember, remembered } = createMisbehaviour(fault, running);
  const callMs = Number(env["CALL_MS"] ?? callMsDefault);

  /** Returns what says whether a call has waited long enough. */
  async function startWaiting(): Promise<() => Promise<boolean>> {
    const until = performance.now() + callMs;
    if (fault !== "slow-block") return async () => performance.now() >= until;
    const lastBlock = (await look.head()) + timeoutBlocks;
    return async () => (await look.head().catch(() => lastBlock)) >= lastBlock;
  }

  async function settleOnce(request: Request, key: string): Promise<JsonObject> {
    const isOver = await startWaiting();
    while (!life.isOver && !(await isOver())) {
      try {
        const outcome = await look.moveOn(request, key);
        if (outcome) return outcome;
      } catch (error) {
        if (error instanceof GivenUp) {
          const answer = refused(request, "send_failed");
          if (fault === "send-refused") remembered.set(key, answer);
          return answer;
        }
        // Nothing was sent: the caller may ask again, and no one is to blame.
        if (!transactions.find(key)) throw error;
      }
      await pause(lookMs);
    }
    const transaction = transactions.find(key)?.hash ?? "";
    const errorReason = "settlement_pending";
    return { ...answerOf(request), success: false, errorReason, transaction };
  }

  return {
    async verify({ request, reason }: Checked): Promise<JsonObject> {
      const payer = request?.payment.authorization.from;
      const read = async () => request && (await look.refusalOf(request, "verify"));
      const find = () =>
        read().catch((error: unknown) => {
          if (fault === "node-down") return "invalid_exact_evm_payload_signature";
          throw error;
        });
      const invalidReason = reason ?? (await find());
      return invalidReason === undefined
        ? { isValid: true, payer }
        : { isValid: false, invalidReason, payer };
    },
    async settle(
      { request, reason }: Checked,
      body: unknown,
      caller: { readonly hasLeft: boolean },
    ): Promise<JsonObject> {
      if (!request) return refusedUnread(reason, body);
      const { from, nonce } = request.payment.authorization;
      const key = fault === "nonce-of-another-payer" ? nonce : `${from}:${nonce}`;
      const shared = running.get(key);
      if (fault === "other-terms" && shared) return shared;
      // One that never ends it asks its transaction alone, also after the expiry.
      const isWaiting = fault === "expires-while-pending" && reason === expired;
      const isEnded = !isWaiting || transactions.find(key) === undefined;
      if (reason !== undefined && isEnded) return refused(request, reason);
      if (fault === "equal-calls-at-once" && shared) {
        return settleOnce(request, `${key}:${Math.random()}`);
      }
      const faulty = answerFaulty(request, key);
      if (faulty) return faulty;
      const settling =
        shared ??
        settleOnce(request, key)
          .then((answer) => remember(key, answer))
          .finally(() => running.delete(key));
      running.set(key, settling);
      const answer = await settling;
      if (fault === "answer-lost" && caller.hasLeft) {
        remembered.set(key, refused(request, "unexpected_end_of_call"));
      }
      return answer;
    },
  };
}

/** The network is that of the request where it names one. */
function refusedUnread(errorReason: string | undefined, body: unknown): JsonObject {
  const requirements = isObject(body) ? body["paymentRequirements"] : undefined;
  const network = isObject(requirements) ? String(requirements["network"]) : "";
  return { success: false, errorReason, transaction: "", network };
}
