/** Tools that read the owner's ledger and limits, and change nothing. */
import {
  defined,
  type JsonObject,
  explorerLink,
  findNetwork,
  formatUsdc,
  networks,
  type Address,
} from "@farthing/protocol";
import { channelFields } from "../channels/channel-fields.ts";
import type { ChannelRecord } from "../channels/channel-record.ts";
import type { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import * as z from "zod/v4";
import type { Allow } from "../offer/check-offer.ts";
import { openStates, type Ledger, type LedgerRecord } from "../ledger/ledger.ts";
import { dayMs, parseLimits, type LimitsInput } from "../ledger/limits.ts";
import { refuseError, toolResult } from "./tool-result.ts";
import { quoteText } from "../offer/read-challenge.ts";

export interface LedgerToolOptions {
  readonly ledger: Ledger;
  readonly wallet: Address;
  readonly limits: LimitsInput;
  readonly allow: Allow;
  readonly now: () => number;
}

/** More records at once do not help a model. */
const recordsMax = 50;

const listShape = { limit: z.number().int().min(1).max(recordsMax).optional() };
const annotations = { readOnlyHint: true, openWorldHint: false };

/** Adds `limits`, `payments`, `receipts` and `channels`. */
export function addLedgerTools(server: McpServer, options: LedgerToolOptions): void {
  server.registerTool(
    "limits",
    {
      description:
        "The owner's spending limits and what is used of them. Only the owner sets them.",
      annotations,
    },
    () => answering(() => limitFields(options)),
  );
  server.registerTool(
    "payments",
    {
      description: "Payments without an outcome yet, or all of them, the newest first.",
      inputSchema: { ...listShape, state: z.enum(["open", "all"]).optional() },
      annotations,
    },
    ({ limit = recordsMax, state = "open" }) =>
      answering(async () => {
        const records = await options.ledger.list(state === "open" ? openStates : undefined);
        return { payments: newest(records, limit).map(recordFields) };
      }),
  );
  server.registerTool(
    "receipts",
    {
      description: "Payments that were made, with their transactions, the newest first.",
      inputSchema: listShape,
      annotations,
    },
    ({ limit = recordsMax }) =>
      answering(async () => {
        const records = await options.ledger.list(["settled"]);
        return { receipts: newest(records, limit).map(receiptFields) };
      }),
  );
  server.registerTool(
    "channels",
    {
      description:
        "Payment channels: money of the owner that sellers hold for later calls, the newest first. fetch_paid opens them by itself.",
      inputSchema: listShape,
      annotations,
    },
    ({ limit = recordsMax }) =>
      answering(async () => {
        const records = (await options.ledger.listChannels?.()) ?? [];
        return { channels: newest(records, limit).map(shownChannel) };
      }),
  );
}

/** A seller may have chosen the address, and the reason of a stop repeats what it said. */
function shownChannel(record: ChannelRecord): JsonObject {
  const { url, stopped, ...rest } = channelFields(record);
  return {
    ...rest,
    url: quoteText(url),
    ...(stopped !== undefined && { stopped: quoteText(stopped) }),
  };
}

async function answering(read: () => Promise<JsonObject>) {
  try {
    return toolResult(await read());
  } catch (error) {
    return refuseError(error);
  }
}

function newest<T>(records: readonly T[], limit: number): readonly T[] {
  return records.slice(-limit).toReversed();
}

async function limitFields({ ledger, wallet, limits, allow, now }: LedgerToolOptions) {
  const { perCallUnits, perDayUnits, askAboveUnits, ...rest } = parseLimits(limits);
  const { openPaymentsMax, openPaymentsPerHostMax } = rest;
  const used = networks.map(async ({ id, usdc }) => {
    const scope = { wallet, network: id, asset: usdc };
    const { spentUnits, openPayments } = await ledger.usage(scope, now() - dayMs);
    const left = perDayUnits === undefined ? undefined : perDayUnits - spentUnits;
    return {
      network: id,
      spentUsdc: formatUsdc(spentUnits),
      ...(left !== undefined && { leftUsdc: formatUsdc(left > 0n ? left : 0n) }),
      openPayments,
    };
  });
  return {
    perCallUsdc: formatUsdc(perCallUnits),
    perDayUsdc: perDayUnits === undefined ? null : formatUsdc(perDayUnits),
    askOwnerAboveUsdc: formatUsdc(askAboveUnits),
    openPaymentsMax,
    openPaymentsPerHostMax,
    allow,
    last24Hours: await Promise.all(used),
  };
}

/** Without the signature, which is as good as money until it expires. */
function recordFields(record: LedgerRecord): JsonObject {
  const { requestId, state, request, network, transaction, signed } = record;
  const chain = findNetwork(network);
  return {
    requestId,
    state,
    ...(request && { method: request.method, url: quoteText(request.url) }),
    host: record.host,
    payTo: record.payTo,
    amount: record.amountUnits.toString(),
    amountUsdc: formatUsdc(record.amountUnits),
    network,
    asset: record.asset,
    reservedAt: new Date(record.reservedAt).toISOString(),
    ...(signed && { authorizationExpiresAt: new Date(signed.validBefore * 1000).toISOString() }),
    ...defined({
      transaction,
      explorerUrl: chain && transaction && explorerLink(chain, transaction, record.host),
    }),
  };
}

function receiptFields(record: LedgerRecord): JsonObject {
  const { signed, evidence, settledAt, answer } = record;
  return {
    ...recordFields(record),
    payer: record.wallet,
    ...defined({ nonce: signed?.nonce, evidence }),
    ...(settledAt !== undefined && { settledAt: new Date(settledAt).toISOString() }),
    ...(answer && { status: answer.status, bodyHash: answer.bodyHash ?? null }),
  };
}
