/** Buying credits: create a purchase, pay it with a signature, and poll until it is credited. */
import type { Explorers } from "../../http/site/explorers.ts";
import { priceUsdc, type Refusal, unitsPerCredit } from "@farthing/protocol";
import { Type } from "typebox";
import { awaitingMax, creditsMax, type Purchases } from "./service.ts";
import type { Waiters } from "@farthing/engine";
import { type Clock, timeText } from "@farthing/engine/base";
import type { CreditPurchase } from "./model.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import { gasProblem, purchaseTerms, type PurchaseBudget } from "../../payments/keyless/terms.ts";
import type { MakeLimit } from "../../http/access/limits.ts";
import { parseWait } from "../../http/messages/prefer.ts";
import {
  ChainIdNumber,
  Cursor,
  exactly,
  AddressInput,
  Limit,
  pageOf,
  Wait,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import {
  purchaseResponse,
  PurchaseResponse,
  PurchaseState,
  type PurchaseTerms,
} from "./purchase-response.ts";
import type { FindPurchase } from "./lost-purchases.ts";
import type { PayPurchase } from "./payment.ts";
import { readLimit, timeCursor } from "../../http/messages/cursor.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { sessionOf } from "../../http/access/session.ts";
import { sellingChain, type ServedNetworks } from "../../http/messages/served-chain.ts";

/** A contract wallet's signature with many owners; a plain one has 132 characters. */
const signatureCharsMax = 16_386;

const path = "/v1/account/credits/purchases";
const PurchaseId = exactly({ id: Type.String({ pattern: "^pur_[0-9a-f]{32}$" }) });
const changing = changeProblems("conflict", "not_found");
const notAdmitted = [
  "caller_gas_share_used",
  "keyless_gas_exhausted",
  "queue_full",
  "gas_price_too_high",
  "no_wallet",
  "reverted_gas_exhausted",
] as const;

/** Per account in ten minutes: each purchase is looked up on the chain when its time is over. */
const beginning = { name: "purchases", requestsMax: 30, windowSeconds: 600 };

export interface PurchaseRouteDeps extends ServedNetworks, PurchaseTerms {
  readonly explorers: Explorers;
  readonly purchases: Purchases;
  readonly payPurchase: PayPurchase;
  readonly findPurchase: FindPurchase;
  readonly budget: PurchaseBudget;
  readonly clock: Clock;
  readonly waiters: Waiters;
  readonly makeLimit: MakeLimit;
}

export function registerPurchases(server: TypedServer, deps: PurchaseRouteDeps): void {
  registerBeginning(server, deps);
  registerPaying(server, deps);
  registerFollowing(server, deps);
}

function registerBeginning(server: TypedServer, deps: PurchaseRouteDeps): void {
  const limit = deps.makeLimit(beginning);
  server.post(path, {
    config: { permission: "buy_credits" },
    schema: {
      operationId: "createPurchase",
      tags: ["Credits"],
      summary: "Start a purchase of credits",
      description:
        "Gives what a wallet signs to pay for it: a transfer of USDC to the treasury, which the service submits. `payer` is the account, or a wallet linked to it; left out, the wallet that is signed in.",
      body: exactly({
        credits: Type.Integer({ minimum: 1, maximum: creditsMax }),
        chainId: ChainIdNumber,
        payer: Type.Optional(AddressInput),
      }),
      response: { 201: PurchaseResponse, ...changing },
    },
    handler: async (request, reply) => {
      const { account, wallet } = sessionOf(request);
      await limit(request, reply, account);
      const { credits, payer } = request.body;
      const chainId = sellingChain(deps, request.body.chainId);
      const outcome = await deps.purchases.create({
        account,
        chainId,
        credits,
        payer: payer === undefined ? wallet : readAddress(payer),
      });
      if (outcome.kind !== "created") throw notCreated(deps, outcome.kind);
      return reply.status(201).send(purchaseResponse(deps, outcome.purchase));
    },
  });
}

function registerPaying(server: TypedServer, deps: PurchaseRouteDeps): void {
  server.post(`${path}/:id/payment`, {
    config: { permission: "buy_credits" },
    schema: {
      operationId: "payPurchase",
      tags: ["Credits"],
      summary: "Pay a purchase",
      description:
        "The same payment shown again gives the purchase as it stands; it is settled once, and credited once it is final.",
      params: PurchaseId,
      body: exactly({
        signature: Type.String({
          pattern: "^0x([0-9a-fA-F]{2})+$",
          maxLength: signatureCharsMax,
        }),
      }),
      response: {
        200: PurchaseResponse,
        ...changeProblems("conflict", "not_found", ...notAdmitted),
      },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { id } = request.params;
      const signature: `0x${string}` = `0x${request.body.signature.slice(2).toLowerCase()}`;
      const paid = await deps.payPurchase({
        account,
        id,
        signature,
        requestId: request.id,
        keylessOf: (chainId) => purchaseTerms(deps.budget, request, chainId),
      });
      const outcome = found(paid, "purchase");
      switch (outcome.kind) {
        case "denied":
          throw gasProblem(deps, outcome.code);
        case "closed":
          throw new HttpProblem("conflict", closedMessage(outcome.purchase));
        case "refused":
          throw new HttpProblem("conflict", refusedMessage(outcome.refusal, outcome.purchase));
        case "purchase":
          return purchaseResponse(deps, outcome.purchase);
        default:
          return outcome satisfies never;
      }
    },
  });
}

function registerFollowing(server: TypedServer, deps: PurchaseRouteDeps): void {
  server.get(path, {
    config: { permission: "read" },
    schema: {
      operationId: "listPurchases",
      tags: ["Credits"],
      summary: "List purchases",
      querystring: exactly({ cursor: Cursor, limit: Limit }),
      response: { 200: pageOf("purchases", PurchaseResponse), ...readProblems() },
    },
    handler: async (request) => {
      const { cursor, limit } = request.query;
      const paging = { from: timeCursor.read(cursor), limit: readLimit(limit) };
      const page = await deps.purchases.list(sessionOf(request).account, paging);
      const purchases = page.items.map((purchase) => purchaseResponse(deps, purchase));
      return { purchases, next: timeCursor.write(page.next) };
    },
  });
  server.get(`${path}/:id`, {
    config: { permission: "read" },
    schema: {
      operationId: "readPurchase",
      tags: ["Credits"],
      summary: "Read a purchase",
      params: PurchaseId,
      description:
        "`wait` holds the answer until something is new; with `while` as long as it is in that state only, so that nothing is slept through between two reads.",
      querystring: exactly({ wait: Wait, while: Type.Optional(PurchaseState) }),
      response: { 200: PurchaseResponse, ...readProblems("not_found") },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const { id } = request.params;
      const waitMs = parseWait(request.query.wait) ?? 0;
      // The waiter is registered before the read, so that no change in between is missed.
      const waiting = deps.waiters.wait(id, "broadcast", waitMs);
      let purchase = await deps.findPurchase(account, id);
      const { while: known } = request.query;
      const hasChanged =
        purchase && (known === undefined ? isResting(purchase) : purchase.state !== known);
      if (purchase && waitMs > 0 && !hasChanged) {
        await waiting.done;
        purchase = await deps.findPurchase(account, id);
      }
      waiting.cancel();
      return purchaseResponse(deps, found(purchase, "purchase"));
    },
  });
  server.delete(`${path}/:id`, {
    config: { permission: "buy_credits" },
    schema: {
      operationId: "cancelPurchase",
      tags: ["Credits"],
      summary: "Cancel a purchase",
      params: PurchaseId,
      response: { 200: PurchaseResponse, ...changing },
    },
    handler: async (request) => {
      const { account } = sessionOf(request);
      const purchase = found(await deps.purchases.cancel(account, request.params.id), "purchase");
      if (purchase.state !== "canceled") {
        throw new HttpProblem("conflict", `The purchase is ${purchase.state} already.`);
      }
      return purchaseResponse(deps, purchase);
    },
  });
}

/** The reason for the buyer why a payment was refused; the most common one in plain words. */
function refusedMessage({ code, message }: Refusal, { payer, units }: CreditPurchase): string {
  // At least cents.
  const price = priceUsdc(units);
  return code === "insufficient_funds"
    ? `${payer} holds less than the ${price} USDC that this costs (${code}). Send USDC to it and sign again, or begin a new purchase from another linked wallet.`
    : `${code}: ${message}`;
}

/** Whether the purchase waits for nothing but, when held, the operator. */
function isResting({ state }: CreditPurchase): boolean {
  return ["held", "credited", "rejected", "failed", "expired", "canceled"].includes(state);
}

export function notCreated(
  { creditTerms }: Pick<PurchaseRouteDeps, "creditTerms">,
  kind: "no_treasury" | "below_minimum" | "payer_not_linked" | "too_many",
): HttpProblem {
  switch (kind) {
    case "no_treasury":
      return new HttpProblem("conflict", "No credits are sold here; ask the operator.");
    case "below_minimum": {
      const least = creditTerms.minUnits / unitsPerCredit;
      return new HttpProblem("invalid_request", `Buy ${least} credits at least.`);
    }
    case "payer_not_linked":
      return new HttpProblem(
        "invalid_request",
        "The payer must be the account's own address or a wallet linked to it, on this chain; link it first.",
      );
    case "too_many":
      return new HttpProblem(
        "conflict",
        `${awaitingMax} purchases wait for payment, as many as may; pay or cancel one first.`,
      );
    default:
      return kind satisfies never;
  }
}

function closedMessage({ state, expiresAt }: CreditPurchase): string {
  const why =
    state === "awaiting_payment" || state === "settling"
      ? `could be paid until ${timeText(expiresAt)}`
      : `is ${state}`;
  return `The purchase ${why}; nothing was sent. Begin a new one.`;
}
