/** Cases of the profile `spec` about a facilitator's messages for payments that are in order. */
import {
  addressOfKey,
  isObject,
  parseSettleResponse,
  parseVerifyResponse,
} from "@farthing/protocol";
import { findTransfer } from "../chain/chain-facts.ts";
import { chainId, network, priceUnits, requestV1, requestV2 } from "../chain/payments.ts";
import type { ConformCase } from "../run/conform-case.ts";
import { describeAnswer, type HttpAnswer } from "../run/http-answer.ts";
import type { FacilitatorBench } from "./facilitator-bench.ts";
import { describeAnswers } from "./settle-outcome.ts";

type Case = ConformCase<FacilitatorBench>;

/** The entries of `/supported` that are about this network. */
const kindsOf = ({ body }: HttpAnswer) =>
  Array.isArray(body?.["kinds"]) ? body["kinds"].filter(isObject) : [];

const supportedKinds: Case = {
  name: "supported-kinds",
  profile: "spec",
  rule: "GET /supported lists the scheme exact of version 2 for the network by its exact name, and no member is null.",
  source: "specification v2, section 7.3: GET /supported",
  async run(bench) {
    const answer = await bench.supported();
    const hasKind = kindsOf(answer).some(
      (kind) =>
        kind["x402Version"] === 2 && kind["scheme"] === "exact" && kind["network"] === network.id,
    );
    const isNull = (name: string) => answer.body !== undefined && answer.body[name] === null;
    const nulls = ["extensions", "signers"].filter(isNull);
    return {
      sent: "GET /supported",
      came: describeAnswer(answer),
      problems: [
        ...(answer.status === 200 ? [] : [`the status was ${answer.status}`]),
        ...(hasKind ? [] : [`no entry is version 2, exact, ${network.id}`]),
        ...nulls.map((name) => `${name} is null, which stock sellers do not read`),
      ],
    };
  },
};

const verifyValid: Case = {
  name: "verify-valid",
  profile: "spec",
  rule: "/verify answers a payment that is in order with 200, isValid: true and its payer.",
  source: "specification v2, section 7.1: POST /verify",
  async run(bench) {
    const payment = bench.newPayment();
    const answer = await bench.verify(requestV2(payment));
    return {
      sent: "/verify of a payment of version 2",
      came: describeAnswer(answer),
      problems: problemsOfValid(answer, payment.authorization.from),
    };
  },
};

function problemsOfValid(answer: HttpAnswer, payer: string): string[] {
  const response = parseVerifyResponse(answer.body);
  if (answer.status !== 200 || !response?.isValid) return ["it was not valid"];
  const isPayer = response.payer?.toLowerCase() === payer.toLowerCase();
  return isPayer ? [] : [`the payer was ${response.payer ?? "missing"}`];
}

const settleValid: Case = {
  name: "settle-valid",
  profile: "spec",
  rule: "/settle answers with 200, success: true, the transaction, the network and the payer.",
  source: "specification v2, section 7.2: POST /settle",
  async run(bench) {
    const payment = bench.newPayment();
    const answers = await bench.settleToEnd(requestV2(payment));
    const last = answers.at(-1);
    return {
      sent: "/settle of a payment of version 2",
      came: describeAnswers(answers),
      problems: last ? problemsOfSettleShape(last, payment.authorization.from, network.id) : [],
    };
  },
};

function problemsOfSettleShape(answer: HttpAnswer, payer: string, name: string): string[] {
  const response = parseSettleResponse(answer.body);
  if (!response) return ["success, transaction or network is missing, or of another type"];
  const { success, transaction, network: named } = response;
  return [
    ...(answer.status === 200 ? [] : [`the status was ${answer.status}`]),
    ...(success ? [] : ["it was no success"]),
    ...(/^0x[0-9a-f]{64}$/i.test(transaction) ? [] : ["the transaction is no hash"]),
    ...(named === name ? [] : [`the network was ${named}`]),
    ...(response.payer?.toLowerCase() === payer.toLowerCase() ? [] : ["the payer is missing"]),
  ];
}

/** A public test key's payment to a fixed address, valid until 2100; its funds are the devnet's. */
const vector = {
  privateKey: "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d",
  payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
  signature:
    "0x12613e224d616c066c2388a0335b2af9ac5aba9b04379b8d88b731d0cf2a3e0a45326b9f578b1d93f8b290422897ae5ecc117c8b6498772a557e2ef30b505c0c1c",
} as const;
const vectorNonce = `0x${"01".repeat(32)}` as const;
const vectorUnits = 1_000n;
const vectorValidBefore = 4_102_444_800n;

const publishedVector: Case = {
  name: "published-vector",
  standsOn: ["verify-valid"],
  profile: "spec",
  rule: "/verify accepts the published test vector: a fixed key, authorization and signature on chain 51.",
  source: "EIP-712 and EIP-3009; wire reference, test vector",
  async run(bench) {
    const from = addressOfKey(vector.privateKey);
    const authorization = {
      from,
      to: vector.payTo,
      value: vectorUnits,
      validAfter: 0n,
      validBefore: vectorValidBefore,
      nonce: vectorNonce,
    };
    const { signature, payTo } = vector;
    const requirements = {
      scheme: "exact",
      network: `eip155:${chainId}`,
      amount: `${vectorUnits}`,
      asset: network.usdc,
      payTo,
      maxTimeoutSeconds: 60,
      extra: { name: "USDC", version: "2" },
    };
    const answer = await bench.verify(requestV2({ authorization, signature }, requirements));
    return {
      sent: "/verify of the vector",
      came: describeAnswer(answer),
      problems: problemsOfValid(answer, from),
    };
  },
};

const versionOne: Case = {
  name: "version-1",
  standsOn: ["verify-valid", "settle-valid"],
  profile: "spec",
  rule: "A facilitator that lists version 1 for the network verifies and settles a payment of version 1.",
  source: "specification v1, sections 6 and 7",
  async run(bench) {
    const kind = kindsOf(await bench.supported()).find(
      (one) => one["x402Version"] === 1 && String(one["network"]).startsWith(network.label),
    );
    if (!kind) return { notApplicable: "/supported lists no version 1 of this network" };
    const label = String(kind["network"]);
    const payment = bench.newPayment();
    const { from } = payment.authorization;
    const body = requestV1(payment, label);
    const verified = await bench.verify(body);
    const settled = await bench.settleToEnd(body);
    const last = settled.at(-1);
    const isMoved = (await findTransfer(bench.devnet, payment.authorization)) !== undefined;
    return {
      sent: `/verify and /settle of ${priceUnits} base units in version 1`,
      came: `${describeAnswer(verified)}; ${describeAnswers(settled)}`,
      problems: [
        ...problemsOfValid(verified, from),
        ...(last ? problemsOfSettleShape(last, from, label) : []),
        ...(isMoved ? [] : ["no money moved"]),
      ],
    };
  },
};

export const messageCases = [supportedKinds, verifyValid, settleValid, publishedVector, versionOne];
