/**
 * A nonce that was taken for a transaction whose bytes are stored already, as when a replacement is
 * planned again by a process that does not know of the first one. Its wallet must not be blocked by it.
 */
import { createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
} from "../support/facilitator.testing.ts";

test("a wallet is worked although a transaction of it repeats the bytes of a stored one", async () => {
  const devnet = await startChain({ relayers: 1 });
  onTestFinished(() => devnet.stop());
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const { address: lane, privateKey } = walletAt(devnet.relayers, 0);
  const { chainId } = devnet;
  const now = Date.now();
  const owner = "a process that has ended";
  const lease = await store.takeWalletLease({
    chainId,
    lane,
    owner,
    nonceFloor: 0,
    leaseMs: 60_000,
    now,
  });
  if (!lease) throw new Error("The wallet is taken.");
  const call = { to: lane, data: "0x", gasLimit: 21_000n, gasPrice: 12_500_000_000n } as const;
  const plan = { settlementIds: [], ...call };
  const [first] = await store.reserveTransactions(lease, [plan], now);
  const [signer] = createSigners({ keys: [new Secret(privateKey)] });
  const bytes = await signer?.sign({ chainId, nonce: 0, ...call });
  if (!first || !bytes) throw new Error("Nothing was reserved and signed.");
  await store.recordSigned(lease, [{ id: first.id, ...bytes }], now);
  await store.replaceTransaction(lease, first.nonce, plan, now);
  await store.releaseWallets(chainId, owner);
  await store.close();

  const served = await serveOn(devnet, { databaseUrl });
  onTestFinished(served.stop);
  const body = bodyOn(devnet);
  await expect
    .poll(async () => (await served.post("/settle", body)).body)
    .toMatchObject({ success: true });
});
