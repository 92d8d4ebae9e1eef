/**
 * What strangers can do to the queue: 5,000 payments of hostile payers wait, 100 contract wallets
 * that burn their transaction's gas among them, while an honest seller's buyers pay. Over HTTP, on a
 * real chain whose blocks the test makes, one whenever the relayer has sent what it may.
 */
import { hostileFlag, hostileSignature, type Devnet, type DevnetWallet } from "@farthing/devnet";
import {
  authorizationDigest,
  networkOfChain,
  type Address,
  type Hex,
  type JsonObject,
} from "@farthing/protocol";
import * as Secp256k1 from "ox/Secp256k1";
import * as Signature from "ox/Signature";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "./accounts/api-keys.ts";
import { systemClock } from "./base/clock.ts";
import {
  authorizationOn,
  bodyOn,
  byContract,
  memberAt,
  newDatabaseUrl,
  oneCent,
  readAnswer,
  serveOn,
  startChain,
  useLogsOf,
  walletAt,
  type Answer,
  type Served,
} from "./facilitator.testing.ts";
import { byHostile, placeHostile } from "./hostile-wallets.testing.ts";
import { openStore } from "./storage/open-store.ts";
import { waitingMax } from "./relayer/waiting-room.ts";
import { claimOf, minedIn } from "./storage/store-values.testing.ts";
import type { Store } from "./storage/store.ts";

let devnet: Devnet;
let served: Served;
let bearer: Record<string, string>;

/** Hostile payers: plain ones, and contract wallets. */
const plainPayers = 50;
const contractPayers = 100;
/** Of each plain payer, and of each contract wallet: of the latter about a thousand may wait. */
const plainPayments = 85;
const contractPayments = 12;
/** Hostile payers who come later, more than the queue has places for: contract wallets, and plain ones. */
const lateContracts = 300;
const latePayers = 240;
/** Plain ones that come at once, each with what it may have waiting of the free places: see waiting-room.ts. */
const latePayersAtOnce = 12;
const freePerPayer = 25;
/** Honest payers, behind the hostile ones among the chain's buyers. */
const honestPayers = 4;
/** Hostile requests at once. */
const callers = 1_000;

beforeAll(async () => {
  devnet = await startChain({
    buyers: plainPayers + latePayers + honestPayers,
    blockTimeSeconds: 3_600,
  });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  await payYesterday(store, devnet.smartWallet.address);
  const key = { account: devnet.seller.address, mode: "test", label: "t" } as const;
  bearer = { authorization: `Bearer ${(await createApiKey(store, systemClock, key)).text}` };
  served = await serveOn(devnet, {
    selfBuilt: false,
    databaseUrl,
    store,
    env: { FARTHING_PAYER_COUNT: "0", FARTHING_KEYLESS_GAS_PER_DAY: "0" },
  });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const payees = Array.from(
  { length: 100 },
  (_, index): Address => `0x${(index + 1).toString(16).padStart(40, "9")}`,
);

/** A payment signed by our own digest, which is quicker than the general encoder. */
function plainPayment(payer: DevnetWallet, to: Address): JsonObject {
  const authorization = authorizationOn(devnet, { payer, authorization: { to } });
  const payload = authorizationDigest(networkOfChain(devnet.chainId), authorization);
  const signature = Signature.toHex(Secp256k1.sign({ payload, privateKey: payer.privateKey }));
  return bodyOn(devnet, { payer, authorization, alter: () => signature });
}

const keyless = { path: "/api/facilitator", headers: {} };
const keyed = () => ({ path: "", headers: bearer });

/** Answered at once: the payment waits. */
function settle(body: JsonObject, { path, headers }: typeof keyless): Promise<Answer> {
  return served.post(`${path}/settle`, body, { prefer: "respond-async", ...headers });
}

/** A payment of an honest buyer, by number. */
const byHonest = (index: number) =>
  bodyOn(devnet, { payer: walletAt(devnet.buyers, plainPayers + latePayers + index) });

/** Settles what is hostile, so many at once and without sockets. */
async function flood(bodies: readonly JsonObject[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < bodies.length; at += callers) {
    answers.push(...(await Promise.all(bodies.slice(at, at + callers).map(settleInside))));
  }
  return answers;
}

async function settleInside(body: JsonObject): Promise<Answer> {
  const response = await served.fetch(`${served.url}${keyless.path}/settle`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "respond-async" },
    body: JSON.stringify(body),
  });
  return readAnswer(response);
}

const isPending = ({ body }: Answer) => body["status"] === "pending";

/** Transactions that wait for a block. */
async function waitingForBlock(): Promise<number> {
  const { pending } = await devnet.rpc<{ pending: Hex }>("txpool_status");
  return Number(pending);
}

/** Settlements in the queue. */
async function waiting(): Promise<number> {
  const { networks } = (await served.get("/v1/status")).body;
  return Array.isArray(networks) ? Number(memberAt(Object(networks[0]), "queued")) : 0;
}

const headOf = async () => Number(await devnet.rpc<Hex>("eth_blockNumber"));

/** Makes a block in which contract wallets burn gas, once the relayer has sent what it may. */
async function mineHostile(): Promise<void> {
  await expect.poll(waitingForBlock, { timeout: 20_000, interval: 20 }).toBeGreaterThan(5);
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x1"]);
  await devnet.mine();
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x0"]);
}

/** Blocks that are looked through for a payment: more than any honest one may take. */
const blocksMax = 12;

/**
 * Settles payments, then makes blocks until all are paid; returns after how many blocks each was. None
 * is made before they wait, so that it is the queue that is measured and not this machine.
 */
async function blocksUntilPaid(
  payments: readonly (readonly [JsonObject, typeof keyless])[],
): Promise<number[]> {
  const answers = await Promise.all(payments.map(([body, surface]) => settle(body, surface)));
  expect(answers.filter((answer) => !isPending(answer)).map(({ body }) => body)).toEqual([]);
  const since = await headOf();
  const paidIn = payments.map(() => Number.POSITIVE_INFINITY);
  for (let made = 0; made < blocksMax && paidIn.includes(Number.POSITIVE_INFINITY); made++) {
    await mineHostile();
    for (const [index, [body]] of payments.entries()) {
      const [log] = await useLogsOf(devnet, body);
      if (log) paidIn[index] = Number(log.blockNumber) - since;
    }
  }
  return paidIn;
}

/** Each is told its success. */
async function expectSuccess([body, { path, headers }]: readonly [JsonObject, typeof keyless]) {
  const answer = await served.post(`${path}/settle`, body, { prefer: "wait=20", ...headers });
  expect(answer.body).toMatchObject({ success: true });
}

/** A payment of a contract wallet became final the day before. */
async function payYesterday(store: Store, payer: Address): Promise<void> {
  const yesterday = Date.now() - 24 * 60 * 60 * 1_000;
  const claim = claimOf({ payer, payerHasCode: true });
  await store.claimSettlements([claim], yesterday);
  await store.recordConfirmed([{ id: claim.id, mined: minedIn(0) }], yesterday);
  await store.recordFinalized(claim.chainId, 0, yesterday);
}

test("5,000 hostile payments wait: keyed ones are paid within four blocks, keyless ones within ten", async () => {
  const wallets = await Promise.all(
    Array.from({ length: contractPayers }, () => placeHostile(devnet, oneCent * 100n)),
  );
  // Every other one pays the payee of the honest payments.
  const payeeOf = (index: number) =>
    (index % 2 === 0 ? payees[index % payees.length] : undefined) ?? devnet.seller.address;
  const contracts = wallets.flatMap((wallet, payer) =>
    Array.from({ length: contractPayments }, (_, index) =>
      byHostile(devnet, wallet, hostileSignature("flag"), { to: payeeOf(payer + index) }),
    ),
  );
  const plain = Array.from({ length: plainPayers * plainPayments }, (_, index) =>
    plainPayment(walletAt(devnet.buyers, index % plainPayers), payeeOf(index)),
  );
  const answers = await flood([...contracts, ...plain]);
  expect(answers.filter(isPending).length).toBeGreaterThan(5_000);

  const payments = [
    [byHonest(0), keyed()],
    [byHonest(1), keyless],
    // A contract wallet that has paid before; another one waits its turn behind the hostile ones.
    [byContract(devnet), keyless],
  ] as const;
  const [keyedBlocks, ...keylessBlocks] = await blocksUntilPaid(payments);
  expect(keyedBlocks).toBeLessThanOrEqual(4);
  for (const blocks of keylessBlocks) expect(blocks).toBeLessThanOrEqual(10);
  for (const payment of payments) await expectSuccess(payment);
}, 240_000);

test("with more hostile payers keyless ones are told to come again, keyed ones are paid as before", async () => {
  const wallets = await Promise.all(
    Array.from({ length: lateContracts }, () => placeHostile(devnet)),
  );
  const contracts = wallets.map((wallet) => byHostile(devnet, wallet, hostileSignature("flag")));
  const refused = (await flood(contracts)).filter((answer) => !isPending(answer));
  for (let accepted = 1, payer = 0; accepted > 0; payer += latePayersAtOnce) {
    expect(payer).toBeLessThan(latePayers);
    const each = Math.ceil((waitingMax - (await waiting())) / freePerPayer) + 1;
    const plain = Array.from({ length: each * latePayersAtOnce }, (_, index) => {
      const late = walletAt(devnet.buyers, plainPayers + payer + (index % latePayersAtOnce));
      return plainPayment(late, devnet.seller.address);
    });
    const answers = await flood(plain);
    accepted = answers.filter(isPending).length;
    refused.push(...answers.filter((answer) => !isPending(answer)));
  }
  for (const answer of refused) expectFull(answer);
  // Whoever comes now, on whatever route.
  for (const body of [byHonest(2), byContract(devnet)]) {
    for (const route of ["verify", "settle"]) {
      expectFull(await served.post(`${keyless.path}/${route}`, body));
    }
  }
  const payments = [
    [byHonest(3), keyed()],
    [byContract(devnet), keyed()],
  ] as const;
  for (const blocks of await blocksUntilPaid(payments)) expect(blocks).toBeLessThanOrEqual(4);
  for (const payment of payments) await expectSuccess(payment);
}, 240_000);

function expectFull({ status, headers, body }: Answer): void {
  expect([status, headers.get("retry-after"), body["error"]]).toEqual([503, "5", "queue_full"]);
}
