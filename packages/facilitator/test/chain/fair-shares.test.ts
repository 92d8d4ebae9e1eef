/**
 * What strangers can do to the queue: 5,000 payments of hostile payers wait, 100 contract wallets
 * that burn their transaction's gas among them, while an honest seller's buyers pay. Over HTTP, on a
 * real chain whose blocks the test makes, one whenever the relayer has sent what it may.
 */
import { hostileSignature, type Devnet } from "@farthing/devnet";
import type { Address } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import { waitingMax } from "@farthing/engine/source/relayer/queue-capacity";
import {
  bodyOn,
  byContract,
  memberAt,
  newDatabaseUrl,
  oneCent,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import {
  expectSuccess,
  flood,
  isPending,
  keyless,
  plainPayment,
  untilPaid,
  type SettledBy,
} from "../support/flooded-queue.testing.ts";
import { startHostileBlocks, type HostileBlocks } from "../support/hostile-blocks.testing.ts";
import { byHostile, placeHostile } from "../support/hostile-wallets.testing.ts";
import { openStore, type ServiceStore } from "../../src/features/open-store.ts";
import { claimOf, minedIn } from "../stores/store-values.testing.ts";

let devnet: Devnet;
let blocks: HostileBlocks;
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
/** Plain ones that come at once, each with what it may have waiting of the free places: see queue-capacity.ts. */
const latePayersAtOnce = 12;
const freePerPayer = 25;
/** Honest payers, behind the hostile ones among the chain's buyers. */
const honestPayers = 4;
/** Transactions on their way for which a block is made: of eight, two are kept for callers with keys. */
const sentMin = 6;

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
  blocks = await startHostileBlocks(devnet);
  served = await serveOn(devnet, {
    rpcUrl: blocks.rpcUrl,
    selfBuilt: false,
    databaseUrl,
    store,
    env: { FARTHING_PAYER_COUNT: "0", FARTHING_KEYLESS_GAS_PER_DAY: "0" },
  });
});
afterAll(async () => {
  await served?.stop();
  await blocks?.stop();
  await devnet?.stop();
});

const payees = Array.from(
  { length: 100 },
  (_, index): Address => `0x${(index + 1).toString(16).padStart(40, "9")}`,
);

const keyed = () => ({ path: "", headers: bearer });

/** A payment of an honest buyer, by number. */
const byHonest = (index: number) =>
  bodyOn(devnet, { payer: walletAt(devnet.buyers, plainPayers + latePayers + index) });

/** Settlements in the queue. */
async function waiting(): Promise<number> {
  const { networks } = (await served.get("/v1/status")).body;
  return Array.isArray(networks) ? Number(memberAt(Object(networks[0]), "queued")) : 0;
}

/** A payment of a contract wallet became final the day before. */
async function payYesterday(store: ServiceStore, payer: Address): Promise<void> {
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
    plainPayment(devnet, walletAt(devnet.buyers, index % plainPayers), payeeOf(index)),
  );
  const answers = await flood(served, [...contracts, ...plain]);
  expect(answers.filter(isPending).length).toBeGreaterThan(5_000);

  const payments: readonly SettledBy[] = [
    [byHonest(0), keyed()],
    [byHonest(1), keyless],
    // A contract wallet that has paid before; another one waits its turn behind the hostile ones.
    [byContract(devnet), keyless],
  ];
  const [keyedAfter, ...keylessAfter] = await untilPaid(
    { devnet, blocks, served },
    payments,
    sentMin,
  );
  expect(keyedAfter?.blocks).toBeLessThanOrEqual(4);
  for (const after of keylessAfter) expect(after.blocks).toBeLessThanOrEqual(10);
  for (const payment of payments) await expectSuccess(served, payment);
});

test("with more hostile payers keyless ones are told to come again, keyed ones are paid as before", async () => {
  const wallets = await Promise.all(
    Array.from({ length: lateContracts }, () => placeHostile(devnet)),
  );
  const contracts = wallets.map((wallet) => byHostile(devnet, wallet, hostileSignature("flag")));
  const refused = (await flood(served, contracts)).filter((answer) => !isPending(answer));
  for (let accepted = 1, payer = 0; accepted > 0; payer += latePayersAtOnce) {
    expect(payer).toBeLessThan(latePayers);
    const each = Math.ceil((waitingMax - (await waiting())) / freePerPayer) + 1;
    const plain = Array.from({ length: each * latePayersAtOnce }, (_, index) => {
      const late = walletAt(devnet.buyers, plainPayers + payer + (index % latePayersAtOnce));
      return plainPayment(devnet, late, devnet.seller.address);
    });
    const answers = await flood(served, plain);
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
  const payments: readonly SettledBy[] = [
    [byHonest(3), keyed()],
    [byContract(devnet), keyed()],
  ];
  for (const after of await untilPaid({ devnet, blocks, served }, payments, sentMin)) {
    expect(after.blocks).toBeLessThanOrEqual(4);
  }
  for (const payment of payments) await expectSuccess(served, payment);
});

function expectFull({ status, headers, body }: Answer): void {
  expect([status, headers.get("retry-after"), body["error"]]).toEqual([503, "5", "queue_full"]);
}
