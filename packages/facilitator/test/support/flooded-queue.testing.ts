/**
 * Floods of hostile payments for tests, over HTTP, on a chain whose blocks the test makes: one
 * whenever the relayer has sent what it may, so that the queue is measured and not this machine.
 */
import { hostileFlag, type Devnet, type DevnetWallet } from "@farthing/devnet";
import {
  authorizationDigest,
  networkOfChain,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { expect } from "vitest";
import {
  authorizationOn,
  bodyOn,
  payerAndNonceOf,
  readResponse,
  useLogsOf,
  type Answer,
  type Served,
} from "./facilitator.testing.ts";

/** A surface and the headers with which it is called. */
export interface Caller {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** A payment and who settles it. */
export type SettledBy = readonly [body: JsonObject, caller: Caller];

/** The hosted surface, which asks for no key. */
export const keyless: Caller = { path: "/api/facilitator", headers: {} };

/** Hostile requests at once. */
const callers = 1_000;

/** Blocks that are looked through for a payment: more than any honest one may take. */
const blocksMax = 12;

/** A payment signed by our own digest, which is quicker than the general encoder. */
export function plainPayment(devnet: Devnet, payer: DevnetWallet, to: Address): JsonObject {
  const authorization = authorizationOn(devnet, { payer, authorization: { to } });
  const payload = authorizationDigest(networkOfChain(devnet.chainId), authorization);
  const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey: payer.privateKey }));
  return bodyOn(devnet, { payer, authorization, alter: () => signature });
}

/** Whether a settlement waits. */
export const isPending = ({ body }: Answer) => body["status"] === "pending";

/** Settles what is hostile, so many at once and without sockets. */
export async function flood(
  served: Served,
  bodies: readonly JsonObject[],
  caller = keyless,
): Promise<Answer[]> {
  const settle = async (body: JsonObject) => {
    const response = await served.fetch(`${served.url}${caller.path}/settle`, {
      method: "POST",
      headers: { "content-type": "application/json", prefer: "respond-async", ...caller.headers },
      body: JSON.stringify(body),
    });
    return readResponse(response);
  };
  const answers: Answer[] = [];
  for (let at = 0; at < bodies.length; at += callers) {
    answers.push(...(await Promise.all(bodies.slice(at, at + callers).map(settle))));
  }
  return answers;
}

/**
 * Settles payments, then makes blocks in which contract wallets burn gas, each once `sentMin`
 * transactions wait for it, until all payments are paid; returns after how many blocks each was.
 * `contractsMin`: so many payments of contract wallets have to be among the waiting ones as well, unless
 * all of `payments` are. The service learns of a burned transaction a block later, and blocks that are
 * made before it has sent the next one would count this machine's load.
 */
export async function blocksUntilPaid(
  devnet: Devnet,
  served: Served,
  payments: readonly SettledBy[],
  sentMin: number,
  contractsMin = 0,
): Promise<number[]> {
  const answers = await Promise.all(
    payments.map(([body, { path, headers }]) =>
      // Answered at once: the payment waits.
      served.post(`${path}/settle`, body, { prefer: "respond-async", ...headers }),
    ),
  );
  expect(answers.filter((answer) => !isPending(answer)).map(({ body }) => body)).toEqual([]);
  const since = Number(await devnet.rpc<Hex>("eth_blockNumber"));
  const paidIn = payments.map(() => Number.POSITIVE_INFINITY);
  for (let made = 0; made < blocksMax && paidIn.includes(Number.POSITIVE_INFINITY); made++) {
    await mineHostile(devnet, async () => {
      const waiting = await waitingCalls(devnet);
      const contracts = waiting.filter((input) => input.startsWith(contractTransfer));
      const areSent = payments.every(
        ([body], index) => paidIn[index] !== Number.POSITIVE_INFINITY || isAmong(waiting, body),
      );
      return waiting.length >= sentMin && (areSent || contracts.length >= contractsMin);
    });
    for (const [index, [body]] of payments.entries()) {
      const [log] = await useLogsOf(devnet, body);
      if (log) paidIn[index] = Number(log.blockNumber) - since;
    }
  }
  return paidIn;
}

/** `transferWithAuthorization` with the signature as bytes, as contract wallets are paid from. */
const contractTransfer = "0xcf092995";

/** The calls of all transactions that wait for the next block. */
async function waitingCalls(devnet: Devnet): Promise<string[]> {
  const { pending } = await devnet.rpc<{
    pending: Readonly<Record<Address, Readonly<Record<string, { readonly input: string }>>>>;
  }>("txpool_content");
  return Object.values(pending).flatMap((calls) => Object.values(calls).map(({ input }) => input));
}

function isAmong(calls: readonly string[], body: JsonObject): boolean {
  const { nonce } = payerAndNonceOf(body);
  return calls.some((input) => input.includes(nonce.slice(2)));
}

/**
 * Where plain payers have filled the places of contract wallets, these get the ones that are kept for
 * keyed callers, a minute after the last of those.
 */
const placesFreeMs = 120_000;

async function mineHostile(devnet: Devnet, isReady: () => Promise<boolean>): Promise<void> {
  await expect.poll(isReady, { timeout: placesFreeMs, interval: 20 }).toBe(true);
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x1"]);
  await devnet.mine();
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x0"]);
}

/** Each is told its success. */
export async function expectSuccess(
  served: Served,
  [body, { path, headers }]: SettledBy,
): Promise<void> {
  const answer = await served.post(`${path}/settle`, body, { prefer: "wait=20", ...headers });
  expect(answer.body).toMatchObject({ success: true });
}
