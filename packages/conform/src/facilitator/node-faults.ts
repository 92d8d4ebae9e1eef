/** Cases of the profile `money` about nodes that fail, lie and forget. */
import * as Hash from "ox/Hash";
import { setTimeout as pause } from "node:timers/promises";
import { isHexBytes, isObject, parseVerifyResponse } from "@farthing/protocol";
import { findTransfer } from "../chain/chain-facts.ts";
import { requestV2 } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { aroundFirstSend, onFirstSend } from "./node-interference.ts";
import { contradictions, readSettle } from "./settle-answer.ts";
import { describeAnswers, problemsOfSettled } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

const sendAnswerLost: Case = {
  name: "send-answer-lost",
  profile: "money",
  isHarmful: true,
  rule: "A node that takes the transaction and whose answer is lost never makes the payment a failed one.",
  source: "promise: never failed for money that moved",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    onFirstSend(bench, payment.authorization.nonce, () => "lose");
    const answers = await bench.settleToEnd(requestV2(payment));
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle; the node took the transaction and cut the connection",
      came: describeAnswers(answers),
      problems,
    };
  },
};

/** A refusal is true as long as no money moves, and the caller may try again. */
const triesMax = 3;

const sendRefused: Case = {
  name: "send-refused",
  profile: "money",
  isHarmful: true,
  rule: "A node that refuses the transaction once with 503 costs the payment a repeat at most.",
  source: "promise: every payment ends, and a fault of the node is not the payer's",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    onFirstSend(bench, payment.authorization.nonce, () => "down");
    const answers: HttpAnswer[] = [];
    const early: string[] = [];
    for (let tries = 0; tries < triesMax; tries++) {
      const body = requestV2(payment);
      const ended = await bench.settleToEnd(body, bench.limits.endMs / triesMax);
      early.push(...(await contradictions(bench.devnet, payment, ended)));
      answers.push(...ended);
      if (await findTransfer(bench.devnet, payment.authorization)) break;
    }
    // What was refused before the money moved was true then.
    const last = answers.slice(-1);
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers: last });
    return {
      sent: "/settle; the node answered the transaction with 503 once; repeats",
      came: describeAnswers(answers),
      problems: [...new Set([...early, ...problems])],
    };
  },
};

const forgetfulNode: Case = {
  name: "node-forgets-the-transaction",
  profile: "money",
  isHarmful: true,
  rule: "A transaction that the node took and forgot is sent again, and the payment ends.",
  source: "promise: every pending payment ends",
  async run(bench) {
    const payment = bench.newPayment();
    const fromBlock = await bench.head();
    onFirstSend(bench, payment.authorization.nonce, ({ params: [raw] }) =>
      isHexBytes(raw, rawBytesMax) ? { result: Hash.keccak256(raw) } : "down",
    );
    const answers = await bench.settleToEnd(requestV2(payment));
    const problems = await problemsOfSettled(bench, { payment, fromBlock, answers });
    return {
      sent: "/settle; the node answered with the hash and kept nothing; repeats",
      came: describeAnswers(answers),
      problems,
    };
  },
};

/** XDC's nodes refuse larger transactions. */
const rawBytesMax = 131_072;

const receiptWithoutTransfer: Case = {
  name: "receipt-without-transfer",
  profile: "money",
  isHarmful: true,
  rule: "A receipt that says success and shows no transfer is not a success of the payment.",
  source: "promise: never success without money; x402 errors: a receipt without its Transfer event",
  async run(bench) {
    const payment = bench.newPayment();
    const { from, nonce } = payment.authorization;
    const balance = await bench.devnet.usdc.balanceOf(from);
    // Between the check and the block the payer spends what it has.
    aroundFirstSend(bench, nonce, "before", () => bench.devnet.usdc.setBalance(from, 0n));
    bench.node.react = ({ method }) =>
      method === "eth_getTransactionReceipt" ? { rewrite: toSuccess } : undefined;
    const answers = [await bench.settle(requestV2(payment))];
    const problems = await contradictions(bench.devnet, payment, answers);
    await bench.devnet.usdc.setBalance(from, balance);
    return {
      sent: "/settle; the transaction reverted, and the node gave its receipt the status of success",
      came: describeAnswers(answers),
      problems,
    };
  },
};

const toSuccess = (receipt: unknown): unknown =>
  isObject(receipt) ? { ...receipt, status: "0x1" } : receipt;

/** Reasons that say whose fault it is not. */
const blamesNoPayer = /unexpected|unavailable|internal|rpc|node|timeout|timed_out|pending|try/i;

const nodeDown: Case = {
  name: "node-down",
  profile: "money",
  isHarmful: true,
  rule: "While the node answers nothing but 503, no payment is called invalid, and afterwards it can be settled.",
  source: "promise: a fault of the node is not the payer's; x402-foundation/x402#3231",
  async run(bench) {
    const payment = bench.newPayment();
    const body = requestV2(payment);
    const fromBlock = await bench.head();
    bench.node.react = () => "down";
    const [verified, settled] = [await bench.verify(body), await bench.settle(body)];
    bench.node.react = () => undefined;
    // It looks for its node again after a pause.
    await pause(bench.limits.noticeMs);
    const isAlive = bench.subject.isRunning();
    const answers = isAlive ? await bench.settleToEnd(body) : [];
    const ended = await problemsOfSettled(bench, { payment, fromBlock, answers });
    const { outcome, reason } = readSettle(settled);
    const isBlamed = outcome === "refused" && !blamesNoPayer.test(reason);
    return {
      sent: "/verify and /settle while every JSON-RPC request had 503, then /settle with a node",
      came: `${describeAnswer(verified)}; ${describeAnswer(settled)}; ${describeAnswers(answers)}`,
      problems: [
        ...blameOf(verified),
        ...(isBlamed ? [`/settle blamed the payment: ${reason}`] : []),
        ...(isAlive ? ended : ["the process ended"]),
      ],
    };
  },
};

function blameOf(answer: HttpAnswer): string[] {
  if (answer.status === undefined) return [`/verify: ${answer.fault}`];
  const response = parseVerifyResponse(answer.body);
  if (response?.isValid !== false) return [];
  const { invalidReason = "" } = response;
  return blamesNoPayer.test(invalidReason) ? [] : [`/verify blamed the payment: ${invalidReason}`];
}

export const nodeFaultCases = [
  sendAnswerLost,
  sendRefused,
  forgetfulNode,
  receiptWithoutTransfer,
  nodeDown,
];
