/** Requests that are paid for: each by itself, by a pass or by a balance. */
import {
  decodeHeader,
  encodeHeader,
  isObject,
  passHeaders,
  type JsonObject,
} from "@farthing/protocol";
import { pay } from "@farthing/seller/testing/buyer";
import type { Server } from "../processes.ts";
import type { Ask } from "./http-load.ts";

/** A seller that is measured, and what its routes take. */
export interface Sale {
  readonly name: string;
  readonly server: Server;
  /** Each with a payment of its own. */
  readonly paid: () => Ask;
  readonly pass: Ask;
  readonly balance: Ask;
}

/** Buys what opens these routes. */
export async function saleOf(
  name: string,
  server: Server,
  paths: Readonly<Record<"paid" | "pass" | "balance", string>>,
): Promise<Sale> {
  return {
    name,
    server,
    paid: await paymentsFor(server, paths.paid),
    pass: await openedBy(server, paths.pass),
    balance: await openedBy(server, paths.balance),
  };
}

/** Buys a pass or tops up a balance, and returns a request with its token. */
async function openedBy({ url }: Server, path: string): Promise<Ask> {
  const payment = await pay(await fetch(`${url}${path}`), "v2");
  const response = await fetch(`${url}${path}`, { headers: payment });
  const text = await response.text();
  const token = response.headers.get(passHeaders.token);
  if (token === null) throw new Error(`Nothing was sold: HTTP ${response.status}: ${text}`);
  return { path, headers: { [passHeaders.token]: token }, status: 200 };
}

/**
 * Requests with a payment each. One is signed; the others have nonces of their own under its signature,
 * which this facilitator does not check, because signing would cost more than what is measured.
 */
export async function paymentsFor({ url }: Server, path: string): Promise<() => Ask> {
  const [[name, value] = ["", ""]] = Object.entries(await pay(await fetch(`${url}${path}`), "v2"));
  const payment = objectOf(decodeHeader(value)?.value);
  const payload = objectOf(payment["payload"]);
  const authorization = objectOf(payload["authorization"]);
  let made = Date.now() * 1_000;
  return () => {
    const nonce = `0x${(made++).toString(16).padStart(64, "0")}`;
    const own = { ...payment, payload: { ...payload, authorization: { ...authorization, nonce } } };
    return { path, headers: { [name]: encodeHeader(own) }, status: 200 };
  };
}

function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new Error("The challenge cannot be paid.");
  return value;
}
