/** The end that most cases about money have: the payment is repeated to its end and compared with the chain. */
import { findCarriers, findTransfer, untilMoved } from "../chain/chain-facts.ts";
import type { SignedPayment } from "../chain/payments.ts";
import type { HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { contradictions, countOutcomes, readSettle } from "./settle-answer.ts";

export interface Ending {
  readonly payment: SignedPayment;
  readonly fromBlock: bigint;
  readonly answers: readonly HttpAnswer[];
  /** Transactions with the authorization that may be mined. Default: one. */
  readonly maxCarriers?: number;
}

/** Problems of a payment that must have moved its money once, and whose caller must know of it. */
export async function problemsOfSettled(
  bench: FacilitatorBench,
  { payment, fromBlock, answers, maxCarriers = 1 }: Ending,
): Promise<string[]> {
  const { nonce } = payment.authorization;
  // An answer may come before the block: what the chain has in the end counts.
  await untilMoved(bench.devnet, payment);
  const carriers = await findCarriers(bench.devnet, nonce, fromBlock);
  const transfer = await findTransfer(bench.devnet, payment.authorization);
  const isTold = answers.some((answer) => {
    const { outcome, transaction } = readSettle(answer);
    return outcome === "settled" || transaction.toLowerCase() === transfer;
  });
  return [
    ...(await contradictions(bench.devnet, payment, answers)),
    ...(transfer === undefined ? ["no money moved"] : []),
    ...(transfer !== undefined && !isTold ? ["no answer named the transaction"] : []),
    ...(carriers.length > maxCarriers
      ? [`${carriers.length} transactions carried the one authorization`]
      : []),
  ];
}

/** What came, in a line. */
export const describeAnswers = (answers: readonly HttpAnswer[]): string =>
  answers.length === 0 ? "nothing" : countOutcomes(answers);
