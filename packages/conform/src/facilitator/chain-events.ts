/** Cases of the profile `money` about what a chain does: late blocks, reorganisations, prices, strangers. */
import { setTimeout as pause } from "node:timers/promises";
import { findTransfer, transferCall } from "../chain/chain-facts.ts";
import { requestV2, type SignedPayment } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import type { HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { aroundFirstSend } from "./node-interference.ts";
import { contradictions, readSettle } from "./settle-answer.ts";
import { describeAnswers, problemsOfSettled } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

const slowBlock: Case = {
  name: "slow-block",
  profile: "money",
  isHarmful: true,
  rule: "/settle answers within 30 s although no block comes, and a repeat after the block says how it ended.",
  source: "promise: every answer ends; x402-foundation/x402#1062",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const release = await bench.holdBlocks();
    const first = await bench.settle(body);
    const early = await contradictions(bench.devnet, payment, [first]);
    await release();
    const answers = await bench.settleToEnd(body);
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle while no block was made, then repeats with blocks",
      came: `${describeAnswers([first])}; then ${describeAnswers(answers)}`,
      problems: [...early, ...refusedEarly(first), ...problems],
    };
  },
};

/** What was said before the money moved must not have called the payment failed. */
function refusedEarly(answer: HttpAnswer): string[] {
  const { outcome, reason } = readSettle(answer);
  return outcome === "refused" ? [`it said that the payment failed (${reason})`] : [];
}

const reorganisation: Case = {
  name: "reorganisation",
  profile: "money",
  isHarmful: true,
  rule: "After the block with the transfer is reorganised out, a repeat never repeats the success of a transfer that is gone, and settles the payment.",
  source: "promise: never success without money",
  async run(bench) {
    const payment = bench.newPayment();
    const { devnet } = bench;
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const release = await bench.holdBlocks();
    const first = await settleByBlocks(bench, payment);
    const depth = Number((await bench.head()) - fromBlock);
    if (depth === 0 || readSettle(first).outcome !== "settled") {
      await release();
      return { notApplicable: `no success to take back: ${describeAnswers([first])}` };
    }
    await devnet.rpc("anvil_reorg", [depth, []]);
    const isGone = (await findTransfer(devnet, payment.authorization)) === undefined;
    await release();
    if (!isGone) return { notApplicable: "the chain kept the transfer" };
    await pause(bench.limits.noticeMs);
    const answers = await bench.settleToEnd(body);
    const last = answers.slice(-1);
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers: last });
    return {
      sent: `/settle to its end, a reorganisation of ${depth} blocks, and repeats`,
      came: `${describeAnswers([first])}; then ${describeAnswers(answers)}`,
      problems,
    };
  },
};

/** Settles with as few blocks as the subject needs to be sure, so that none of them is final. */
async function settleByBlocks(
  bench: FacilitatorBench,
  payment: SignedPayment,
): Promise<HttpAnswer> {
  const answer = bench.settle(requestV2(payment));
  await bench.untilSent(payment.authorization.nonce);
  for (let blocks = 0; blocks < sureBlocksMax; blocks++) {
    await bench.devnet.mine();
    const isAnswered = await Promise.race([answer.then(() => true), pause(sureMs, false)]);
    if (isAnswered) break;
  }
  return answer;
}

/** Stock clients look for a receipt every four seconds. */
const sureMs = 4_500;
const sureBlocksMax = 3;

const stuckTransaction: Case = {
  name: "stuck-transaction",
  profile: "money",
  isHarmful: true,
  rule: "A transaction that has become too cheap for the chain is replaced, and the payment ends.",
  source: "promise: every pending payment ends once the price allows it",
  async run(bench) {
    const payment = bench.newPayment();
    const { nonce } = payment.authorization;
    const fromBlock = await bench.head();
    const body = requestV2(payment);
    const release = await bench.holdBlocks();
    const first = bench.settle(body);
    const isSent = await bench.untilSent(nonce);
    await bench.devnet.setGasPrice(raisedGasPriceWei);
    await release();
    const early = await first;
    const isOpen = readSettle(early).outcome !== "settled";
    const answers = [early, ...(isOpen ? await bench.settleToEnd(body) : [])];
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle; the chain's least gas price rose fourfold before the block; repeats",
      came: describeAnswers(answers),
      problems: isSent ? problems : ["it sent no transaction", ...problems],
    };
  },
};

/** Four times XDC's least price. */
const raisedGasPriceWei = 50_000_000_000n;

const foreignSubmitter: Case = {
  name: "foreign-submitter",
  profile: "money",
  isHarmful: true,
  rule: "A payment whose authorization another account submits first is not called failed: its money moved.",
  source: "promise: never failed for money that moved; EIP-3009 lets anyone submit",
  async run(bench) {
    const payment = bench.newPayment();
    const { devnet } = bench;
    const fromBlock = await bench.head();
    aroundFirstSend(bench, payment.authorization.nonce, "before", () =>
      devnet.send(devnet.token, transferCall(payment)),
    );
    const answers = await bench.settleToEnd(requestV2(payment));
    // The subject's own transaction reverts beside the other one.
    const ending = { payment, fromBlock, answers, maxCarriers: 2 };
    return {
      sent: "/settle; another account's transaction with the authorization was mined first",
      came: describeAnswers(answers),
      problems: await problemsOfSettled(bench, ending),
    };
  },
};

/**
 * Stock facilitators ask for six seconds. A facilitator may wait until its own clock has passed the
 * expiry, and the clock of the chain is as far ahead afterwards.
 */
const shortLifeSeconds = 15;

const expiresPending: Case = {
  name: "expires-while-pending",
  profile: "money",
  isHarmful: true,
  rule: "A payment whose transaction comes into a block after its validBefore ends as a failed one, and the next payment is settled.",
  source: "promise: every pending payment ends once the price or the expiry allows it",
  async run(bench) {
    const expiry = Math.floor(Date.now() / 1000) + shortLifeSeconds;
    const payment = bench.newPayment({ validBefore: BigInt(expiry) });
    const body = requestV2(payment);
    const release = await bench.holdBlocks();
    const first = bench.settle(body);
    const isSent = await bench.untilSent(payment.authorization.nonce);
    await bench.devnet.setNextBlockTimestamp(expiry + 1);
    await release();
    const early = await first;
    const isOpen = readSettle(early).outcome !== "refused";
    const answers = [early, ...(isOpen ? await bench.settleToEnd(body) : [])];
    const hasEnded = answers.some((answer) => readSettle(answer).outcome === "refused");
    const next = bench.newPayment();
    const fromBlock = await bench.head();
    const after = await bench.settleToEnd(requestV2(next));
    const ending = { payment: next, fromBlock, answers: after };
    return {
      sent: "/settle; the block with the transaction came after validBefore; repeats; another payment",
      came: `${describeAnswers(answers)}; then ${describeAnswers(after)}`,
      problems: [
        ...(isSent ? [] : ["it sent no transaction"]),
        ...(await contradictions(bench.devnet, payment, answers)),
        ...(hasEnded ? [] : ["it never said that the payment failed"]),
        ...(await problemsOfSettled(bench, ending)).map((problem) => `the next one: ${problem}`),
      ],
    };
  },
};

export const chainEventCases = [
  slowBlock,
  stuckTransaction,
  foreignSubmitter,
  reorganisation,
  expiresPending,
];
