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

export type SellerAnswer = "cut" | "serve" | "challenge" | "pending" | "fail";

export interface ScriptedSeller {
  readonly url: string;
  readonly payments: SentPayment[];
  /** The entries of the next challenges. */
  accepts: readonly JsonObject[];
  extensions: JsonObject | undefined;
  /** What a paid request gets. */
  onPayment: () => SellerAnswer;
  readonly payTo: Address;
  reset(): void;
  stop(): Promise<void>;
}

/** The content that is paid for. */
export const content = "paid content";

export async function startScriptedSeller(payTo: Address): Promise<ScriptedSeller> {
  const server = createServer((request, response) => {
    request.resume();
    const header = request.headers["payment-signature"] ?? request.headers["x-payment"];
    if (header === undefined) return challenge(response);
    seller.payments.push(readPayment(String(header)));
    answer(response, seller.onPayment());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port is free");
  const url = `http://127.0.0.1:${address.port}/report`;

  function challenge(response: ServerResponse): void {
    const { accepts, extensions } = seller;
    const required = {
      x402Version: 2,
      error: "Payment required",
      resource: { url, description: "Report", mimeType: "text/plain" },
      accepts,
      ...(extensions === undefined ? {} : { extensions }),
    };
    response.writeHead(402, {
      "content-type": "application/json",
      "cache-control": "no-store",
      [headerNames.paymentRequired]: encodeHeader(required),
    });
    response.end("{}");
  }

  function answer(response: ServerResponse, how: SellerAnswer): void {
    if (how === "cut") return void response.destroy();
    if (how === "challenge") return challenge(response);
    if (how === "fail") return void response.writeHead(500).end("internal error");
    const transaction = `0x${"cd".repeat(32)}`;
    const receipt = { transaction, network: network.id };
    const isServed = how === "serve";
    const told = isServed
      ? { ...receipt, success: true }
      : { ...receipt, success: false, errorReason: "settlement_pending" };
    const headers = { [headerNames.paymentResponse]: encodeHeader(told) };
    response.writeHead(isServed ? 200 : 402, headers).end(isServed ? content : "{}");
  }

  const seller: ScriptedSeller = {
    url,
    payTo,
    payments: [],
    accepts: [requirementsV2(payTo)],
    extensions: undefined,
    onPayment: () => "serve",
    reset() {
      seller.payments.length = 0;
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
