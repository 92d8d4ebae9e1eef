/**
 * Floods of hostile payments for tests, over HTTP, on a chain whose blocks the test makes: one
 * whenever the relayer has sent what it may, so that the queue is measured and not this machine.
 */
import type { Devnet, DevnetWallet } from "@farthing/devnet";
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
  readResponse,
  useLogsOf,
  type Answer,
  type Served,
} from "./facilitator.testing.ts";
import type { HostileBlocks } from "./hostile-blocks.testing.ts";

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

/**
 * Each transaction of a contract wallet is simulated first, which burns all the gas that a payment may
 * use: a slow machine takes ten seconds for it.
 */
const sendsSoon = { interval: 20, timeout: 240_000 } as const;

/** Blocks that are looked through for a payment: on a slow machine each has few contract wallets. */
const blocksMax = 60;

/** A payment signed by our own digest, which is quicker than the general encoder. */
export function plainPayment(devnet: Devnet, payer: DevnetWallet, to: Address): JsonObject {
  const authorization = authorizationOn(devnet, { payer, authorization: { to } });
  const payload = authorizationDigest(networkOfChain(devnet.chainId), authorization);
  const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey: payer.privateKey }));
  return bodyOn(devnet, { payer, authorization, alter: () => signature });
}

/** Whether a settlement waits. */
export const isPending = ({ body }: Answer) => body["status"] === "pending";

/** How often a hostile caller comes back who was told to: more than a slow machine needs. */
const returnsMax = 20;

/** Before a caller comes back, so that the service gets ahead of them: sooner than it asks for. */
const returnPauseMs = 1_000;

/**
 * Settles what is hostile, so many at once and without sockets. Callers come back who are told that the
 * service could not look at their payment: a slow machine tells it to some.
 */
export async function flood(
  served: Served,
  bodies: readonly JsonObject[],
  caller = keyless,
): Promise<Answer[]> {
  const ask = async (body: JsonObject) => {
    const response = await served.fetch(`${served.url}${caller.path}/settle`, {
      method: "POST",
      headers: { "content-type": "application/json", prefer: "respond-async", ...caller.headers },
      body: JSON.stringify(body),
    });
    return readResponse(response);
  };
  const settle = async (body: JsonObject) => {
    let answer = await ask(body);
    for (let returns = 0; returns < returnsMax && isUnavailable(answer); returns++) {
      await new Promise((resolve) => setTimeout(resolve, returnPauseMs));
      answer = await ask(body);
    }
    return answer;
  };
  const answers: Answer[] = [];
  for (let at = 0; at < bodies.length; at += callers) {
    answers.push(...(await Promise.all(bodies.slice(at, at + callers).map(settle))));
  }
  return answers;
}

const isUnavailable = ({ body }: Answer) => body["error"] === "service_unavailable";

export interface FloodedService {
  readonly devnet: Devnet;
  readonly blocks: HostileBlocks;
  readonly served: Served;
}

/** When a payment was mined, after the flood began. */
export interface PaidAfter {
  readonly blocks: number;
  /** Transactions of contract wallets in these blocks. */
  readonly contracts: number;
}

/**
 * Settles payments, then makes blocks in which contract wallets burn gas, each once `sentMin`
 * transactions wait for it, until all payments are paid. On a slow machine plain payers fill places
 * that contract wallets would have, so their turns are counted by their own transactions.
 */
export async function untilPaid(
  { devnet, served, blocks }: FloodedService,
  payments: readonly SettledBy[],
  sentMin: number,
): Promise<PaidAfter[]> {
  const answers = await Promise.all(
    payments.map(([body, { path, headers }]) =>
      // Answered at once: the payment waits.
      served.post(`${path}/settle`, body, { prefer: "respond-async", ...headers }),
    ),
  );
  expect(answers.filter((answer) => !isPending(answer)).map(({ body }) => body)).toEqual([]);
  const waiting = async () => {
    const { pending } = await devnet.rpc<{ pending: Hex }>("txpool_status");
    return Number(pending);
  };
  const paid = payments.map((): PaidAfter | undefined => undefined);
  let contracts = 0;
  for (let made = 1; made <= blocksMax && paid.includes(undefined); made++) {
    await expect.poll(waiting, sendsSoon).toBeGreaterThanOrEqual(sentMin);
    await blocks.make();
    contracts += await countContracts(devnet);
    for (const [index, [body]] of payments.entries()) {
      const [log] = await useLogsOf(devnet, body);
      if (log) paid[index] ??= { blocks: made, contracts };
    }
  }
  return paid.map((after) => after ?? { blocks: Infinity, contracts: Infinity });
}

/** `transferWithAuthorization` with the signature as bytes, as contract wallets are paid from. */
const contractTransfer = "0xcf092995";

/** Counts the transactions of contract wallets in the newest block. */
async function countContracts(devnet: Devnet): Promise<number> {
  const { transactions } = await devnet.rpc<{
    transactions: readonly { readonly input: string }[];
  }>("eth_getBlockByNumber", ["latest", true]);
  return transactions.filter(({ input }) => input.startsWith(contractTransfer)).length;
}

/** Each is told its success. */
export async function expectSuccess(
  served: Served,
  [body, { path, headers }]: SettledBy,
): Promise<void> {
  const answer = await served.post(`${path}/settle`, body, { prefer: "wait=20", ...headers });
  expect(answer.body).toMatchObject({ success: true });
}
