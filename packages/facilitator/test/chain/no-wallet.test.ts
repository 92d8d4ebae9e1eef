/**
 * While no relayer wallet can take work every surface says so before anything is claimed, also to a
 * buyer of credits; when one can again, the same payments go through.
 */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createApiKey } from "../../src/features/api-keys/key-text.ts";
import { systemClock } from "@farthing/engine/base";
import { openSignedIn } from "../support/browser.testing.ts";
import {
  bodyOn,
  memberAt,
  newDatabaseUrl,
  serveOn,
  startChain,
  walletAt,
  type Answer,
  type Served,
} from "../support/facilitator.testing.ts";
import {
  beginPurchase,
  payPurchase,
  readPurchase,
  signPurchase,
} from "../../src/features/purchases/purchases.testing.ts";
import { openStore } from "../../src/features/open-store.ts";

let devnet: Devnet;
let served: Served;
let key: Record<string, string>;

beforeAll(async () => {
  devnet = await startChain({ buyers: 4 });
  const databaseUrl = newDatabaseUrl();
  const store = await openStore(databaseUrl);
  const account = devnet.seller.address;
  const made = await createApiKey(store, systemClock, { account, mode: "test", label: "t" });
  key = { authorization: `Bearer ${made.text}` };
  const env = {
    FARTHING_TREASURY: devnet.treasury.address,
    FARTHING_CREDITS_PER_SETTLEMENT: "0",
  };
  served = await serveOn(devnet, { selfBuilt: false, databaseUrl, store, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const payment = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });
const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);

async function fund(wei: bigint): Promise<void> {
  await devnet.rpc("anvil_setBalance", [served.relayer, `0x${wei.toString(16)}`]);
}

/** Makes a block, and asks how many wallets can take work. */
async function usableAfterBlock(): Promise<unknown> {
  await devnet.mine();
  const { networks } = (await served.get("/v1/status")).body;
  return Array.isArray(networks) ? memberAt(Object(networks[0]), "lanesUsable") : undefined;
}

function expectUnable({ status, headers, body }: Answer): void {
  expect([status, headers.get("retry-after")]).toEqual([503, "5"]);
  expect(body).toMatchObject({
    error: "no_wallet",
    message: expect.stringMatching(/^No relayer wallet can send .* nothing was claimed/),
    retryable: true,
  });
}

test("each surface and purchases answer 503 with Retry-After; later the same payments are settled", async () => {
  const wallet = walletAt(devnet.buyers, 3);
  const browser = await openSignedIn(served, { wallet });
  const purchase = await beginPurchase(browser);
  const signature = signPurchase(purchase, wallet);
  const surfaces = [
    { path: "", headers: key, body: payment(0) },
    { path: "/api/facilitator", headers: {}, body: payment(1) },
  ];
  // A wallet with something on its way is looked at with each block.
  await automine(false);
  await served.post("/settle", payment(2), { ...key, prefer: "respond-async" });
  await fund(0n);
  await automine(true);
  await expect.poll(usableAfterBlock).toBe(0);

  for (const { path, headers, body } of surfaces) {
    const verified = await served.post(`${path}/verify`, body, headers);
    expectUnable(verified);
    expect(verified.body).toMatchObject({ isValid: false, invalidReason: "service_unavailable" });
    const settled = await served.post(`${path}/settle`, body, headers);
    expectUnable(settled);
    expect(settled.body).toMatchObject({ success: false, errorReason: "service_unavailable" });
  }
  expectUnable(await payPurchase(browser, purchase, signature));
  // As before: a page that is loaded anew can have it signed again.
  const { state, typedData } = purchase;
  expect(await readPurchase(browser, purchase)).toMatchObject({ state, typedData });

  await fund(10n ** 20n);
  const isAble = async () => {
    await devnet.mine();
    return (await served.post("/verify", payment(2), key)).status;
  };
  await expect.poll(isAble).toBe(200);
  for (const { path, headers, body } of surfaces) {
    const settled = await served.post(`${path}/settle`, body, { ...headers, prefer: "wait=20" });
    expect(settled.body).toMatchObject({ success: true });
  }
  expect((await payPurchase(browser, purchase, signature)).body).toMatchObject({
    state: "settling",
  });
});
