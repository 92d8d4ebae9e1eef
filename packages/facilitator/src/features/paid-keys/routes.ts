/** POST /v1/keys: a payment makes the payer's account, with an API key and credits. */
import {
  buildChallenge,
  decodeHeader,
  headerNames,
  networkOfAddress,
  parsePayment,
  receiptHeaders,
  refusal,
  type Address,
  type JsonObject,
  type Network,
  type Payment,
  type Refusal,
  type Requirements,
  unitsPerCredit,
} from "@farthing/protocol";
import type { Settlement } from "@farthing/engine";
import type { Clock } from "@farthing/engine/base";
import type { FastifyReply, FastifyRequest } from "fastify";
import { Type } from "typebox";
import { sellersMatter } from "../../http/access/authenticate.ts";
import type { MakeLimit } from "../../http/access/limits.ts";
import { keyModeOf } from "../../http/access/request-key.ts";
import { settleResponse } from "@farthing/engine/x402";
import { HttpProblem } from "../../http/messages/responses.ts";
import {
  AddressText,
  anyObject,
  exactly,
  HashText,
  KeyId,
  KeyModeText,
  LabelText,
  nullable,
  problems,
} from "../../http/messages/schemas.ts";
import { sellingNetworks, type ServedNetworks } from "../../http/messages/served-chain.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { gasProblem, purchaseTerms, type PurchaseBudget } from "../../payments/keyless/terms.ts";
import type { CreditTerms } from "../credits/routes.ts";
import { PurchaseState } from "../purchases/purchase-response.ts";
import { notCreated } from "../purchases/routes.ts";
import { creditsMax } from "../purchases/service.ts";
import type { Site } from "../../http/site/site.ts";
import type { KeyOrder, SellKey, SellOutcome, SoldKey } from "./service.ts";

const path = "/v1/keys";

/** Per network address in ten minutes; a payment takes two requests, and each is verified. */
const selling = { name: "paid-keys", requestsMax: 60, windowSeconds: 600 };

/** Seconds to sign and send a payment, as sellers ask for. */
const payWithinSeconds = 300;

/** A block. */
const pendingRetrySeconds = 2;

const labelDefault = "Paid key";

export const PaidKeyResponse = exactly({
  account: AddressText,
  key: nullable(Type.String({ description: "The key, in one response only" })),
  keyId: nullable(KeyId),
  mode: KeyModeText,
  credits: Type.Integer({ description: "Bought with this payment; added once it is final" }),
  purchaseId: Type.String(),
  state: PurchaseState,
  settlementId: Type.String(),
  transaction: nullable(HashText),
  nextStep: Type.String({ description: "For people" }),
});

export interface PaidKeyRouteDeps extends ServedNetworks {
  readonly sellKey: SellKey;
  readonly treasury: Address | undefined;
  readonly creditTerms: CreditTerms;
  readonly budget: PurchaseBudget;
  readonly clock: Clock;
  readonly makeLimit: MakeLimit;
  site(): Site;
}

export function registerPaidKeys(server: TypedServer, deps: PaidKeyRouteDeps): void {
  const limit = deps.makeLimit(selling);
  server.post(path, {
    schema: {
      operationId: "buyKey",
      tags: ["API keys"],
      summary: "Buy an API key with a payment",
      description:
        "The first request is answered with a 402; paid as that asks, the payer's address is the account. The same payment again gives the same outcome without the key, which is returned once. Who lost it signs in with the wallet that paid.",
      security: [],
      querystring: exactly({
        credits: Type.Optional(
          Type.String({
            pattern: "^[1-9][0-9]{0,9}$",
            description: "To buy; as many as the smallest purchase has when left out",
          }),
        ),
        label: Type.Optional(LabelText),
      }),
      response: {
        201: PaidKeyResponse,
        200: { ...PaidKeyResponse, description: "The same payment again" },
        402: {
          description: "What it costs, as an x402 challenge; also in `PAYMENT-REQUIRED`",
          content: { "application/json": { schema: anyObject() } },
        },
        ...problems(
          "conflict",
          "seller_plan_inactive",
          "service_unavailable",
          "caller_gas_share_used",
          "keyless_gas_exhausted",
          "queue_full",
          "gas_price_too_high",
          "no_wallet",
          "reverted_gas_exhausted",
        ),
      },
    },
    handler: async (request, reply) => {
      await limit(request, reply, networkOfAddress(request.ip));
      reply.header("Cache-Control", "no-store");
      const offer = offerOf(deps, request);
      const shown = readPayment(request);
      if (!shown) return ask(reply, offer);
      const { payment, why } = shown;
      if (!payment) return ask(reply, offer, why);
      const requirements = offer.entries.find(({ network }) => network === payment.network);
      if (!requirements) return ask(reply, offer, refusal("unsupported_network"));
      const outcome = await deps.sellKey({
        ...offer,
        payment,
        requirements,
        requestId: request.id,
        keylessOf: (chainId) => purchaseTerms(deps.budget, request, chainId),
      });
      return respond(deps, reply, offer, outcome);
    },
  });
}

interface KeyOffer extends Pick<KeyOrder, "credits" | "label" | "url" | "treasury"> {
  readonly entries: readonly Requirements[];
}

function offerOf(
  deps: PaidKeyRouteDeps,
  request: FastifyRequest<{ Querystring: { credits?: string; label?: string } }>,
): KeyOffer {
  const { treasury, creditTerms } = deps;
  if (treasury === undefined) throw notCreated(deps, "no_treasury");
  const { query } = request;
  const least = Number(creditTerms.minUnits / unitsPerCredit);
  const credits = query.credits === undefined ? least : Number(query.credits);
  if (credits < least) throw notCreated(deps, "below_minimum");
  if (credits > creditsMax) {
    throw new HttpProblem("invalid_request", `Buy ${creditsMax} credits at most.`);
  }
  const amount = BigInt(credits) * unitsPerCredit;
  return {
    credits,
    label: query.label || labelDefault,
    treasury,
    url: `${deps.site().origin}${request.url}`,
    entries: sellingNetworks(deps).map((network) => entryOf(network, treasury, amount)),
  };
}

function entryOf(network: Network, payTo: Address, amount: bigint): Requirements {
  const terms = { asset: network.usdc, amount, payTo, maxTimeoutSeconds: payWithinSeconds };
  return { version: 2, network, networkName: network.id, ...terms };
}

interface ShownPayment {
  readonly payment?: Payment;
  readonly why?: Refusal;
}

/** Undefined without a payment. */
function readPayment({ headers }: FastifyRequest): ShownPayment | undefined {
  const text =
    headers[headerNames.paymentSignature.toLowerCase()] ??
    headers[headerNames.xPayment.toLowerCase()];
  if (text === undefined) return undefined;
  const decoded = decodeHeader(text);
  if (!decoded) return { why: refusal("invalid_payload") };
  const parsed = parsePayment(decoded.value);
  return parsed.ok ? { payment: parsed.value } : { why: parsed.refusal };
}

function ask(
  reply: FastifyReply,
  { entries, url, credits }: KeyOffer,
  why?: Refusal,
  settlement?: Settlement,
): FastifyReply {
  const challenge = buildChallenge({
    offers: entries,
    resource: {
      url,
      description: `An API key for the payer's account, with ${credits} credits`,
      mimeType: "application/json",
    },
    mode: "v2-only",
    ...(why && { error: why.code }),
  });
  const body: JsonObject = { ...challenge.body, ...(why && { message: why.message }) };
  return addReceipt(reply, settlement).status(402).headers(challenge.headers).send(body);
}

function respond(
  deps: PaidKeyRouteDeps,
  reply: FastifyReply,
  offer: KeyOffer,
  outcome: SellOutcome,
): FastifyReply {
  switch (outcome.kind) {
    case "sold":
      addReceipt(reply, outcome.settlement);
      return reply.status(outcome.made ? 201 : 200).send(soldResponse(outcome));
    case "refused":
      return ask(reply, offer, outcome.refusal, outcome.settlement);
    case "pending":
      addReceipt(reply, outcome.settlement);
      throw new HttpProblem("service_unavailable", pendingMessage, pendingRetrySeconds);
    case "inactive":
      throw new HttpProblem("seller_plan_inactive", sellersMatter);
    case "too_many_keys":
      throw new HttpProblem("conflict", tooManyKeys);
    case "denied":
      throw gasProblem(deps, outcome.code);
    case "closed":
      throw new HttpProblem("conflict", closedMessage);
    default:
      throw notCreated(deps, outcome.kind);
  }
}

const pendingMessage =
  "The transfer is under way. Repeat the request with the same payment; do not sign a new one.";
const tooManyKeys =
  "This account has as many working API keys as may be; nothing was paid. Sign in with the wallet and revoke some.";
const closedMessage =
  "This payment is over; nothing was sent. Ask again without a payment and sign a new one.";

function addReceipt(reply: FastifyReply, settlement: Settlement | undefined): FastifyReply {
  if (!settlement) return reply;
  return reply.headers(receiptHeaders(settleResponse(settlement, settlement.networkName)));
}

function soldResponse({ purchase, settlement, made }: SoldKey) {
  const { account, credits, id: purchaseId, state, keyId } = purchase;
  return {
    account,
    key: made?.text ?? null,
    keyId,
    mode: keyModeOf(purchase.chainId),
    credits,
    purchaseId,
    state,
    settlementId: settlement.id,
    transaction: settlement.transaction,
    nextStep: made ? keepIt : signIn,
  };
}

const keepIt =
  "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds.";
const signIn =
  "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one.";
