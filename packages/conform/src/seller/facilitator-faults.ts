/** Cases of the profile `money` about a facilitator whose answers are lost, late or wrong. */
import type { HttpAnswer } from "../run/http-answer.ts";
import type { ConformCase } from "../run/conform-case.ts";
import type { FacilitatorCall, ScriptedFacilitator } from "./scripted-facilitator.ts";
import {
  describeSold,
  isChallenge,
  isServed,
  needsChallenge,
  type SellerBench,
} from "./seller-bench.ts";

type Case = ConformCase<SellerBench>;

const repeatsMax = 3;

/** A buyer who has paid sends the same payment again until it is served, as honest buyers may. */
async function repeatPaid(bench: SellerBench, payment: string): Promise<readonly HttpAnswer[]> {
  const answers: HttpAnswer[] = [];
  for (let asked = 0; asked <= repeatsMax; asked++) {
    const answer = await bench.ask({ payment });
    answers.push(answer);
    if (isServed(answer)) break;
  }
  return answers;
}

function problemsOfPaid(answers: readonly HttpAnswer[]): string[] {
  return [
    ...(answers.some(isChallenge) ? ["a buyer who has paid was asked to pay again"] : []),
    ...(answers.some(isServed) ? [] : ["a buyer has paid and got nothing"]),
  ];
}

/** The first settle meets this; all others are answered honestly. */
function onFirstSettle(
  facilitator: ScriptedFacilitator,
  meet: (honest: () => Promise<object>) => ReturnType<ScriptedFacilitator["answer"]>,
): void {
  let isMet = false;
  facilitator.answer = async (call, honest) => {
    if (call !== "settle" || isMet) return { status: 200, body: await honest() };
    isMet = true;
    return meet(honest);
  };
}

const settleLost: Case = {
  name: "settle-answer-lost",
  standsOn: needsChallenge,
  profile: "money",
  rule: "When the facilitator settles and its answer is lost, the buyer is not asked to pay again and gets the content, with a repeat at the latest.",
  source: "promise: no fresh challenge for a paid buyer; x402-foundation/x402#1062",
  async run(bench) {
    const payment = await bench.newPayment();
    onFirstSettle(bench.facilitator, async (honest) => {
      await honest();
      return "cut";
    });
    const answers = await repeatPaid(bench, payment);
    return {
      sent: "a paid request whose settlement had no answer, and repeats of it",
      came: answers.map(describeSold).join("; "),
      problems: problemsOfPaid(answers),
    };
  },
};

const settlePending: Case = {
  name: "settlement-pending",
  standsOn: needsChallenge,
  profile: "money",
  rule: "When the facilitator answers settlement_pending with a transaction, the buyer is not asked to pay again and gets the content, with a repeat at the latest.",
  source: "promise: no fresh challenge for a paid buyer; x402-foundation/x402#3083, #3214",
  async run(bench) {
    const payment = await bench.newPayment();
    onFirstSettle(bench.facilitator, async (honest) => {
      const settled = Object(await honest());
      // The seller has not been told of the success yet.
      bench.facilitator.forget();
      const pending = { success: false, errorReason: "settlement_pending" };
      return { status: 200, body: { ...settled, ...pending } };
    });
    const answers = await repeatPaid(bench, payment);
    return {
      sent: "a paid request whose first settlement was pending, and repeats of it",
      came: answers.map(describeSold).join("; "),
      problems: problemsOfPaid(answers),
    };
  },
};

interface Fault {
  readonly name: string;
  readonly call: FacilitatorCall;
  readonly what: string;
  readonly response: Awaited<ReturnType<ScriptedFacilitator["answer"]>>;
}

const faults: readonly Fault[] = [
  {
    name: "verify-unavailable",
    call: "verify",
    what: "503 to /verify",
    response: { status: 503, body: { error: "service_unavailable" } },
  },
  {
    name: "verify-forbidden",
    call: "verify",
    what: "403 to /verify, since the seller's key is wrong",
    response: { status: 403, body: { error: "forbidden" } },
  },
  {
    name: "verify-truncated",
    call: "verify",
    what: "half of a JSON object to /verify",
    response: { status: 200, body: '{"isValid":tr' },
  },
  {
    name: "verify-cut",
    call: "verify",
    what: "nothing to /verify, and the connection is reset",
    response: "cut",
  },
  {
    name: "settle-unavailable",
    call: "settle",
    what: "503 to /settle, and settles nothing",
    response: { status: 503, body: { error: "service_unavailable" } },
  },
];

/** An order without /verify has these faults at /settle. */
const faultCases: readonly Case[] = faults.map(({ name, call, what, response }) => ({
  name,
  standsOn: needsChallenge,
  profile: "money",
  rule: `When the facilitator answers ${what}, the request is not served, and the buyer is not told that the payment was refused.`,
  source: "promise: a fault of the facilitator is never blamed on the buyer",
  async run(bench) {
    const payment = await bench.newPayment();
    bench.facilitator.answer = async (asked, honest) =>
      asked === call ? response : { status: 200, body: await honest() };
    const answer = await bench.ask({ payment });
    if (!bench.facilitator.calls.includes(call)) {
      return { notApplicable: `the seller does not call /${call}` };
    }
    return {
      sent: `a request with a payment that is in order; the facilitator answered ${what}`,
      came: describeSold(answer),
      problems: [
        ...(isServed(answer) ? ["it was served"] : []),
        ...(answer.status === 402 ? ["the buyer was told 402, as if the payment were wrong"] : []),
        ...(answer.status === undefined ? [answer.fault] : []),
      ],
    };
  },
}));

export const facilitatorFaultCases = [settleLost, settlePending, ...faultCases];
