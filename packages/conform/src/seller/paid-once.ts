/** Cases of the profile `money` about what one payment opens. */
import type { HttpAnswer } from "../run/http-answer.ts";
import type { ConformCase, Observation } from "../run/conform-case.ts";
import { describeSold, isServed, needsChallenge, type SellerBench } from "./seller-bench.ts";

type Case = ConformCase<SellerBench>;

const requestsAtOnce = 20;
const requestsInRow = 4;

/** Equal bodies are one answer that was kept: a route that answers all alike cannot be tested. */
const alike =
  "the paid route answers each request alike, so that a kept answer cannot be told from new work; let it answer with a counter";

/** Whether the route answers two payments differently. */
async function areAnswersTold(bench: SellerBench): Promise<boolean> {
  const answers = [
    await bench.ask({ payment: await bench.newPayment() }),
    await bench.ask({ payment: await bench.newPayment() }),
  ];
  const [first, second] = answers;
  return !(first && second && isServed(first) && isServed(second) && first.text === second.text);
}

function countServed(answers: readonly HttpAnswer[]): Observation & { readonly came: string } {
  const served = answers.filter(isServed);
  const contents = new Set(served.map(({ text }) => text)).size;
  const statuses = answers.map(({ status, fault }) => status ?? fault).join(" ");
  return {
    sent: "",
    came: `${served.length} of ${answers.length} served, ${contents} different contents (${statuses})`,
    problems: [
      ...(contents > 1 ? [`one payment opened ${contents} contents`] : []),
      ...(contents === 0 ? ["the payment opened nothing"] : []),
    ],
  };
}

interface AtOnce {
  readonly name: string;
  readonly repeatsSuccess: boolean;
  readonly facilitatorDoes: string;
  readonly standsOn: readonly string[];
}

function atOnce({ name, repeatsSuccess, facilitatorDoes, standsOn }: AtOnce): Case {
  return {
    name,
    standsOn,
    profile: "money",
    rule: `Twenty equal requests at once with one payment open one content, with a facilitator that ${facilitatorDoes}.`,
    source: "promise: one payment opens once; x402-foundation/x402#3325",
    async run(bench) {
      if (!(await areAnswersTold(bench))) return { notApplicable: alike };
      bench.facilitator.repeatsSuccess = repeatsSuccess;
      const payment = await bench.newPayment();
      const requests = Array.from({ length: requestsAtOnce }, () => bench.ask({ payment }));
      const sent = `${requestsAtOnce} equal requests at once with one payment`;
      return { ...countServed(await Promise.all(requests)), sent };
    },
  };
}

const inRow: Case = {
  name: "equal-requests-in-a-row",
  standsOn: needsChallenge,
  profile: "money",
  rule: "Four equal requests one after the other with one payment open one content, although the facilitator repeats its success.",
  source: "promise: one payment opens once",
  async run(bench) {
    if (!(await areAnswersTold(bench))) return { notApplicable: alike };
    bench.facilitator.repeatsSuccess = true;
    const payment = await bench.newPayment();
    const answers: HttpAnswer[] = [];
    for (let asked = 0; asked < requestsInRow; asked++) answers.push(await bench.ask({ payment }));
    const sent = `${requestsInRow} equal requests in a row with one payment`;
    return { ...countServed(answers), sent };
  },
};

const otherQuery: Case = {
  name: "another-request",
  standsOn: needsChallenge,
  profile: "money",
  rule: "A payment that has opened one address opens nothing at another one.",
  source: "promise: a changed path opens nothing",
  async run(bench) {
    if (!(await areAnswersTold(bench))) return { notApplicable: alike };
    bench.facilitator.repeatsSuccess = true;
    const payment = await bench.newPayment();
    const first = await bench.ask({ payment });
    const second = await bench.ask({ payment, query: "?another=1" });
    return {
      sent: "a paid request, and the same payment for the address with ?another=1",
      came: `${describeSold(first)}; ${describeSold(second)}`,
      problems: [
        ...(isServed(first) ? [] : ["the payment opened nothing"]),
        ...(isServed(second) ? ["the payment opened another address as well"] : []),
      ],
    };
  },
};

export const paidOnceCases = [
  atOnce({
    name: "equal-requests-at-once",
    repeatsSuccess: false,
    facilitatorDoes: "tells success once",
    standsOn: needsChallenge,
  }),
  atOnce({
    name: "equal-requests-repeated-success",
    repeatsSuccess: true,
    facilitatorDoes: "repeats its success",
    standsOn: [...needsChallenge, "equal-requests-at-once"],
  }),
  inRow,
  otherQuery,
];
