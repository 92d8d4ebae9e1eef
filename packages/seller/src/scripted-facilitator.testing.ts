/**
 * A facilitator for tests, over real HTTP. Left alone it does what an honest one does, without a
 * chain: it checks signatures, settles each payment once and marks repeats. A test scripts single
 * calls to go wrong: another answer, a cut connection, no answer at all.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import {
  defined,
  isSameAddress,
  isSignedByPayer,
  parsePaymentRequest,
  type PaymentRequest,
} from "@farthing/protocol";
import { addressOf } from "./adapters/listen.testing.ts";
import type { Hex } from "@farthing/protocol";
import type { SaleBooks } from "./sale-books.ts";

/** One call as it arrived. */
export interface Call {
  readonly operation: "verify" | "settle" | "settlement";
  readonly url: string;
  readonly authorization: string | undefined;
  /** `Idempotency-Key`. */
  readonly exchangeKey?: string | undefined;
  /** `traceparent` and `tracestate`, where a call has one of them. */
  readonly trace?: readonly (string | undefined)[] | undefined;
  /** `X-Payment-Route` and `X-Payment-Reference` of a `/settle`. */
  readonly books?: SaleBooks | undefined;
  readonly body: unknown;
}

/** What a call gets. `honest` is the answer without a script. */
export type Reply =
  | "honest"
  | "cut"
  | "hang"
  | {
      readonly status?: number;
      readonly json?: unknown;
      readonly text?: string;
      readonly headers?: Record<string, string>;
    };

/** A reply, or what makes one when the call comes. */
export type Step = Reply | ((call: Call) => Reply | Promise<Reply>);

/** The scripted facilitator. */
export interface ScriptedFacilitator {
  readonly url: string;
  readonly calls: Call[];
  /** Replies for the next calls of each kind, in order. */
  readonly script: Record<Call["operation"], Step[]>;
  /** By how much its time is ahead of this machine's; undefined: its responses name none. */
  aheadMs: number | undefined;
  /** How often money moved. */
  transfers(): number;
  operations(): string[];
  close(): Promise<void>;
}

/** The hash of every transfer here. */
export const transferHash: Hex = `0x${"cd".repeat(32)}`;

/** A pending settle answer, as a facilitator gives it. */
export function pendingReply(settlementId?: string, transaction: string = transferHash) {
  return {
    json: {
      ...(settlementId === undefined ? {} : { id: settlementId, status: "pending" }),
      success: false,
      errorReason: "settlement_pending",
      transaction,
      network: "eip155:50",
      ...(settlementId === undefined ? {} : { extra: { settlementId } }),
    },
  };
}

/** A confirmed settle answer. */
export function confirmedReply(more: Record<string, unknown> = {}) {
  return { json: { success: true, transaction: transferHash, network: "eip155:50", ...more } };
}

/** Starts a scripted facilitator on a free port. */
export async function startScriptedFacilitator(): Promise<ScriptedFacilitator> {
  const calls: Call[] = [];
  const script: ScriptedFacilitator["script"] = { verify: [], settle: [], settlement: [] };
  const settled = new Map<string, string | undefined>();
  // A server handles requests outside of the test that started it; steps of its script run in it.
  const inTest = AsyncLocalStorage.snapshot();

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const call = await readCall(req);
    calls.push(call);
    const step = script[call.operation].shift() ?? "honest";
    const reply = typeof step === "function" ? await inTest(step, call) : step;
    if (reply === "cut") return void req.socket.destroy();
    if (reply === "hang") return;
    const {
      status = 200,
      json,
      text,
      headers,
    } = reply === "honest" ? honest(call, settled) : reply;
    const { aheadMs } = facilitator;
    const date = aheadMs === undefined ? "" : new Date(Date.now() + aheadMs).toUTCString();
    res.writeHead(status, { date, "content-type": "application/json", ...headers });
    res.end(text ?? JSON.stringify(json));
  }

  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const facilitator: ScriptedFacilitator = {
    url: addressOf(server),
    calls,
    script,
    aheadMs: 0,
    transfers: () => settled.size,
    operations: () => calls.map(({ operation }) => operation),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return facilitator;
}

function traceIn({ headers }: IncomingMessage): Call["trace"] {
  const trace = [headers["traceparent"], headers["tracestate"]].map((one) => one?.toString());
  return trace.some((one) => one !== undefined) ? trace : undefined;
}

async function readCall(req: IncomingMessage): Promise<Call> {
  let text = "";
  for await (const chunk of req) text += String(chunk);
  const url = req.url ?? "";
  const operation = (["verify", "settle"] as const).find((name) => url === `/${name}`);
  return {
    operation: operation ?? "settlement",
    url,
    authorization: req.headers.authorization,
    exchangeKey: req.headers["idempotency-key"]?.toString(),
    trace: traceIn(req),
    books: operation === "settle" ? booksIn(req) : undefined,
    body: text === "" ? undefined : JSON.parse(text),
  };
}

function booksIn({ headers }: IncomingMessage): SaleBooks {
  return defined({
    route: headers["x-payment-route"]?.toString(),
    reference: headers["x-payment-reference"]?.toString(),
  });
}

/** The answer of an honest facilitator; `settled` has the exchange key of each payment's claim. */
function honest(call: Call, settled: Map<string, string | undefined>): Exclude<Reply, string> {
  if (call.operation === "settlement") return { status: 404, json: { error: "not_found" } };
  const parsed = parsePaymentRequest(call.body);
  if (!parsed.ok) throw new Error(`The seller sent ${parsed.refusal.message}`);
  const { payment, requirements } = parsed.value;
  const { from, nonce } = payment.authorization;
  const refused = refusalOf(parsed.value);
  const isUsed = settled.has(from + nonce);
  if (call.operation === "verify") {
    const invalidReason = refused ?? (isUsed ? "nonce_already_used" : undefined);
    return { json: { isValid: invalidReason === undefined, payer: from, invalidReason } };
  }
  const network = requirements.networkName;
  if (refused) return { json: { success: false, errorReason: refused, transaction: "", network } };
  const { exchangeKey } = call;
  const isOwn = exchangeKey !== undefined && settled.get(from + nonce) === exchangeKey;
  if (!isUsed) settled.set(from + nonce, exchangeKey);
  const settlementId = `s-${nonce.slice(2, 10)}`;
  const facts = { transaction: transferHash, network, payer: from };
  if (isUsed && !isOwn && exchangeKey !== undefined) {
    const extra = { settlementId, replayed: true };
    const told = { success: false, errorReason: "already_settled", status: "confirmed" };
    return { json: { ...told, ...facts, extra } };
  }
  const repeat = isUsed ? { replayed: true, ...(isOwn ? { ownExchange: true } : {}) } : {};
  return { json: { success: true, ...facts, extra: { settlementId, ...repeat } } };
}

function refusalOf({ payment, requirements }: PaymentRequest): string | undefined {
  const { authorization, signature, network } = payment;
  if (!isSignedByPayer(network, authorization, signature)) return "invalid_signature";
  if (authorization.value !== requirements.amount) return "amount_mismatch";
  return isSameAddress(authorization.to, requirements.payTo) ? undefined : "pay_to_mismatch";
}
