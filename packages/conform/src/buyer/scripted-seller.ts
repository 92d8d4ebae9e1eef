/** The seller that buyers under test pay: its answers to paid requests are those of a case. */
import { once } from "node:events";
import { createServer, type ServerResponse } from "node:http";
import type { Address, JsonObject } from "@farthing/protocol";
import {
  decodeHeader,
  encodeHeader,
  headerNames,
  isObject,
  parsePayment,
} from "@farthing/protocol";
import { network, requirementsV2 } from "../chain/payments.ts";

/** A payment as a buyer sent it. */
export interface SentPayment {
  readonly payment: JsonObject;
  /** Of its authorization; "" where it cannot be read. */
  readonly nonce: string;
  readonly value: bigint;
}

/** `elsewhere` sends the client to another host with what it has sent. */
export type SellerAnswer =
  | "cut"
  | "serve"
  | "challenge"
  | "pending"
  | "refused"
  | "fail"
  | "elsewhere";

export interface ScriptedSeller {
  readonly url: string;
  readonly payments: SentPayment[];
  /** Payments that came to another host, which asked for none. */
  readonly stray: SentPayment[];
  /** Whether the next challenges are of version 1. */
  isVersion1: boolean;
  /** The entries of the next challenges. */
  accepts: readonly JsonObject[];
  extensions: JsonObject | undefined;
  /** What a paid request gets. */
  onPayment: () => SellerAnswer;
  readonly payTo: Address;
  reset(): void;
  stop(): Promise<void>;
}

/** The same machine under another name. */
const otherHost = "localhost";

const reasons = { pending: "settlement_pending", refused: "insufficient_funds" } as const;

/** The content that is paid for. */
export const content = "paid content";

export async function startScriptedSeller(payTo: Address): Promise<ScriptedSeller> {
  const server = createServer((request, response) => {
    request.resume();
    const header = request.headers["payment-signature"] ?? request.headers["x-payment"];
    const isElsewhere = request.headers.host?.startsWith(`${otherHost}:`) === true;
    const received = isElsewhere ? seller.stray : seller.payments;
    if (header !== undefined) received.push(readPayment(String(header)));
    if (isElsewhere) return answer(response, "serve");
    if (header === undefined) return challenge(response);
    answer(response, seller.onPayment());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  const url = `http://127.0.0.1:${address.port}/report`;

  function challenge(response: ServerResponse): void {
    const { accepts, extensions, isVersion1 } = seller;
    const resource = { url, description: "Report", mimeType: "text/plain" };
    const required = {
      x402Version: isVersion1 ? 1 : 2,
      error: "Payment required",
      ...(isVersion1 ? {} : { resource }),
      accepts,
      ...(extensions === undefined ? {} : { extensions }),
    };
    // Version 1 has its challenge in the body alone.
    const header = { [headerNames.paymentRequired]: encodeHeader(required) };
    response.writeHead(402, {
      "content-type": "application/json",
      "cache-control": "no-store",
      ...(isVersion1 ? {} : header),
    });
    response.end(isVersion1 ? JSON.stringify(required) : "{}");
  }

  function answer(response: ServerResponse, how: SellerAnswer): void {
    if (how === "cut") return void response.destroy();
    if (how === "challenge") return challenge(response);
    if (how === "fail") return void response.writeHead(500).end("internal error");
    if (how === "elsewhere") {
      const location = url.replace("127.0.0.1", otherHost);
      return void response.writeHead(307, { location }).end();
    }
    const transaction = `0x${"cd".repeat(32)}`;
    const receipt = { transaction, network: network.id };
    const isServed = how === "serve";
    const told = isServed
      ? { ...receipt, success: true }
      : { ...receipt, success: false, errorReason: reasons[how] };
    const name = seller.isVersion1 ? "x-payment-response" : headerNames.paymentResponse;
    const headers = { [name]: encodeHeader(told) };
    response.writeHead(isServed ? 200 : 402, headers).end(isServed ? content : "{}");
  }

  const seller: ScriptedSeller = {
    url,
    payTo,
    payments: [],
    stray: [],
    isVersion1: false,
    accepts: [requirementsV2(payTo)],
    extensions: undefined,
    onPayment: () => "serve",
    reset() {
      seller.payments.length = 0;
      seller.stray.length = 0;
      seller.isVersion1 = false;
      seller.accepts = [requirementsV2(payTo)];
      seller.extensions = undefined;
      seller.onPayment = () => "serve";
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return seller;
}

function readPayment(header: string): SentPayment {
  const read = decodeHeader(header)?.value;
  const payment = isObject(read) ? read : {};
  const parsed = parsePayment(payment);
  if (!parsed.ok) return { payment, nonce: "", value: 0n };
  const { nonce, value } = parsed.value.authorization;
  return { payment, nonce, value };
}
