/** Cases of the profile `spec` about requests that must be refused: each bends one member. */
import {
  isObject,
  member,
  parseSettleResponse,
  parseVerifyResponse,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { findTransfer, untilMoved } from "../chain/chain-facts.ts";
import { payloadV2, requestV2, requirementsV2, signPayment, stranger } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { describeAnswers } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

/** A request that is wrong in one way. */
interface BentRequest {
  readonly name: string;
  readonly what: string;
  readonly body: (bench: FacilitatorBench) => JsonObject;
}

const now = () => BigInt(Math.floor(Date.now() / 1000));
const hourSeconds = 3_600n;
const otherAsset = "0x1111111111111111111111111111111111111111";

const signed = (changes: () => Partial<Authorization>) => (bench: FacilitatorBench) =>
  requestV2(bench.newPayment(changes()), requirementsV2(bench.payTo));

const required = (changes: JsonObject) => (bench: FacilitatorBench) =>
  requestV2(bench.newPayment(), requirementsV2(bench.payTo, changes));

/** A payload whose member is replaced after the signature. */
const payload = (change: (sent: JsonObject) => JsonObject) => (bench: FacilitatorBench) => {
  const requirements = requirementsV2(bench.payTo);
  const sent = payloadV2(bench.newPayment(), requirements);
  return {
    x402Version: 2,
    paymentPayload: { ...sent, ...change(sent) },
    paymentRequirements: requirements,
  };
};

const authorizationOf = (sent: JsonObject): JsonObject => {
  const inner = member(sent, "payload");
  const authorization = isObject(inner) ? member(inner, "authorization") : undefined;
  return isObject(authorization) ? authorization : {};
};

export const bentRequests: readonly BentRequest[] = [
  {
    name: "refuses-a-forged-signature",
    what: "a signature of another payer",
    body: (bench) => {
      const { signature } = bench.newPayment();
      return requestV2({ ...bench.newPayment(), signature });
    },
  },
  {
    name: "refuses-a-lower-amount",
    what: "an authorization of less than the required amount",
    body: signed(() => ({ value: 1n })),
  },
  {
    name: "refuses-another-payee",
    what: "an authorization for another payee",
    body: signed(() => ({ to: stranger })),
  },
  {
    name: "refuses-an-expired-payment",
    what: "an authorization whose validBefore has passed",
    body: signed(() => ({ validBefore: now() - hourSeconds })),
  },
  {
    name: "refuses-an-early-payment",
    what: "an authorization whose validAfter is in an hour",
    body: signed(() => ({
      validAfter: now() + hourSeconds,
      validBefore: now() + 2n * hourSeconds,
    })),
  },
  {
    name: "refuses-another-network",
    what: "requirements of a network that it does not serve",
    body: required({ network: "eip155:999999" }),
  },
  {
    name: "refuses-another-asset",
    what: "requirements of a contract that is not the token",
    body: required({ asset: otherAsset }),
  },
  {
    name: "refuses-another-scheme",
    what: "an unknown scheme",
    body: required({ scheme: "nonsense" }),
  },
  {
    name: "refuses-a-wrong-domain",
    what: "requirements with the EIP-712 name `USD Coin`, which the token does not have",
    body: required({ extra: { name: "USD Coin", version: "2" } }),
  },
  {
    name: "refuses-a-poor-payer",
    what: "a payer without funds",
    body: (bench) => requestV2(signPayment(bench.devnet.treasury, bench.payTo)),
  },
  {
    name: "refuses-an-amount-that-is-none",
    what: "value: `abc` in the authorization",
    body: payload((sent) => ({
      payload: {
        signature: "0x00",
        authorization: { ...authorizationOf(sent), value: "abc" },
      },
    })),
  },
  {
    name: "refuses-a-missing-authorization",
    what: "a payload without authorization and signature",
    body: payload(() => ({ payload: {} })),
  },
];

const refusalCases: readonly Case[] = bentRequests.map(({ name, what, body }) => ({
  name,
  profile: "spec",
  rule: `/verify and /settle refuse ${what}, with a reason and no status of a server error.`,
  source: "specification v2, sections 6.1.2 and 9: verification steps and error codes",
  async run(bench) {
    const request = body(bench);
    const [verified, settled] = [await bench.verify(request), await bench.settle(request)];
    return {
      sent: `/verify and /settle of ${what}`,
      came: `${describeAnswer(verified)}; ${describeAnswer(settled)}`,
      problems: [
        ...problemsOfRefusal("/verify", verified, reasonOfVerify(verified)),
        ...problemsOfRefusal("/settle", settled, reasonOfSettle(settled)),
      ],
    };
  },
}));

function reasonOfVerify({ body }: HttpAnswer): string | undefined {
  const response = parseVerifyResponse(body);
  return response?.isValid === false ? namedReason(response, response.invalidReason) : undefined;
}

function reasonOfSettle({ body }: HttpAnswer): string | undefined {
  const response = parseSettleResponse(body);
  return response?.success === false ? namedReason(response, response.errorReason) : undefined;
}

/** A facilitator with codes of its own may name the ecosystem's beside it. */
function namedReason({ extra }: { readonly extra?: JsonObject }, reason = ""): string {
  const named = extra && member(extra, "x402Reason");
  return typeof named === "string" ? named : reason;
}

function problemsOfRefusal(call: string, answer: HttpAnswer, reason: string | undefined) {
  const { status, fault } = answer;
  if (status === undefined) return [`${call}: ${fault}`];
  if (status >= 500) return [`${call} had the status ${status}, as if it were the server's fault`];
  // 400 without a shape is a refusal too: SDKs pass its text on.
  if (status >= 400) return [];
  if (reason === undefined) return [`${call} did not refuse it`];
  return reason === "" ? [`${call} named no reason`] : [];
}

/** The names of the specification, of the published SDKs and of hosted facilitators. */
const knownReasons =
  /^(invalid_exact_evm_[a-z0-9_]+|insufficient_funds|invalid_(network|payload|payment|payment_requirements|scheme|x402_version|transaction_state|amount)|unsupported_(scheme|payload_type|network)|unexpected_(verify|settle)_error|payment_expired|amount_too_low|duplicate_settlement|asset_not_deployed_contract|unknown_error)$/;

const reasonsKnown: Case = {
  name: "reasons-are-known",
  profile: "spec",
  rule: "The reasons of refusals are names that the specification, a published SDK or a hosted facilitator has.",
  source: "specification v2, section 9: error codes",
  async run(bench) {
    const found: string[] = [];
    for (const { body } of bentRequests) {
      const answer = await bench.verify(body(bench));
      const reason = answer.status === 200 ? reasonOfVerify(answer) : undefined;
      if (reason !== undefined) found.push(reason);
    }
    const unknown = [...new Set(found)].filter((reason) => !knownReasons.test(reason));
    return {
      sent: `/verify of ${bentRequests.length} requests that are wrong`,
      came: [...new Set(found)].join(", "),
      problems: unknown.map((reason) => `${reason || "an empty reason"} is no known name`),
    };
  },
};

const bodyNotJson: Case = {
  name: "refuses-a-body-that-is-no-json",
  profile: "spec",
  rule: "A body that is no JSON object has a status of 4xx.",
  source: "specification v2, section 7; HTTP: a malformed request is the client's fault",
  async run(bench) {
    const answers = [await bench.verify("{"), await bench.settle("{"), await bench.settle("[]")];
    const wrong = answers.filter(({ status }) => status === undefined || status >= 500);
    return {
      sent: "/verify and /settle with `{`, /settle with `[]`",
      came: answers.map(describeAnswer).join("; "),
      problems: [
        ...wrong.map((answer) => `it was called a fault of the server: ${describeAnswer(answer)}`),
        ...answers.filter((one) => !isRefused(one)).map(() => "it was not refused"),
      ],
    };
  },
};

/** Whether a body says no, whatever its status. */
const isRefused = ({ status, body }: HttpAnswer) =>
  status !== 200 || body?.["success"] === false || body?.["isValid"] === false;

const failedShape: Case = {
  name: "failed-settle-shape",
  profile: "spec",
  rule: "A settlement that failed has the members transaction (empty) and network, which sellers need.",
  source: "specification v2, section 5.3: SettlementResponse",
  async run(bench) {
    const answer = await bench.settle(signed(() => ({ validBefore: now() - hourSeconds }))(bench));
    const response = parseSettleResponse(answer.body);
    const isRight = response?.success === false && response.transaction === "";
    return {
      sent: "/settle of an expired authorization",
      came: describeAnswer(answer),
      problems: isRight ? [] : ["success: false, transaction: `` and network are not all there"],
    };
  },
};

const usedPayment: Case = {
  name: "refuses-a-used-payment",
  profile: "spec",
  rule: "/verify refuses a payment whose money has moved, with a reason and no status of a server error.",
  source: "specification v2, exact on EVM: the nonce of the authorization is not used",
  async run(bench) {
    const payment = bench.newPayment();
    const settled = await bench.settleToEnd(requestV2(payment));
    await untilMoved(bench.devnet, payment);
    const isMoved = (await findTransfer(bench.devnet, payment.authorization)) !== undefined;
    const verified = await bench.verify(requestV2(payment));
    return {
      sent: "/settle of a payment to its end, and /verify of it",
      came: `${describeAnswers(settled)}; ${describeAnswer(verified)}`,
      problems: isMoved
        ? problemsOfRefusal("/verify", verified, reasonOfVerify(verified))
        : ["no money moved"],
    };
  },
};

export const facilitatorRefusalCases = [
  ...refusalCases,
  usedPayment,
  reasonsKnown,
  failedShape,
  bodyNotJson,
];
