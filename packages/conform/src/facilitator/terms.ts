/** Cases of the profile `money` about what /settle checks by itself, and about payments beside each other. */
import { findTransfer } from "../chain/chain-facts.ts";
import {
  priceUnits,
  requestV2,
  requirementsV2,
  signPayment,
  stranger,
  type SignedPayment,
} from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { contradictions, countOutcomes, readSettle } from "./settle-answer.ts";
import { describeAnswers, problemsOfSettled } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

const otherTerms: Case = {
  name: "other-terms",
  standsOn: ["refuses-a-lower-amount", "refuses-another-payee"],
  profile: "money",
  rule: "A payment that is being settled, or was, is no success for another payee or a higher amount.",
  source: "specification v2, exact on EVM: recipient and amount are verified in every settlement",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    const others = [
      requestV2(payment, requirementsV2(stranger)),
      requestV2(payment, requirementsV2(bench.payTo, { amount: `${priceUnits * 100n}` })),
    ];
    const release = await bench.holdBlocks();
    const right = bench.settle(requestV2(payment));
    await bench.untilSent(payment.authorization.nonce);
    const asked = others.map((body) => bench.settle(body));
    await release();
    const during = await Promise.all(asked);
    const first = await right;
    const isOpen = readSettle(first).outcome !== "settled";
    const repeats = isOpen ? await bench.settleToEnd(requestV2(payment)) : [];
    const answers = [first, ...repeats];
    const after = await Promise.all(others.map((body) => bench.settle(body)));
    const wrong = [...during, ...after].filter((one) => readSettle(one).outcome === "settled");
    return {
      sent: "/settle, and during and after it /settle of the same payment for another payee and amount",
      came: `${describeAnswers(answers)}; other terms: ${countOutcomes([...during, ...after])}`,
      problems: [
        ...(await problemsOfSettled(bench, { payment, fromBlock, answers })),
        ...wrong.map((answer) => `other terms had a success: ${describeAnswer(answer)}`),
      ],
    };
  },
};

const noMoney: Case = {
  name: "success-needs-money",
  profile: "money",
  rule: "/settle without a /verify before it is no success for a payer without funds, a canceled or forged authorization.",
  source:
    "specification v2, section 7: settlement verifies by itself; promise: never success without money",
  async run(bench) {
    const { devnet } = bench;
    const poor = signPayment(devnet.treasury, bench.payTo);
    const canceled = bench.newPayment();
    const payer = devnet.buyers.find(({ address }) => address === canceled.authorization.from);
    if (!payer) throw new Error("the payer is unknown");
    const { nonce } = canceled.authorization;
    await devnet.cancelAuthorization({ privateKey: payer.privateKey, nonce });
    const forged = { ...bench.newPayment(), signature: canceled.signature };
    const answers: HttpAnswer[] = [];
    const problems: string[] = [];
    for (const payment of [poor, canceled, forged]) {
      const answer = await bench.settle(requestV2(payment));
      answers.push(answer);
      problems.push(...(await contradictions(devnet, payment, [answer])));
    }
    return {
      sent: "/settle of a payer without funds, of a canceled authorization, of a forged signature",
      came: countOutcomes(answers),
      problems,
    };
  },
};

const paymentsAtOnce = 10;
const triesMax = 3;

const differentPayments: Case = {
  name: "different-payments-at-once",
  profile: "money",
  rule: "Ten different payments at once are all settled, with at most two repeats each, and every answer is true.",
  source:
    "promise: payments beside each other do not take each other's place; x402-foundation/x402#3231",
  async run(bench) {
    const payments = Array.from({ length: paymentsAtOnce }, () => bench.newPayment());
    const all: HttpAnswer[] = [];
    const settleOne = async (payment: (typeof payments)[number]): Promise<string[]> => {
      const found: string[] = [];
      for (let tries = 0; tries < triesMax; tries++) {
        const answers = await bench.settleToEnd(requestV2(payment));
        all.push(...answers);
        found.push(...(await contradictions(bench.devnet, payment, answers.slice(-1))));
        if (await findTransfer(bench.devnet, payment.authorization)) return found;
      }
      return [...found, "a payment was not settled"];
    };
    const problems = (await Promise.all(payments.map(settleOne))).flat();
    return {
      sent: `/settle of ${paymentsAtOnce} different payments at once, refused ones repeated`,
      came: countOutcomes(all),
      problems: [...new Set(problems)],
    };
  },
};

const nonceOfAnother: Case = {
  name: "nonce-of-another-payer",
  profile: "money",
  rule: "Payments of different payers with one nonce are different payments: none is a success by the money of another one.",
  source:
    "EIP-3009: a nonce is unique for its authorizer alone; promise: never success without money",
  async run(bench) {
    const { devnet } = bench;
    const first = bench.newPayment();
    // Whoever reads the chain can sign with a nonce that was settled.
    const { nonce } = first.authorization;
    const [beside, later] = [bench.newPayment({ nonce }), bench.newPayment({ nonce })];
    const settle = (payment: SignedPayment) => bench.settleToEnd(requestV2(payment));
    const atOnce = await Promise.all([first, beside].map(settle));
    const last = await settle(later);
    const isMoved = (await findTransfer(devnet, later.authorization)) !== undefined;
    const found = [
      await contradictions(devnet, first, (atOnce[0] ?? []).slice(-1)),
      await contradictions(devnet, beside, (atOnce[1] ?? []).slice(-1)),
      await contradictions(devnet, later, last.slice(-1)),
    ];
    return {
      sent: "/settle of two payers' payments with one nonce at once, and of a third one's afterwards",
      came: `${describeAnswers(atOnce.flat())}; then ${describeAnswers(last)}`,
      problems: [
        ...new Set(found.flat()),
        ...(isMoved ? [] : ["the third payer's payment was not settled"]),
      ],
    };
  },
};

export const termsCases = [otherTerms, noMoney, differentPayments, nonceOfAnother];
