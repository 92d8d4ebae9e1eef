/** The table of purchases of credits. */
import {
  decimal,
  integer,
  named,
  nullable,
  optional,
  smallInteger,
  table,
  text,
  walletAddress,
  type Column,
  type KyselyTable,
} from "@farthing/engine/storage";
import { assert } from "@farthing/engine/base";
import { isObject, type ChainId, type Hex } from "@farthing/protocol";
import type { Selectable } from "kysely";
import {
  purchaseTransitions,
  type HoldReason,
  type PurchaseState,
  type PurchaseStep,
} from "./model.ts";

/** The steps of a purchase as JSON, oldest first. */
const steps: Column<PurchaseStep[], string> = {
  type: "text",
  read: (stored) => {
    const value: unknown = JSON.parse(stored);
    assert(Array.isArray(value), "a stored timeline is a list");
    return value.filter(isStep);
  },
  write: (value) => JSON.stringify(value),
};

function isStep(value: unknown): value is PurchaseStep {
  if (!isObject(value)) return false;
  return typeof value["at"] === "number" && String(value["state"]) in purchaseTransitions;
}

const purchase = {
  id: text(),
  account: walletAddress(),
  chainId: smallInteger<ChainId>(),
  payer: nullable(walletAddress()),
  nonce: nullable(text<Hex>()),
  credits: integer(),
  units: decimal(),
  state: text<PurchaseState>(),
  timeline: steps,
  createdAt: integer(),
  expiresAt: integer(),
  updatedAt: integer(),
};

export const newPurchases = table("credit_purchases", purchase);

export const purchaseTable = table("credit_purchases", {
  ...purchase,
  keyId: optional(nullable(text())),
  settlementId: optional(nullable(text())),
  holdReason: optional(nullable(text<HoldReason>())),
  failureMessage: optional(nullable(text())),
  reviewer: optional(nullable(text())),
  reviewNote: optional(nullable(text())),
  transaction: named("transaction_hash", optional(nullable(text<Hex>()))),
  blockNumber: optional(nullable(integer())),
  logIndex: optional(nullable(smallInteger())),
  creditedAt: optional(nullable(integer())),
});

export type CreditPurchaseTable = KyselyTable<typeof purchaseTable>;
export type CreditPurchaseRow = Selectable<CreditPurchaseTable>;

declare module "@farthing/engine/storage" {
  interface Tables {
    credit_purchases: CreditPurchaseTable;
  }
}
