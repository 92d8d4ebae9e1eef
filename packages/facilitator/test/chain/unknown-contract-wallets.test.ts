/**
 * A contract wallet that has never paid before, among a hundred that burn the gas of their
 * transactions and cannot be told from it: with four relayer wallets it is paid within ten blocks, and
 * hostile payments with a key delay no other account.
 */
import { hostileSignature, type Devnet } from "@farthing/devnet";
import type { Address } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import {
  bodyOn,
  byContract,
  newDatabaseUrl,
  oneCent,
  serveOn,
  startChain,
  walletAt,
  type Served,
} from "../support/facilitator.testing.ts";
import {
  expectSuccess,
  flood,
  isPending,
  keyless,
  plainPayment,
  untilPaid,
  type Caller,
  type SettledBy,
} from "../support/flooded-queue.testing.ts";
import { startHostileBlocks, type HostileBlocks } from "../support/hostile-blocks.testing.ts";
import { byHostile, placeHostile } from "../support/hostile-wallets.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

const relayers = 4;
/** Of eight transactions of a wallet two are kept for callers with keys. */
const sentMin = relayers * 6;
/** And three are for payments of contract wallets without history and without a key. */
const contractsPerBlock = relayers * 3;
const hostileWallets = 100;
const hostilePayments = 2;
/**
 * Plain payers and what each sends: enough to fill twice the blocks that the test needs, because on a
 * slow machine plain payers take places of contract wallets.
 */
const plainPayers = 16;
const plainPayments = 80;
/** Small, so that so many fill the blocks. */
const batchMax = "4";

let devnet: Devnet;
let blocks: HostileBlocks;
let served: Served;
let honest: Caller;
let hostile: Caller;

beforeAll(async () => {
  devnet = await startChain({ buyers: plainPayers + 2, relayers, blockTimeSeconds: 3_600 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const callerOf = async (account: Address): Promise<Caller> => {
    const { text } = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
    return { path: "", headers: { authorization: `Bearer ${text}` } };
  };
  honest = await callerOf(devnet.seller.address);
  hostile = await callerOf(walletAt(devnet.buyers, plainPayers).address);
  blocks = await startHostileBlocks(devnet);
  served = await serveOn(devnet, {
    rpcUrl: blocks.rpcUrl,
    selfBuilt: false,
    wallets: Array.from({ length: relayers }, (_, index) => index),
    databaseUrl,
    store,
    env: { FARTHING_BATCH_MAX: batchMax },
  });
});
afterAll(async () => {
  await served?.stop();
  await blocks?.stop();
  await devnet?.stop();
});

/** Payments of a hundred new hostile wallets to a payee, and of plain payers, all of them waiting. */
async function floodFrom(caller: Caller, payee: Address): Promise<void> {
  const wallets = await Promise.all(
    Array.from({ length: hostileWallets }, () => placeHostile(devnet, oneCent * 10n)),
  );
  const contracts = Array.from({ length: hostilePayments }, () => wallets)
    .flat()
    .map((wallet) => byHostile(devnet, wallet, hostileSignature("flag"), { to: payee }));
  const plain = Array.from({ length: plainPayers * plainPayments }, (_, index) =>
    plainPayment(devnet, walletAt(devnet.buyers, index % plainPayers), payee),
  );
  const answers = await flood(served, [...contracts, ...plain], caller);
  expect(answers.filter((answer) => !isPending(answer))).toEqual([]);
}

test("among 100 hostile ones without a key it is paid within ten blocks, with a key within four", async () => {
  await floodFrom(keyless, devnet.seller.address);
  const bought = bodyOn(devnet, { payer: walletAt(devnet.buyers, plainPayers + 1) });
  const payments: readonly SettledBy[] = [
    [bought, honest],
    [byContract(devnet), keyless],
  ];
  const [keyed, unknown] = await untilPaid({ devnet, blocks, served }, payments, sentMin);
  expect(keyed?.blocks).toBeLessThanOrEqual(4);
  expect(unknown?.contracts).toBeLessThanOrEqual(10 * contractsPerBlock);
  for (const payment of payments) await expectSuccess(served, payment);
});

test("a hostile account's payments of as many wallets delay another account by four blocks at most", async () => {
  await floodFrom(hostile, walletAt(devnet.buyers, plainPayers).address);
  const bought = bodyOn(devnet, { payer: walletAt(devnet.buyers, plainPayers + 1) });
  const payments: readonly SettledBy[] = [
    [bought, honest],
    [byContract(devnet), honest],
  ];
  for (const after of await untilPaid({ devnet, blocks, served }, payments, sentMin)) {
    expect(after.blocks).toBeLessThanOrEqual(4);
  }
  for (const payment of payments) await expectSuccess(served, payment);
});
