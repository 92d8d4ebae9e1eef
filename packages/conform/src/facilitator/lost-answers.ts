/** Cases of the profile `money` about callers that have lost an answer, and about kills of the subject. */
import { untilMoved } from "../chain/chain-facts.ts";
import { setTimeout as pause } from "node:timers/promises";
import { requestV2 } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { aroundFirstSend, onFirstSend } from "./node-interference.ts";
import { contradictions } from "./settle-answer.ts";
import { describeAnswers, problemsOfSettled } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

const repeatAfterSuccess: Case = {
  name: "repeat-after-success",
  profile: "money",
  rule: "A caller that repeats /settle after a success learns which transaction moved the money.",
  source: "promise: a lost answer can be asked for again; x402-foundation/x402#452",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const first = await bench.settleToEnd(body);
    const repeated = await bench.settle(body);
    // The repeat has to say it by itself, since a caller that repeats has lost the first answer.
    const ending = { payment, fromBlock, answers: [repeated] };
    return {
      sent: "/settle to its end, and once more",
      came: `${describeAnswers(first)}; then ${describeAnswers([repeated])}`,
      problems: [
        ...(await contradictions(bench.devnet, payment, first)),
        ...(await problemsOfSettled(bench, ending)),
      ],
    };
  },
};

const answerLost: Case = {
  name: "answer-lost",
  standsOn: ["repeat-after-success"],
  profile: "money",
  rule: "A caller whose connection breaks while the payment is settled learns by a repeat how it ended.",
  source: "promise: a lost answer can be asked for again; x402-foundation/x402#808",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const release = await bench.holdBlocks();
    const caller = new AbortController();
    const cut = bench.settle(body, caller.signal);
    const isSent = await bench.untilSent(payment.authorization.nonce);
    caller.abort();
    await cut;
    await release();
    await untilMoved(bench.devnet, payment);
    // The subject has noticed the block and the end of the connection before the repeat comes.
    await pause(bench.limits.noticeMs);
    const answers = await bench.settleToEnd(body);
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle, the connection cut after the transaction was sent, and repeats",
      came: describeAnswers(answers),
      problems: isSent ? problems : ["it sent no transaction", ...problems],
    };
  },
};

const killedBeforeSend: Case = {
  name: "killed-before-the-send",
  profile: "money",
  isHarmful: true,
  rule: "After a kill just before the transaction is sent, a repeat settles the payment once.",
  source: "promise: one transfer for each authorization, whenever the process dies",
  run: (bench) =>
    settleThroughKill(bench, "killed before the node got the transaction", (nonce) => {
      onFirstSend(bench, nonce, () => "down");
    }),
};

const killedAfterSend: Case = {
  name: "killed-after-the-send",
  profile: "money",
  isHarmful: true,
  rule: "After a kill just after the transaction was sent, a repeat sends no second one and names the first.",
  source: "promise: one transaction for each authorization, whenever the process dies",
  run: (bench) =>
    settleThroughKill(bench, "killed after the node got the transaction", (nonce) => {
      onFirstSend(bench, nonce, () => "lose");
    }),
};

/** No block is made until the restarted subject has had time to send once more. */
async function settleThroughKill(
  bench: FacilitatorBench,
  what: string,
  interfere: (nonce: `0x${string}`) => void,
) {
  const payment = bench.newPayment();
  const { nonce } = payment.authorization;
  const fromBlock = await bench.head();
  const body = requestV2(payment);
  const release = await bench.holdBlocks();
  interfere(nonce);
  const first = bench.settle(body);
  const isSent = await bench.untilSent(nonce);
  await bench.subject.kill();
  await first;
  bench.node.react = () => undefined;
  bench.node.step = undefined;
  await bench.subject.start();
  const ending = bench.settleToEnd(body);
  await pause(secondSendMs);
  await release();
  const answers = await ending;
  const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
  return {
    sent: `/settle, the process ${what}, started again, and repeats of /settle`,
    came: describeAnswers(answers),
    problems: isSent ? problems : ["it sent no transaction", ...problems],
  };
}

/** A second after its start, a subject has sent what it is going to send. */
const secondSendMs = 1_500;

const killedBeforeReceipt: Case = {
  name: "killed-before-the-receipt",
  profile: "money",
  isHarmful: true,
  rule: "After a kill between the block and the answer, a repeat names the transaction that moved the money.",
  source: "promise: never failed for money that moved, whenever the process dies",
  async run(bench) {
    const payment = bench.newPayment();
    const { nonce } = payment.authorization;
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const gate = Promise.withResolvers<void>();
    aroundFirstSend(bench, nonce, "after", async () => {
      bench.node.gate = gate.promise;
    });
    const first = bench.settle(body);
    const isSent = await bench.untilSent(nonce);
    if (isSent) await untilMoved(bench.devnet, payment);
    await bench.subject.kill();
    gate.resolve();
    bench.node.gate = undefined;
    bench.node.step = undefined;
    await first;
    await bench.subject.start();
    const answers = await bench.settleToEnd(body);
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle, the process killed when the block was made, started again, and repeats",
      came: describeAnswers(answers),
      problems: isSent ? problems : ["it sent no transaction", ...problems],
    };
  },
};

export const lostAnswerCases = [
  repeatAfterSuccess,
  answerLost,
  killedBeforeSend,
  killedAfterSend,
  killedBeforeReceipt,
];
