/** The tables of the request log. */
import {
  integer,
  json,
  named,
  nullable,
  smallInteger,
  table,
  text,
  walletAddress,
  type KyselyTable,
} from "@farthing/engine/storage";
import type { KeyMode } from "../../http/access/request-key.ts";
import type { AskedTerms } from "./model.ts";

export const callTable = table("api_calls", {
  account: walletAddress(),
  /** Numbers an account's calls from 1. */
  ordinal: integer(),
  requestId: text(),
  keyId: text(),
  mode: text<KeyMode>(),
  createdAt: integer(),
  method: text(),
  path: text(),
  status: smallInteger(),
  durationMs: integer(),
  code: nullable(text()),
  message: nullable(text()),
  result: nullable(text()),
  settlementId: nullable(text()),
  transaction: named("transaction_hash", nullable(text())),
  asked: json<AskedTerms>(),
});

/** How many calls of an account were ever recorded; the oldest of them are removed. */
export const callCountTable = table("api_call_counts", {
  account: walletAddress(),
  recorded: integer(),
});

declare module "@farthing/engine/storage" {
  interface Tables {
    api_calls: KyselyTable<typeof callTable>;
    api_call_counts: KyselyTable<typeof callCountTable>;
  }
}
