/**
 * A small seller that keeps every rule of the kit, and one of them not on request: it verifies, settles
 * until the outcome is known, and keeps the answer of each payment for its own address alone.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import {
  decodeHeader,
  encodeHeader,
  isObject,
  member,
  parseAddress,
  parsePayment,
  zeroAddress,
  type JsonObject,
  type Payment,
} from "@farthing/protocol";
import { requirementsV2 } from "../chain/payments.ts";
import type { Subject, SubjectEnvironment } from "../run/subject.ts";
import type { SellerFault } from "./faults.testing.ts";
import { createSubjectInProcess } from "./in-process.testing.ts";
import { createSellerClient, FacilitatorError } from "./seller-client.testing.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: JsonObject;
}

/** What a payment has opened. */
interface Opened {
  readonly address: string;
  readonly answer: Promise<Answer>;
  isAnswered: boolean;
  /** Whether another request came before the answer. */
  isShared: boolean;
}

/** Starts one in this process. */
export function createHonestSeller(env: SubjectEnvironment, fault?: SellerFault): Subject {
  return createSubjectInProcess(env, () => {
    const sell = createSelling(env, fault);
    return {
      listener: (request, response) => {
        sell(request).then(
          (answer) => write(response, answer),
          () => write(response, { status: 500, headers: {}, body: {} }),
        );
      },
    };
  });
}

function write(response: ServerResponse, { status, headers, body }: Answer): void {
  const allowed = { "access-control-allow-origin": "*", "content-type": "application/json" };
  response.writeHead(status, { ...allowed, ...headers }).end(JSON.stringify(body));
}

const exposed = "PAYMENT-REQUIRED, PAYMENT-RESPONSE";

/** What it answers. */
function createAnswers(env: SubjectEnvironment, offer: JsonObject, fault: SellerFault | undefined) {
  let reports = 0;
  const headers = fault === "cors" ? {} : { "access-control-expose-headers": exposed };

  function challenge(error: string, address = ""): Answer {
    const resource = { url: `${env["CONFORM_URL"]}${address}` };
    const text = fault === "refused-payment" ? "Payment required" : error;
    // A faulty one leaves out what no buyer needs for a payment.
    const named = fault === "challenge" ? {} : { resource };
    const required = { x402Version: 2, error: text, ...named, accepts: [offer] };
    const header = { "payment-required": encodeHeader(required) };
    return { status: 402, headers: { ...headers, ...header }, body: {} };
  }

  const report = (receipt: JsonObject): Answer => ({
    status: 200,
    headers:
      fault === "receipt" ? headers : { ...headers, "payment-response": encodeHeader(receipt) },
    body: { report: ++reports },
  });

  return { headers, challenge, report };
}

function createSelling(env: SubjectEnvironment, fault: SellerFault | undefined) {
  const offer = requirementsV2(parseAddress(env["CONFORM_PAY_TO"]) ?? zeroAddress);
  const client = createSellerClient(env["CONFORM_FACILITATOR_URL"] ?? "", fault);
  /** What each payment has opened, by its nonce. */
  const opened = new Map<string, Opened>();

  const { headers, challenge, report } = createAnswers(env, offer, fault);

  /** Whether the payment is for this offer, and for no other. */
  function isOffered(payment: Payment, sent: JsonObject): boolean {
    const { accepted = {}, authorization } = payment;
    const names = ["scheme", "network", "asset", "amount", "payTo"].filter(
      (name) =>
        !(fault === "nothing-with-a-lower-amount" && name === "amount") &&
        !(fault === "nothing-with-another-payee" && name === "payTo"),
    );
    const isEqual = names.every((name) => member(accepted, name) === offer[name]);
    const isPaid =
      fault === "nothing-with-a-lower-amount" || `${authorization.value}` === offer["amount"];
    return isEqual && isPaid && sent["x402Version"] === 2;
  }

  /** Whether a faulty one lets a payment open something again: what, and when, is its fault. */
  function isWorkedAgain({ isAnswered, isShared }: Opened, isSame: boolean): boolean {
    if (fault === "another-request") return !isSame;
    if (fault === "equal-requests-at-once") return isSame && !isAnswered;
    // It keeps what several have asked for at once, and nothing else.
    return fault === "equal-requests-in-a-row" && isSame && isAnswered && !isShared;
  }

  async function sellOnce(payment: Payment, sent: JsonObject, address: string): Promise<Answer> {
    const terms = { ...offer, ...payment.accepted };
    try {
      const verified = await client.verify(sent, terms);
      const isRefused = verified["isValid"] !== true;
      if (isRefused && fault === "nothing-with-a-refused-payment") return report({});
      if (isRefused) return challenge(String(verified["invalidReason"]), address);
      const settled = await client.settle(sent, terms);
      const isPaid = settled["success"] === true || fault === "nothing-with-a-failed-settlement";
      if (isPaid) return report(settled);
      opened.delete(payment.authorization.nonce);
      return challenge(String(settled["errorReason"]), address);
    } catch (error) {
      opened.delete(payment.authorization.nonce);
      if (!(error instanceof FacilitatorError)) throw error;
      const isBlaming = fault === error.fault;
      return isBlaming ? challenge("not verified") : { status: 503, headers, body: {} };
    }
  }

  return async (request: IncomingMessage): Promise<Answer> => {
    const address = request.url ?? "";
    if (request.method === "OPTIONS") {
      const status = fault === "head-and-options" ? 500 : 204;
      return { status, headers: { "access-control-allow-headers": "payment-signature" }, body: {} };
    }
    const header = request.headers["payment-signature"];
    if (header === undefined && fault === "nothing-without-a-payment") return report({});
    if (header === undefined) return challenge("Payment required", address);
    const sent = decodeHeader(header)?.value;
    if (!isObject(sent)) {
      if (fault === "nothing-with-junk") return report({});
      if (fault === "unreadable-header") throw new Error("the header cannot be read");
      return challenge("Payment required", address);
    }
    const payment = parsePayment(sent);
    if (!payment.ok && fault === "another-offer") throw new Error("an unknown offer");
    if (!payment.ok || !isOffered(payment.value, sent)) {
      return challenge("No matching payment requirements", address);
    }
    const { nonce } = payment.value.authorization;
    const before = opened.get(nonce);
    if (before && fault !== "equal-requests-repeated-success") {
      const isSame = before.address === address;
      before.isShared ||= !before.isAnswered;
      if (isWorkedAgain(before, isSame)) {
        await before.answer;
        return report({});
      }
      return isSame ? before.answer : { status: 409, headers, body: { error: "already used" } };
    }
    const answer = sellOnce(payment.value, sent, address);
    const entry: Opened = { address, answer, isAnswered: false, isShared: false };
    opened.set(nonce, entry);
    await answer;
    entry.isAnswered = true;
    return answer;
  };
}
