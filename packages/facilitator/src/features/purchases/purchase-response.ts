/** Purchases in responses, with the typed data that a wallet signs to pay. */
import { networkOfChain, walletTypedData } from "@farthing/protocol";
import { linkTo, type Explorers } from "../../http/site/explorers.ts";
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import {
  AddressText,
  AmountText,
  anyObject,
  ChainIdNumber,
  exactly,
  HashText,
  nullable,
  oneOf,
  TimeText,
} from "../../http/messages/schemas.ts";
import { purchaseStates, type CreditPurchase } from "./model.ts";
import type { CreditRouteDeps } from "../credits/routes.ts";
import { purchaseAuthorization } from "./service.ts";

export type PurchaseTerms = Pick<CreditRouteDeps, "treasury" | "creditTerms">;

export const PurchaseState = oneOf(purchaseStates);

export const PurchaseResponse = exactly({
  id: Type.String(),
  state: PurchaseState,
  credits: Type.Integer(),
  amount: AmountText,
  payer: nullable(AddressText),
  payTo: nullable(AddressText),
  chainId: ChainIdNumber,
  network: Type.String({ description: "CAIP-2" }),
  nonce: nullable(HashText),
  validAfter: nullable(Type.String()),
  validBefore: nullable(Type.String({ description: "Unix seconds" })),
  typedData: nullable(
    anyObject("EIP-712, for `eth_signTypedData_v4`; null when there is nothing to sign"),
  ),
  reason: nullable(
    Type.String({ description: "Why it is held, failed or rejected, and what to do" }),
  ),
  reasonCode: nullable(Type.String({ description: "The same for programs" })),
  settlementId: nullable(Type.String()),
  transaction: nullable(HashText),
  explorer: nullable(Type.String({ format: "uri" })),
  timeline: Type.Array(exactly({ state: PurchaseState, at: TimeText })),
  createdAt: TimeText,
  expiresAt: TimeText,
  creditedAt: nullable(TimeText),
  contact: nullable(Type.String({ description: "Where to ask the operator" })),
});

const holdMessages = {
  amount_above_limit:
    "The amount is above the limit for automatic approval. No action needed; the operator reviews it.",
  sender_not_linked:
    "The wallet that paid is no longer linked to this account. The operator reviews it; contact them.",
  amount_mismatch: "The payment differs from the purchase. The operator reviews it; contact them.",
  daily_limit:
    "Daily limit for automatic approval reached. No action needed; the operator reviews it.",
} as const;

function reasonOf(purchase: CreditPurchase) {
  const { state, holdReason, failureMessage, reviewNote } = purchase;
  if (state === "held" && holdReason !== null) {
    return { reason: holdMessages[holdReason], reasonCode: holdReason };
  }
  if (state === "failed") {
    const reason = `${failureMessage ?? ""} No money moved; begin a new purchase.`.trim();
    return { reason, reasonCode: "payment_failed" };
  }
  if (state === "rejected") return { reason: reviewNote, reasonCode: "rejected" };
  return { reason: null, reasonCode: null };
}

export function purchaseResponse(
  { treasury, creditTerms, explorers }: PurchaseTerms & { readonly explorers: Explorers },
  purchase: CreditPurchase,
) {
  const network = networkOfChain(purchase.chainId);
  const { payer, transaction } = purchase;
  const isOpen = purchase.state === "awaiting_payment";
  const authorization =
    isOpen && payer !== null && treasury !== undefined
      ? purchaseAuthorization(purchase, { payer, treasury })
      : undefined;
  const wasCanceled = purchase.timeline.some(({ state }) => state === "canceled");
  const shown = (state: CreditPurchase["state"]) =>
    state === "expired" && wasCanceled ? "canceled" : state;
  return {
    id: purchase.id,
    state: shown(purchase.state),
    credits: purchase.credits,
    amount: purchase.units.toString(),
    payer,
    payTo: treasury ?? null,
    chainId: purchase.chainId,
    network: network.id,
    nonce: authorization?.nonce ?? null,
    validAfter: authorization?.validAfter.toString() ?? null,
    validBefore: authorization?.validBefore.toString() ?? null,
    typedData: authorization ? walletTypedData(network, authorization) : null,
    ...reasonOf(purchase),
    settlementId: purchase.settlementId,
    transaction,
    explorer: linkTo(explorers, purchase.chainId, transaction),
    // Owners do not need to see the expiry of a canceled purchase.
    timeline: purchase.timeline
      .filter(({ state }) => !(state === "expired" && wasCanceled))
      .map(({ state, at }) => ({ state, at: timeText(at) ?? "" })),
    createdAt: timeText(purchase.createdAt) ?? "",
    expiresAt: timeText(purchase.expiresAt) ?? "",
    creditedAt: timeText(purchase.creditedAt),
    contact: creditTerms.contact,
  };
}
