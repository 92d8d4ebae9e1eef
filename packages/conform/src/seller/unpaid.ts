/** Cases of the profile `money` about requests that have not paid what is asked. */
import type { ConformCase } from "../run/conform-case.ts";
import { describeSold, isServed, needsChallenge, type SellerBench } from "./seller-bench.ts";

type Case = ConformCase<SellerBench>;

interface Unpaid {
  readonly name: string;
  readonly what: string;
  readonly standsOn?: readonly string[];
  readonly payment: (bench: SellerBench) => Promise<string | undefined>;
  /** What the facilitator does with it. */
  readonly prepare?: (bench: SellerBench) => void;
}

const refusedSettle = {
  success: false,
  errorReason: "insufficient_funds",
  transaction: "",
  network: "eip155:51",
};

const unpaid: readonly Unpaid[] = [
  { name: "without-a-payment", what: "no payment", payment: async () => undefined },
  {
    name: "with-junk",
    what: "a payment header that is no base64 of JSON",
    payment: async () => "{}{}",
  },
  {
    name: "with-a-refused-payment",
    what: "a payment that the facilitator calls invalid",
    standsOn: needsChallenge,
    payment: (bench) => bench.newPayment(),
    prepare: ({ facilitator }) => {
      facilitator.answer = async (call) => ({
        status: 200,
        body:
          call === "verify"
            ? { isValid: false, invalidReason: "insufficient_funds" }
            : refusedSettle,
      });
    },
  },
  {
    name: "with-a-failed-settlement",
    what: "a payment that is valid and whose settlement fails",
    standsOn: needsChallenge,
    payment: (bench) => bench.newPayment(),
    prepare: ({ facilitator }) => {
      facilitator.answer = async (call, honest) => ({
        status: 200,
        body: call === "verify" ? await honest() : refusedSettle,
      });
    },
  },
  {
    name: "with-a-lower-amount",
    what: "a payment of one base unit that says it accepted that price",
    standsOn: needsChallenge,
    payment: (bench) =>
      bench.newPayment({ authorization: { value: 1n }, accepted: { amount: "1" } }),
  },
  {
    name: "with-another-payee",
    what: "a payment to the buyer's own friend that says it accepted that payee",
    standsOn: needsChallenge,
    payment: (bench) => {
      const { address } = bench.devnet.treasury;
      return bench.newPayment({ authorization: { to: address }, accepted: { payTo: address } });
    },
  },
];

export const unpaidCases: readonly Case[] = unpaid.map(
  ({ name, what, standsOn = [], payment, prepare }) => ({
    name: `nothing-${name}`,
    standsOn,
    profile: "money",
    rule: `A request with ${what} is not served.`,
    source: "specification v2, HTTP transport: 402 until the payment is verified and settled",
    async run(bench) {
      const header = await payment(bench);
      prepare?.(bench);
      const answer = await bench.ask(header === undefined ? {} : { payment: header });
      return {
        sent: `a request with ${what}`,
        came: describeSold(answer),
        problems: [
          ...(isServed(answer) ? ["it was served"] : []),
          ...(answer.status === undefined ? [answer.fault] : []),
        ],
      };
    },
  }),
);
