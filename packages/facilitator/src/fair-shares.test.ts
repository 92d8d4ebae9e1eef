/**
 * What strangers can do to the queue: 5,000 payments of 100 hostile payers wait, contract wallets
 * that burn their transaction's gas among them, while an honest seller's buyers pay. Over HTTP, on a
 * real chain whose blocks the test makes.
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
  newDatabaseUrl,
  oneCent,
  readAnswer,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "./facilitator.testing.ts";
import { byHostile, placeHostile } from "./hostile-wallets.testing.ts";
import { openStore } from "./storage/open-store.ts";

let devnet: Devnet;
let served: Served;
let bearer: Record<string, string>;

/** Hostile payers: plain ones, and contract wallets. */
const plainPayers = 50;
const contractPayers = 50;
/** Of each plain payer, and of each contract wallet: of the latter about a thousand may wait. */
const plainPayments = 85;
const contractPayments = 25;
/** Hostile requests at once. */
const callers = 1_000;

beforeAll(async () => {
  devnet = await startChain({ buyers: plainPayers + 2, blockTimeSeconds: 3_600 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
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

const isKeyless = { path: "/api/facilitator/settle", headers: {} };

function settle(body: JsonObject, { path, headers }: typeof isKeyless): Promise<Answer> {
  return served.post(path, body, { prefer: "wait=30", ...headers });
}

/** Settles what is hostile, so many at once and without sockets. */
async function flood(bodies: readonly JsonObject[]): Promise<Answer[]> {
  const answers: Answer[] = [];
  for (let at = 0; at < bodies.length; at += callers) {
    answers.push(...(await Promise.all(bodies.slice(at, at + callers).map(settleInside))));
  }
  return answers;
}

async function settleInside(body: JsonObject): Promise<Answer> {
  const response = await served.fetch(`${served.url}${isKeyless.path}`, {
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

const headOf = async () => Number(await devnet.rpc<Hex>("eth_blockNumber"));

/** Makes a block in which contract wallets burn gas, once the relayer has sent what it may. */
async function mineHostile(): Promise<void> {
  await expect.poll(waitingForBlock, { timeout: 20_000, interval: 20 }).toBeGreaterThan(5);
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x1"]);
  await devnet.mine();
  await devnet.rpc("anvil_setBalance", [hostileFlag, "0x0"]);
}

/** The blocks that payments which are being settled are in, once all of them are paid. */
async function blocksOf(settling: readonly Promise<Answer>[]): Promise<number[]> {
  let answered = 0;
  for (const one of settling) void one.then(() => answered++);
  for (let blocks = 0; blocks < 30 && answered < settling.length; blocks++) await mineHostile();
  const answers = await Promise.all(settling);
  expect(answers.map(({ body }) => body["success"])).toEqual(settling.map(() => true));
  return Promise.all(
    answers.map(async ({ body }) => {
      const hash = body["transaction"];
      const receipt = await devnet.rpc<{ blockNumber: Hex }>("eth_getTransactionReceipt", [hash]);
      return Number(receipt.blockNumber);
    }),
  );
}

test("5,000 hostile payments wait: a keyed one is paid within four blocks, a keyless within ten", async () => {
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

  const since = await headOf();
  const [buyer, other] = [plainPayers, plainPayers + 1] as const;
  const keyed = { path: "/settle", headers: bearer };
  const blocks = await blocksOf([
    settle(bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) }), isKeyless),
    settle(bodyOn(devnet, { payer: walletAt(devnet.buyers, other) }), keyed),
  ]);
  const [keylessBlocks = 0, keyedBlocks = 0] = blocks.map((block) => block - since);
  expect(keyedBlocks).toBeLessThanOrEqual(4);
  expect(keylessBlocks).toBeLessThanOrEqual(10);
}, 60_000);

test("with more hostile payers keyless ones are told to come again, keyed ones are paid as before", async () => {
  // About as many as the contract wallets' share of the queue has places left, and more.
  const wallets = await Promise.all(Array.from({ length: 40 }, () => placeHostile(devnet)));
  const bodies = wallets.map((wallet) => byHostile(devnet, wallet, hostileSignature("flag")));
  const refused = (await flood(bodies)).filter((answer) => !isPending(answer));
  expect(refused.length).toBeGreaterThan(0);
  for (const { status, headers, body } of refused) {
    expect([status, headers.get("retry-after"), body["error"]]).toEqual([503, "5", "queue_full"]);
  }
  const since = await headOf();
  const payer = walletAt(devnet.buyers, plainPayers);
  const keyed = { path: "/settle", headers: bearer };
  const [block = 0] = await blocksOf([settle(bodyOn(devnet, { payer }), keyed)]);
  expect(block - since).toBeLessThanOrEqual(4);
}, 60_000);
