/**
 * A buyer's process killed while its payment is out, at the steps that the seller takes with it:
 * what is resumed from the ledger is the same payment, and the chain has it once.
 */
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { startFarthing } from "../support/farthing-command.testing.ts";
import { startMarket, type Market } from "../support/market.testing.ts";
import { openExpressShop } from "../support/shops.testing.ts";

let market: Market;
beforeAll(async () => {
  market = await startMarket();
});
afterAll(() => market?.stop());
afterEach(() => {
  market.tap.loses = () => false;
});

/** Runs `farthing` with a home of its own; `XDG_CONFIG_HOME` says where. */
function farthing(args: readonly string[], environment: Readonly<Record<string, string>>) {
  return startFarthing(args, { FARTHING_RPC_URL: market.devnet.rpcUrl, ...environment });
}

test.for([
  ["verified", "POST /verify", false],
  ["settled, before the seller knows it", "POST /settle", false],
  ["settled, and the seller never hears it", "POST /settle", true],
] as const)(
  "killed when the payment is %s: resume gets the content, paid once",
  async ([, step, isLost]) => {
    // What is resumed is the same bound payment: this seller takes no other.
    const shop = await openExpressShop(market, "public", { requireBinding: true });
    const { address, privateKey } = market.newBuyer();
    const home = { XDG_CONFIG_HOME: mkdtempSync(join(tmpdir(), "buyer-crash-")) };
    const pay = ["pay", "--request-id", "order", shop.url];
    const first = farthing(pay, { ...home, FARTHING_WALLET_KEY: privateKey });
    let isKilled = false;
    market.tap.loses = async ({ name }) => {
      if (name !== step || isKilled) return false;
      isKilled = true;
      first.kill();
      await first.ended;
      return isLost;
    };
    expect((await first.ended).code).toBeNull();
    const open = await farthing(["ledger", "list", "--open", "--json"], home).ended;
    expect(JSON.parse(open.stdout)).toMatchObject([{ requestId: "order", state: "sent" }]);

    // Without the key: there is nothing left to sign.
    const resumed = await farthing(["ledger", "resume", "order"], home).ended;
    expect([resumed.code, JSON.parse(resumed.stdout)]).toEqual([0, { report: 1 }]);
    expect(await market.transfers(address)).toHaveLength(1);
    const again = await farthing(pay, { ...home, FARTHING_WALLET_KEY: privateKey }).ended;
    expect([again.code, JSON.parse(again.stdout)]).toEqual([0, { report: 1 }]);
    expect(await market.transfers(address)).toMatchObject([{ units: 10_000n }]);
    expect(shop.made()).toBe(1);
    const [paid] = await market.transfers(address);
    const receipt = await farthing(["receipts", "show", "order", "--json"], home).ended;
    expect(JSON.parse(receipt.stdout)).toMatchObject({
      transaction: paid?.transaction,
      payer: address,
    });
    await shop.close();
  },
);
