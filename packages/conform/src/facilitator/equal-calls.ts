/** Cases of the profile `money` about calls that are repeated, at once or one after another. */
import { findCarriers, findTransfer } from "../chain/chain-facts.ts";
import { requestV2 } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { contradictions, countOutcomes, readSettle } from "./settle-answer.ts";

const equalCalls = 50;

/** Words of a refusal that says: another call has this payment. */
const namesDuplicate = /duplicate|already|used|in_flight|progress/i;

const equalCallsAtOnce: ConformCase<FacilitatorBench> = {
  name: "equal-calls-at-once",
  profile: "money",
  rule: "Fifty equal calls of /settle at once move the money once, by one transaction, and a caller learns of it.",
  source: "promise: one transfer for each authorization; x402-foundation/x402#2471",
  async run(bench) {
    const payment = bench.newPayment();
    const { nonce } = payment.authorization;
    const body = requestV2(payment);
    const fromBlock = await bench.head();
    const answers = await Promise.all(Array.from({ length: equalCalls }, () => bench.settle(body)));
    const isOpen = !answers.some((answer) => readSettle(answer).outcome === "settled");
    const repeated = isOpen ? await bench.settleToEnd(body) : [];
    // Another call has the payment: that is true, and no failure of it.
    const claims = answers.filter((answer) => {
      const { outcome, reason } = readSettle(answer);
      return outcome !== "refused" || !namesDuplicate.test(reason);
    });
    const carriers = await findCarriers(bench.devnet, nonce, fromBlock);
    const isMoved = (await findTransfer(bench.devnet, payment.authorization)) !== undefined;
    const isTold = [...answers, ...repeated].some((one) => readSettle(one).outcome === "settled");
    return {
      sent: `${equalCalls} equal calls of /settle`,
      came: `${countOutcomes(answers)}; ${carriers.length} transactions`,
      problems: [
        ...(await contradictions(bench.devnet, payment, [...claims, ...repeated])),
        ...(isMoved ? [] : ["no money moved"]),
        ...(isMoved && !isTold ? ["no call was told that the money moved"] : []),
        ...(carriers.length > 1
          ? [`${carriers.length} transactions carried the one authorization`]
          : []),
      ],
    };
  },
};

export const equalCallCases = [equalCallsAtOnce];
