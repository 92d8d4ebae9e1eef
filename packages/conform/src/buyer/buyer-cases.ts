/** All cases about buyers: each runs the client against a seller of its own making. */
import { canonicalJson, isObject, member } from "@farthing/protocol";
import { network, priceUnits, requirementsV1, requirementsV2 } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import type { ScriptedSeller, SellerAnswer, SentPayment } from "./scripted-seller.ts";

export interface BuyerBench {
  readonly seller: ScriptedSeller;
  /** Runs the client once; the files of a case are the same in each of its runs. */
  run(): Promise<{ readonly outcome: string }>;
}

type Case = ConformCase<BuyerBench>;

const noncesOf = (payments: readonly SentPayment[]) => new Set(payments.map(({ nonce }) => nonce));

const describePayments = (payments: readonly SentPayment[]) =>
  `${payments.length} payments, ${noncesOf(payments).size} signatures`;

const paysChallenge: Case = {
  name: "pays-the-challenge",
  profile: "spec",
  rule: "A client pays a challenge of version 2: it signs its terms and returns the chosen entry as it came.",
  source: "specification v2, section 5.2: PaymentPayload",
  async run({ seller, run }) {
    const { outcome } = await run();
    const [first] = seller.payments;
    const isEqual =
      first && canonicalJson(first.payment["accepted"]) === canonicalJson(seller.accepts[0]);
    return {
      sent: "a challenge with one entry",
      came: `${describePayments(seller.payments)}; the client ${outcome}`,
      problems: [
        ...(first ? [] : ["nothing was paid"]),
        ...(first && first.value !== priceUnits ? [`it signed ${first.value}`] : []),
        ...(first && !isEqual ? ["accepted is not the entry as it came"] : []),
      ],
    };
  },
};

const choosesEntry: Case = {
  name: "chooses-an-entry",
  profile: "spec",
  rule: "A client passes entries of schemes and networks that it does not know, and pays the one that it does.",
  source: "specification v2, section 5.1: accepts",
  async run({ seller, run }) {
    const right = requirementsV2(seller.payTo);
    seller.accepts = [
      { ...right, scheme: "nonsense" },
      { ...right, network: "example:unknown" },
      right,
    ];
    const { outcome } = await run();
    const [first] = seller.payments;
    const accepted = first?.payment["accepted"];
    const isRight = isObject(accepted) && canonicalJson(accepted) === canonicalJson(right);
    return {
      sent: "a challenge with an unknown scheme, an unknown network and one that can be paid",
      came: `${describePayments(seller.payments)}; the client ${outcome}`,
      problems: isRight ? [] : ["the entry that can be paid was not paid"],
    };
  },
};

const echoesExtensions: Case = {
  name: "echoes-extensions",
  profile: "spec",
  rule: "A client returns the extensions of the challenge with its payment.",
  source: "specification v2, section 5.1.2: extensions",
  async run({ seller, run }) {
    seller.extensions = { "x-conform": { info: { token: "t-1" }, schema: { type: "object" } } };
    const { outcome } = await run();
    const sent = seller.payments[0]?.payment["extensions"];
    const echoed = isObject(sent) ? member(sent, "x-conform") : undefined;
    const info = isObject(echoed) ? echoed["info"] : undefined;
    const isEchoed = isObject(info) && info["token"] === "t-1";
    return {
      sent: "a challenge with an extension",
      came: `${describePayments(seller.payments)}, extensions ${JSON.stringify(sent ?? null)}; the client ${outcome}`,
      problems: isEchoed ? [] : ["the extension was not returned as it came"],
    };
  },
};

const paysVersion1: Case = {
  name: "pays-version-1",
  profile: "spec",
  rule: "A client that knows version 1 pays a challenge that is in the body alone, with a payment of version 1 in X-PAYMENT.",
  source: "specification v1, section 5: PaymentRequirements and PaymentPayload",
  async run({ seller, run }) {
    seller.isVersion1 = true;
    seller.accepts = [{ ...requirementsV1(seller.payTo), resource: seller.url }];
    const { outcome } = await run();
    const [first] = seller.payments;
    if (!first) return { notApplicable: `nothing was paid; the client ${outcome}` };
    const { x402Version: version, network: label } = first.payment;
    return {
      sent: "a challenge of version 1",
      came: `${describePayments(seller.payments)}; the client ${outcome}`,
      problems: [
        ...(version === 1 ? [] : [`the payment is of version ${JSON.stringify(version)}`]),
        ...(label === network.label ? [] : [`it names the network ${JSON.stringify(label)}`]),
        ...(first.value === priceUnits ? [] : [`it signed ${first.value}`]),
      ],
    };
  },
};

function signsOnce(name: string, what: string, answer: SellerAnswer): Case {
  return {
    name,
    profile: "money",
    rule: `When a paid request gets ${what}, one run of the client signs no second payment.`,
    source:
      "promise: never a second signature while the first can be used; x402-foundation/x402#3438",
    async run({ seller, run }) {
      seller.onPayment = () => answer;
      const { outcome } = await run();
      return {
        sent: `a challenge; each paid request got ${what}`,
        came: `${describePayments(seller.payments)}; the client ${outcome}`,
        problems: problemsOfOne(seller.payments),
      };
    },
  };
}

function problemsOfOne(payments: readonly SentPayment[]): string[] {
  const { size } = noncesOf(payments);
  if (size === 0) return ["nothing was paid"];
  return size === 1 ? [] : [`${size} payments were signed, and each of them can be used`];
}

const answerResumed: Case = {
  name: "answer-lost-resumed",
  standsOn: ["answer-lost"],
  profile: "money",
  rule: "When the answer to a paid request was lost, the next run of the same command sends the same payment, and signs no other.",
  source: "promise: a lost answer is resumed; x402-foundation/x402#3438",
  async run({ seller, run }) {
    seller.onPayment = () => "cut";
    const first = await run();
    seller.onPayment = () => "serve";
    const second = await run();
    return {
      sent: "a challenge; the paid request had no answer; the command was run again",
      came: `${describePayments(seller.payments)}; the client ${first.outcome}, then ${second.outcome}`,
      problems: problemsOfOne(seller.payments),
    };
  },
};

const changedTerms: Case = {
  name: "terms-changed",
  standsOn: ["pays-the-challenge"],
  profile: "money",
  rule: "A seller that answers a paid request with a higher price or another payee gets no further payment.",
  source: "promise: a changed price or payee is not paid",
  async run({ seller, run }) {
    const stranger = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";
    seller.onPayment = () => {
      seller.accepts = [requirementsV2(stranger, { amount: `${priceUnits * 10n}` })];
      return "challenge";
    };
    const { outcome } = await run();
    const others = seller.payments.filter(({ value }) => value !== priceUnits);
    return {
      sent: "a challenge; the paid request got one of ten times the price for another payee",
      came: `${describePayments(seller.payments)}; the client ${outcome}`,
      problems: [
        ...(seller.payments.length === 0 ? ["nothing was paid"] : []),
        ...(others.length > 0 ? ["the changed terms were paid"] : []),
      ],
    };
  },
};

const staysAtItsHost: Case = {
  name: "stays-at-its-host",
  profile: "money",
  rule: "A paid request that is redirected to another host takes no payment there.",
  source: "promise: a buyer sends a payment only to the seller that asked for it",
  async run({ seller, run }) {
    seller.onPayment = () => "elsewhere";
    const { outcome } = await run();
    return {
      sent: "a challenge; the paid request was redirected to another host",
      came: `${describePayments(seller.payments)}, ${seller.stray.length} at the other host; the client ${outcome}`,
      problems: [
        ...problemsOfOne(seller.payments),
        ...(seller.stray.length === 0 ? [] : ["the other host got a payment that can be used"]),
      ],
    };
  },
};

/** 900 USDC of the 1,000 that the wallet has. */
const excessiveUnits = 900_000_000n;

const limitHolds: Case = {
  name: "limit-holds",
  profile: "money",
  rule: "A client that was told no limit does not pay 900 USDC for a request.",
  source: "promise: limits hold; x402-foundation/x402: spend controls since 2.23",
  async run({ seller, run }) {
    seller.accepts = [requirementsV2(seller.payTo, { amount: `${excessiveUnits}` })];
    const { outcome } = await run();
    return {
      sent: "a challenge of 900 USDC",
      came: `${describePayments(seller.payments)}; the client ${outcome}`,
      problems: seller.payments.length === 0 ? [] : ["it signed 900 USDC"],
    };
  },
};

/** Each begins with an honest seller. */
export const buyerCases: readonly Case[] = [
  paysChallenge,
  choosesEntry,
  echoesExtensions,
  paysVersion1,
  signsOnce("answer-lost", "no answer", "cut"),
  signsOnce("challenge-after-payment", "another challenge", "challenge"),
  signsOnce("pending-after-payment", "402 with a settlement that is pending", "pending"),
  signsOnce("refused-after-payment", "402 with the word that the payer has too little", "refused"),
  signsOnce("error-after-payment", "500", "fail"),
  answerResumed,
  changedTerms,
  staysAtItsHost,
  limitHolds,
].map((one) => ({
  ...one,
  run(bench) {
    bench.seller.reset();
    return one.run(bench);
  },
  isHarmful: true,
}));
