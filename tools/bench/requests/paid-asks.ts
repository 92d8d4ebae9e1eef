/** Requests that are paid for: each by itself, by a pass or by a balance. */
import {
  authorizationDigest,
  decodeHeader,
  encodeHeader,
  isObject,
  networkOfChain,
  passHeaders,
  toWireAuthorization,
  type Authorization,
  type JsonObject,
} from "@farthing/protocol";
import { compileSignatures } from "@farthing/protocol/compile-signatures";
import { pay } from "@farthing/seller/testing/buyer";
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { payerOf } from "../payments.ts";
import type { Server } from "../processes.ts";
import type { Ask } from "./http-load.ts";
import { payTo } from "./yes-facilitator.ts";

/** A seller that is measured, and what its routes take. */
export interface Sale {
  readonly name: string;
  readonly server: Server;
  /** Each with a payment of its own. */
  readonly paid: () => Ask;
  /** Of the buyer whose connection it is; each has a pass and a balance. */
  readonly pass: (connection: number) => Ask;
  readonly balance: (connection: number) => Ask;
}

/** Connections of one buyer: many more than a seller lets spend one balance at a time are refused. */
const connectionsOfBuyer = 4;

/** Buys what opens these routes, for so many connections. */
export async function saleOf(
  name: string,
  server: Server,
  paths: Readonly<Record<"paid" | "pass" | "balance", string>>,
  connections: number,
): Promise<Sale> {
  const buyers = Math.ceil(connections / connectionsOfBuyer);
  return {
    name,
    server,
    paid: await paymentsFor(server, paths.paid),
    pass: await openedByBuyers(buyers, server, paths.pass),
    balance: await openedByBuyers(buyers, server, paths.balance),
  };
}

async function openedByBuyers(buyers: number, server: Server, path: string) {
  const asks: Ask[] = [];
  for (let bought = 0; bought < buyers; bought++) asks.push(await openedBy(server, path));
  const [first] = asks;
  if (!first) throw new Error("There is no buyer.");
  return (connection: number) => asks[connection % asks.length] ?? first;
}

/** Buys a pass or tops up a balance, and returns a request with its token. */
async function openedBy({ url }: Server, path: string): Promise<Ask> {
  // A balance belongs to its payer.
  const account = privateKeyToAccount(generatePrivateKey());
  const payment = await pay(await fetch(`${url}${path}`), "v2", { account });
  const response = await fetch(`${url}${path}`, { headers: payment });
  const text = await response.text();
  const token = response.headers.get(passHeaders.token);
  if (token === null) throw new Error(`Nothing was sold: HTTP ${response.status}: ${text}`);
  return { path, headers: { [passHeaders.token]: token }, status: 200 };
}

/** Requests with a payment each, which is signed when it is asked for. */
export async function paymentsFor({ url }: Server, path: string): Promise<() => Ask> {
  await compileSignatures();
  const privateKey = generatePrivateKey();
  const account = privateKeyToAccount(privateKey);
  const payer = payerOf({ address: account.address, privateKey });
  const challenge = await fetch(`${url}${path}`);
  const [first] = Object.entries(await pay(challenge, "v2", { account }));
  if (!first) throw new Error("The challenge cannot be paid.");
  const [name, value] = first;
  const payment = objectOf(decodeHeader(value)?.value);
  const wire = objectOf(objectOf(payment["payload"])["authorization"]);
  const network = networkOfChain(50);
  let made = 0;
  return () => {
    const authorization: Authorization = {
      from: account.address,
      to: payTo,
      value: BigInt(String(wire["value"])),
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1_000)) + validSeconds,
      nonce: `0x${(++made).toString(16).padStart(64, "0")}`,
    };
    const signature = payer.sign(authorizationDigest(network, authorization));
    const payload = { signature, authorization: toWireAuthorization(authorization) };
    return { path, headers: { [name]: encodeHeader({ ...payment, payload }) }, status: 200 };
  };
}

/** Below the longest time that a seller accepts, and longer than a window. */
const validSeconds = 100n;

function objectOf(value: unknown): JsonObject {
  if (!isObject(value)) throw new Error("The challenge cannot be paid.");
  return value;
}
