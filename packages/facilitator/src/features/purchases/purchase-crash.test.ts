/**
 * `kill -9` at every step of a purchase, from the first signature to the credit. After a restart on
 * the same database the credits are there once, and the money moved once.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { programFile } from "@farthing/lab/programs";
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openSignedIn } from "../../../test/support/browser.testing.ts";
import {
  bodyOn,
  environmentOn,
  hexAt,
  newDatabaseUrl,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
} from "../../../test/support/facilitator.testing.ts";
import {
  availableOf,
  beginPurchase,
  payPurchase,
  purchaseIn,
  signPurchase,
} from "./purchases.testing.ts";
import { openStore } from "../open-store.ts";

/** Where it dies, and what the purchase is by then. */
const crashes = [
  ["after:movePurchase:settling", "settling"],
  ["after:claimSettlements", "settling"],
  ["after:recordFinalized", "settling"],
  ["after:movePurchase:confirmed", "confirmed"],
  ["before:movePurchase:credited", "confirmed"],
  ["after:movePurchase:credited", "credited"],
] as const;

let devnet: Devnet;
beforeAll(async () => {
  devnet = await startChain({
    buyers: crashes.length,
    relayers: crashes.length,
    blockTimeSeconds: 1,
  });
});
afterAll(() => devnet?.stop());

const runner = programFile(new URL("../../../test/crash/crash-runner.testing.ts", import.meta.url));
const env = () => ({ FARTHING_TREASURY: devnet.treasury.address });

/** Buys from a facilitator that dies on the way; gives what was begun, and how it was paid. */
async function buyAndDie(step: string, index: number, databaseUrl: string) {
  const wallet = walletAt(devnet.buyers, index);
  const child = spawn(
    process.execPath,
    ["--conditions=@farthing/source", runner, step, "accounts"],
    {
      env: {
        ...environmentOn(devnet, { wallets: [index], databaseUrl, env: env() }),
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = once(child, "exit");
  const [url] = await Promise.race([once(createInterface({ input: child.stdout }), "line"), ended]);
  const browser = await openSignedIn({ url: String(url) }, { wallet });
  const purchase = await beginPurchase(browser);
  const signature = signPurchase(purchase, wallet);
  // Mostly there is no answer any more.
  const answered = payPurchase(browser, purchase, signature).catch(() => undefined);
  const [, signal] = await ended;
  await answered;
  expect(signal).toBe("SIGKILL");
  return { wallet, purchase, signature };
}

async function usesOfPurchase(purchase: JsonObject, index: number) {
  const payer = walletAt(devnet.buyers, index);
  const authorization = { nonce: hexAt(purchase, "nonce") };
  return usesOf(devnet, bodyOn(devnet, { payer, authorization }));
}

describe("killed and started again", { concurrent: true }, () => {
  test.each(crashes.map((crash, index) => [...crash, index] as const))(
    "%s, when it is %s",
    async (step, state, index) => {
      const databaseUrl = newDatabaseUrl();
      const { wallet, purchase, signature } = await buyAndDie(step, index, databaseUrl);
      const store = await openStore(databaseUrl);
      expect(await store.findPurchase(textAt(purchase, "id"))).toMatchObject({ state });
      await store.close();

      const served = await serveOn(devnet, {
        selfBuilt: false,
        wallets: [index],
        databaseUrl,
        env: env(),
      });
      try {
        const browser = await openSignedIn(served, { wallet });
        // Its buyer tries once more, as anybody would who had no answer.
        expect((await payPurchase(browser, purchase, signature)).status).toBe(200);
        await purchaseIn(browser, purchase, "credited");
        expect(await availableOf(browser)).toBe(1_000);
        expect(await usesOfPurchase(purchase, index)).toHaveLength(1);
        const { body } = await browser.get("/v1/account/credits/ledger");
        expect(body["entries"]).toMatchObject([{ kind: "purchase", credits: 1_000 }]);
      } finally {
        await served.stop();
      }
    },
    // Two starts of a whole service, several of them at the same time.
    90_000,
  );
});
