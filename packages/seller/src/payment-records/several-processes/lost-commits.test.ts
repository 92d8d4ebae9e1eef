/**
 * A store that loses what it confirmed last, after a buyer has paid: whatever is lost, no one is charged
 * a second time for the payment, and it opens nothing that it did not buy.
 */
import { headerNames, isObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { payBound, type PaymentHeader } from "../../buyer.testing.ts";
import { openShop } from "../../exchange/dying-process.testing.ts";
import type { PaymentRecords, SellerOptions } from "../../index.ts";
import { readReceipt } from "@farthing/protocol";
import {
  startScriptedFacilitator,
  transferHash,
  type ScriptedFacilitator,
} from "../../scripted-facilitator.testing.ts";
import { remember, type Lose } from "./losing-stores.testing.ts";
import { openStore, type Store } from "./shared-stores.testing.ts";
import { stores, type StoreHost } from "./store-hosts.testing.ts";

const pass = { uses: 3, validFor: "1h" };
const balance = { topUp: 5_000_000n, reserve: 50_000n };

type Sold = Omit<SellerOptions, "payTo" | "facilitator">;

async function buy(url: string) {
  const headers = await payBound(url);
  const response = await fetch(url, { headers });
  expect([response.status, await response.text()]).toEqual([200, "report 1"]);
  return { headers, token: response.headers.get("PAYMENT-PASS") ?? "" };
}

/** What the buyer shows has moved money, and is said to have. */
async function expectProven(url: string, headers: PaymentHeader): Promise<void> {
  const response = await fetch(url, { headers });
  expect(response.status).toBe(409);
  expect(response.headers.get(headerNames.paymentRequired)).toBeNull();
  expect(readReceipt(response.headers)).toMatchObject({ transaction: transferHash });
  const body: unknown = await response.json();
  expect(isObject(body) && [body["error"], body["retryable"]]).toEqual(["already_settled", false]);
}

for (const [name, isThere, startHost] of stores.filter(([kind]) => kind !== "durable object")) {
  describe.skipIf(!isThere)(`in ${name}`, () => {
    let host: StoreHost;
    let facilitator: ScriptedFacilitator;
    let store: Store;
    let served: number;
    /** Before the sale that is looked at. */
    let transfers: number;
    beforeAll(async () => {
      host = await startHost();
    });
    afterAll(() => host?.stop());
    beforeEach(async () => {
      facilitator = await startScriptedFacilitator();
      store = await host.create();
      served = 0;
      // As at a shop that sells already: the tables are there.
      await sell({ price: "0.01" }, buy);
      served = 0;
      transfers = facilitator.transfers();
    });
    afterEach(() => facilitator.close());

    /** Sells as one process; `within` is told of its records before it begins. */
    async function sell<T>(
      sold: Sold,
      work: (url: string) => Promise<T>,
      change: (records: PaymentRecords) => PaymentRecords = (records) => records,
    ): Promise<T> {
      const { records, close } = await openStore(store, { leaseMs: 3_000 });
      const options = { ...sold, facilitator: { url: facilitator.url }, grants: change(records) };
      const shop = await openShop(options, () => new Response(`report ${++served}`));
      try {
        return await work(shop.url);
      } finally {
        await shop.close();
        await close();
      }
    }

    const made = () => [served, facilitator.transfers() - transfers];

    test("the record of a payment: its repeat proves the payment, asks for no other, and serves nothing", async () => {
      const lose = await remember(store);
      const { headers } = await sell({ price: "0.01" }, buy);
      await lose();
      await sell({ price: "0.01" }, async (url) => {
        await expectProven(url, headers);
        await expectProven(url, headers);
      });
      expect(made()).toEqual([1, 1]);
    });

    test("what was recorded after a payment was sent: its repeat is served, and no one else's", async () => {
      let lose: Lose | undefined;
      facilitator.script.settle.push(async () => {
        lose = await remember(store);
        return "honest" as const;
      });
      const { headers } = await sell({ price: "0.01" }, buy);
      await lose?.();
      await sell({ price: "0.01" }, async (url) => {
        const again = await fetch(url, { headers });
        expect([again.status, await again.text()]).toEqual([200, "report 2"]);
        const kept = await fetch(url, { headers });
        expect(await kept.text()).toBe("report 2");
      });
      expect(made()).toEqual([2, 1]);
    });

    test("a pass whose payment is recorded: the repeat of the payment opens it again", async () => {
      let lose: Lose | undefined;
      const sold = { price: "1.00", pass };
      const { headers, token } = await sell(sold, buy, (records) => {
        const { passes } = records;
        if (!passes) throw new Error("The store keeps passes.");
        const open: typeof passes.open = async (...values) => {
          lose = await remember(store);
          return passes.open(...values);
        };
        return { ...records, passes: { ...passes, open } };
      });
      expect(token).not.toBe("");
      await lose?.();
      await sell(sold, async (url) => {
        expect((await fetch(url, { headers: { "PAYMENT-PASS": token } })).status).toBe(402);
        const again = await fetch(url, { headers });
        expect([await again.text(), again.headers.get("X-Pass-Remaining")]).toEqual([
          "report 1",
          "2",
        ]);
        const next = { "PAYMENT-PASS": again.headers.get("PAYMENT-PASS") ?? "" };
        for (const [status, left] of [
          [200, "1"],
          [200, "0"],
          [402, "0"],
        ]) {
          const used = await fetch(url, { headers: next });
          await used.text();
          expect([used.status, used.headers.get("X-Pass-Remaining")]).toEqual([status, left]);
        }
      });
      expect(made()).toEqual([3, 1]);
    });

    test.each<[string, Sold]>([
      ["a pass", { price: "1.00", pass }],
      ["a top-up", { balance, cost: () => 10_000n }],
    ])(
      "%s with its record: the repeat proves the payment, and opens nothing",
      async (_name, sold) => {
        const lose = await remember(store);
        const { headers, token } = await sell(sold, buy);
        await lose();
        await sell(sold, async (url) => {
          await expectProven(url, headers);
          // The token is of nothing that is there, so it takes nothing.
          expect((await fetch(url, { headers: { "PAYMENT-PASS": token } })).status).toBe(402);
          await expectProven(url, { ...headers, "PAYMENT-PASS": token });
        });
        expect(made()).toEqual([1, 1]);
      },
    );

    test("uses of a pass, with the record of one that has a key: each is taken once of what is there", async () => {
      const sold = { price: "1.00", pass };
      const { token } = await sell(sold, buy);
      const lose = await remember(store);
      const headers = { "PAYMENT-PASS": token, "Idempotency-Key": "order 7" };
      const use = (url: string) =>
        fetch(url, { headers }).then((response) => response.headers.get("X-Pass-Remaining"));
      expect(await sell(sold, use)).toBe("1");
      await lose();
      expect(await sell(sold, async (url) => [await use(url), await use(url)])).toEqual(["1", "1"]);
      expect(served).toBe(3);
    });
  });
}
