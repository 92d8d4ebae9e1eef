/** Cases of the profile `spec` about a seller's messages. */
import {
  decodeHeader,
  headerNames,
  isObject,
  member,
  parseSettleResponse,
} from "@farthing/protocol";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import type { ConformCase } from "../run/conform-case.ts";
import { isChallenge, isServed, needsChallenge, type SellerBench } from "./seller-bench.ts";

type Case = ConformCase<SellerBench>;

const challenge: Case = {
  name: "challenge",
  standsOn: needsChallenge,
  profile: "spec",
  rule: "An unpaid request has 402 and a PAYMENT-REQUIRED header of base64 JSON with an entry for the network.",
  source: "specification v2, section 5.1 and HTTP transport: PaymentRequired",
  async run(bench) {
    const { answer, required, entry } = await bench.challenge();
    const text = (name: string) => typeof entry?.[name] === "string" && entry[name] !== "";
    const extra = entry?.["extra"];
    const hasDomain = isObject(extra) && extra["name"] === "USDC" && extra["version"] === "2";
    return {
      sent: "a request without a payment",
      came: `${describeAnswer(answer)}; ${JSON.stringify(required ?? null).slice(0, shownMax)}`,
      problems: [
        ...(answer.status === 402 ? [] : [`the status was ${answer.status ?? answer.fault}`]),
        ...(required ? [] : ["no PAYMENT-REQUIRED header can be read"]),
        ...(required && required["x402Version"] !== 2 ? ["x402Version is not 2"] : []),
        ...(required && !isObject(required["resource"]) ? ["resource is missing"] : []),
        ...(required && !entry ? ["no entry is for the network"] : []),
        ...(entry && !/^\d+$/.test(String(entry["amount"]))
          ? ["amount has other than digits"]
          : []),
        ...(entry && !(text("asset") && text("payTo")) ? ["asset or payTo is missing"] : []),
        ...(entry && !(Number(entry["maxTimeoutSeconds"]) > 0)
          ? ["maxTimeoutSeconds is not above 0"]
          : []),
        ...(entry && !hasDomain ? ["extra lacks the token's EIP-712 name and version"] : []),
      ],
    };
  },
};

const shownMax = 600;

const receipt: Case = {
  name: "receipt",
  standsOn: needsChallenge,
  profile: "spec",
  rule: "A paid response has a PAYMENT-RESPONSE header with success, the transaction that moved the money, and the network.",
  source: "specification v2, section 5.3 and HTTP transport: PAYMENT-RESPONSE",
  async run(bench) {
    const payment = await bench.newPayment();
    const answer = await bench.ask({ payment });
    const header = answer.headers.get(headerNames.paymentResponse);
    const read = parseSettleResponse(decodeHeader(header)?.value);
    const isTrue = read?.success === true && /^0x[0-9a-f]{64}$/i.test(read.transaction);
    return {
      sent: "a request with a payment",
      came: `${describeAnswer(answer)}; PAYMENT-RESPONSE ${JSON.stringify(read ?? header)}`,
      problems: [
        ...(isServed(answer) ? [] : ["it was not served"]),
        ...(isTrue ? [] : ["the receipt lacks success or the transaction"]),
      ],
    };
  },
};

const refusedPayment: Case = {
  name: "refused-payment",
  standsOn: [...needsChallenge, "nothing-with-a-refused-payment"],
  profile: "spec",
  rule: "A payment that the facilitator calls invalid has 402, with PAYMENT-REQUIRED and the reason in its error.",
  source: "specification v2, HTTP transport: payment failure",
  async run(bench) {
    const payment = await bench.newPayment();
    const reason = "insufficient_funds";
    bench.facilitator.answer = async (call) => ({
      status: 200,
      body:
        call === "verify"
          ? { isValid: false, invalidReason: reason }
          : { success: false, errorReason: reason, transaction: "", network: "eip155:51" },
    });
    const answer = await bench.ask({ payment });
    const challenged = decodeHeader(answer.headers.get(headerNames.paymentRequired))?.value;
    const error = isObject(challenged) ? String(member(challenged, "error")) : "";
    return {
      sent: "a request with a payment whose payer has no funds",
      came: `${describeAnswer(answer)}; error: ${error}`,
      problems: [
        ...(isChallenge(answer) ? [] : ["it was not 402 with PAYMENT-REQUIRED"]),
        ...(error.includes(reason) ? [] : ["the challenge does not name the reason"]),
      ],
    };
  },
};

const unreadable: Case = {
  name: "unreadable-header",
  standsOn: ["nothing-with-junk"],
  profile: "spec",
  rule: "A payment header that cannot be read has 400 or 402.",
  source: "specification v2, HTTP transport: error handling",
  async run(bench) {
    const headers = [
      "{}{}",
      Buffer.from("[1").toString("base64"),
      Buffer.from("7").toString("base64"),
    ];
    const answers: HttpAnswer[] = [];
    for (const payment of headers) answers.push(await bench.ask({ payment }));
    const wrong = answers.filter(({ status }) => status !== 400 && status !== 402);
    return {
      sent: "requests with headers that are no base64, half of a JSON text, and a number",
      came: answers.map(describeAnswer).join("; "),
      problems: wrong.map((answer) => `the status was ${answer.status ?? answer.fault}`),
    };
  },
};

const wrongOffer: Case = {
  name: "another-offer",
  standsOn: needsChallenge,
  profile: "spec",
  rule: "A payment whose `accepted` is none of the offers is refused without a settlement.",
  source: "specification v2, section 5.2: accepted is one of accepts",
  async run(bench) {
    const payment = await bench.newPayment({ accepted: { scheme: "nonsense" } });
    const answer = await bench.ask({ payment });
    const isSettled = bench.facilitator.calls.includes("settle");
    return {
      sent: "a request whose payment names a scheme that was not offered",
      came: describeAnswer(answer),
      problems: [
        ...(isServed(answer) ? ["it was served"] : []),
        ...(isSettled ? ["it was settled"] : []),
        ...((answer.status ?? 500) >= 500
          ? [`the status was ${answer.status ?? answer.fault}`]
          : []),
      ],
    };
  },
};

const isFault = ({ status }: HttpAnswer) => status === undefined || status >= 500;

const headAndOptions: Case = {
  name: "head-and-options",
  profile: "spec",
  rule: "HEAD and OPTIONS of the paid address show no content and are no fault of the server.",
  source: "HTTP: safe methods; a preflight carries no payment",
  async run(bench) {
    const head = await bench.ask({ method: "HEAD" });
    const options = await bench.ask({ method: "OPTIONS" });
    return {
      sent: "HEAD and OPTIONS without a payment",
      came: `HEAD ${describeAnswer(head)}; OPTIONS ${describeAnswer(options)}`,
      problems: [head, options].filter(isFault).map((one) => `it was ${describeAnswer(one)}`),
    };
  },
};

const has = (list: string, name: string) =>
  list.split(",").some((one) => ["*", name].includes(one.trim().toLowerCase()));

const cors: Case = {
  name: "cors",
  profile: "spec",
  rule: "A seller for browsers exposes PAYMENT-REQUIRED and PAYMENT-RESPONSE, and its preflight allows PAYMENT-SIGNATURE.",
  source: "Fetch standard, CORS; x402-foundation/x402#3478",
  async run(bench) {
    const origin = { origin: "https://page.example" };
    const answer = await bench.ask({ headers: origin });
    if (!answer.headers.has("access-control-allow-origin")) {
      return {
        notApplicable: "the seller has no Access-Control-Allow-Origin: it is not for browsers",
      };
    }
    const preflight = await bench.ask({
      method: "OPTIONS",
      headers: {
        ...origin,
        "access-control-request-method": "GET",
        "access-control-request-headers": "payment-signature",
      },
    });
    const exposed = answer.headers.get("access-control-expose-headers") ?? "";
    const allowed = preflight.headers.get("access-control-allow-headers") ?? "";
    return {
      sent: "an unpaid request and a preflight from another origin",
      came: `exposed: ${exposed}; the preflight had ${preflight.status ?? preflight.fault}, allowed: ${allowed || "nothing"}`,
      problems: [
        ...(has(exposed, "payment-required") ? [] : ["PAYMENT-REQUIRED is not exposed"]),
        ...(has(exposed, "payment-response") ? [] : ["PAYMENT-RESPONSE is not exposed"]),
        ...(has(allowed, "payment-signature") ? [] : ["PAYMENT-SIGNATURE is not allowed"]),
      ],
    };
  },
};

export const sellerMessageCases = [
  challenge,
  receipt,
  refusedPayment,
  unreadable,
  wrongOffer,
  headAndOptions,
  cors,
];
