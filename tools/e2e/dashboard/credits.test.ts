/**
 * A seller's way on the dashboard, from the first sign-in over running out of credits to a revoked
 * key, with the published seller middleware as his shop and real payments in it.
 */
import { buyerUnits, type DevnetWallet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import {
  beginPurchase,
  createKey,
  linkWallet,
  operate,
  purchaseId,
  visit,
} from "./steps.testing.ts";
import type { Market } from "../support/market.testing.ts";
import { changeAccount } from "../support/mock-wallets.testing.ts";
import { openStockShop } from "../support/shops.testing.ts";

/** What the shop's owner has to buy credits with. */
const sellerUnits = 10_000_000n;

describeInBrowser("credits on the dashboard", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
    const { usdc, seller } = stage.market.devnet;
    await usdc.mint(seller.address, sellerUnits);
  });
  afterAll(() => stage?.stop());

  /** A window in which an account of its own is signed in: what one buys in a day counts together. */
  async function enter({ privateKey }: DevnetWallet = stage.market.newBuyer()) {
    const window = await openWindow(stage, [{ name: "Alpha", keys: [privateKey] }]);
    await signIn(window, stage);
    const [alpha] = window.wallets;
    if (!alpha) throw new Error("There is no wallet.");
    return { window, page: window.page, alpha };
  }

  /** The market with a key of the dashboard in the shop. */
  const selling = (apiKey: string): Market => ({
    ...stage.market,
    facilitator: () => ({ url: stage.market.tap.url, apiKey }),
  });

  test("a key, a sale, no credits, a purchase, another sale, no key", async () => {
    const { market } = stage;
    const { window, page } = await enter(market.devnet.seller);
    await operate(market, [
      "credits",
      "grant",
      market.devnet.seller.address,
      "1",
      "--note",
      "Welcome",
    ]);
    const key = await createKey(window, "Shop");
    expect(key).toMatch(/^fk_test_[0-9A-Za-z]{61}$/);
    const shop = await openStockShop(selling(key), "public");

    const first = market.newBuyer();
    const sold = await stockBuyer(market, first)(shop.url);
    expect(await sold.json()).toEqual({ report: 1 });
    await visit(window, "Settlements");
    await page.getByText("final", { exact: true }).waitFor();
    await page.getByRole("table").getByRole("link").first().click();
    await page.getByText("Transfer sent to the network").waitFor();
    await page.getByText("Final: it cannot be taken back").waitFor();
    expect(await page.getByText(first.address).count()).toBe(1);

    const second = market.newBuyer();
    const refused = await stockBuyer(market, second)(shop.url);
    expect(refused.ok).toBe(false);
    expect(await market.transfers(second.address)).toEqual([]);
    await page.getByText("No credits left").waitFor();
    await page.getByText("New payments are refused before anything is sent").waitFor();

    await beginPurchase(window, "1.5");
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("1,500 credits added").waitFor();
    expect(await market.devnet.usdc.balanceOf(market.devnet.treasury.address)).toBe(1_500_000n);
    await visit(window, "Credits");
    await page.getByRole("row", { name: "Bought" }).getByText("+1,500").waitFor();
    await page.getByText("credit per settlement").waitFor();
    expect(await page.getByText("No credits left").count()).toBe(0);

    const again = await stockBuyer(market, second)(shop.url);
    expect(again.status).toBe(200);
    await page.getByRole("row", { name: "Spent on" }).nth(1).waitFor();
    const spent = page.getByRole("row", { name: `Spent on ${shop.url.replace("http://", "")}` });
    await spent.first().getByText("cost 1, reserved before").waitFor();

    await visit(window, "Integrate");
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Test my key" }).click();
    await page.getByText("The key works").first().waitFor();

    await visit(window, "API keys");
    await page.getByRole("button", { name: "Revoke key Shop" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Revoke key" }).click();
    await page.getByRole("row", { name: "Shop" }).waitFor({ state: "detached" });
    const headers = { Authorization: `Bearer ${key}` };
    expect((await fetch(`${stage.url}/v1/key`, { headers })).status).toBe(401);
    const third = market.newBuyer();
    expect((await stockBuyer(market, third)(shop.url)).ok).toBe(false);
    await visit(window, "Integrate");
    await page.getByLabel("API key").fill(key);
    await page.getByRole("button", { name: "Test my key" }).click();
    await page.getByText("Copy it again, or create a new one").waitFor();
    // A key that is refused is no end of the session.
    await visit(window, "Overview");
    expect(window.complaints).toEqual([]);
    await shop.close();
  });

  test("a large purchase is held, and the operator's approval arrives by itself", async () => {
    const { window, page } = await enter();
    await beginPurchase(window, "30");
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("Held for review").first().waitFor();
    await page.getByText(/above the limit for automatic approval/).waitFor();
    const id = purchaseId(window);
    await visit(window, "Overview");
    await page.getByText("1 purchase held for review").waitFor();
    await page.getByRole("link", { name: "View details" }).click();
    await page.getByText("Manual review").waitFor();
    expect(await operate(stage.market, ["credits", "review"])).toContain(id);
    await operate(stage.market, ["credits", "approve", id, "--note", "Known customer"]);
    await page.getByText("30,000 credits added").waitFor();
  });

  test("a payment that is rejected in the wallet moves nothing and can be signed later", async () => {
    const buyer = stage.market.newBuyer();
    const { window, page, alpha } = await enter(buyer);
    const { usdc } = stage.market.devnet;
    await beginPurchase(window, "2");
    alpha.mood = "reject";
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("Request rejected in your wallet").waitFor();
    // Another day: from the list of purchases.
    await page.reload();
    alpha.mood = "sign";
    await visit(window, "Credits");
    await page.getByRole("link", { name: "Pay" }).click();
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("2,000 credits added").waitFor();
    expect(await usdc.balanceOf(buyer.address)).toBe(buyerUnits - 2_000_000n);
  });

  test("a wallet that has gone to another chain is brought back before it pays", async () => {
    const { window, page, alpha } = await enter();
    await beginPurchase(window, "1");
    alpha.chainId = 50;
    await page.reload();
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("1,000 credits added").waitFor();
    expect(alpha.chainId).toBe(51);
  });

  test("a linked wallet pays, and nothing tells it to switch back meanwhile", async () => {
    const owner = stage.market.newBuyer();
    const friend = stage.market.newBuyer();
    const { window, page, alpha } = await enter(owner);
    await visit(window, "Settings");
    await changeAccount(page, alpha, [friend.privateKey]);
    await page.getByText("Alpha is using a different account").waitFor();
    await linkWallet(window, alpha, owner);
    await visit(window, "Credits");
    await page.getByRole("link", { name: "Buy credits" }).first().click();
    await page.getByLabel("Pay from").selectOption(friend.address);
    await page.getByLabel("Amount in USDC").fill("1");
    await page.getByRole("button", { name: "Review the payment" }).click();
    await changeAccount(page, alpha, [friend.privateKey]);
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText("1,000 credits added").waitFor();
    expect(await page.getByText("Alpha is using a different account").count()).toBe(0);
    expect(await stage.market.devnet.usdc.balanceOf(friend.address)).toBe(buyerUnits - 1_000_000n);
  });

  test("a purchase that cannot be paid for says so", async () => {
    const buyer = stage.market.newBuyer();
    const { window, page } = await enter(buyer);
    await beginPurchase(window, "10");
    await stage.market.devnet.usdc.setBalance(buyer.address, 0n);
    await page.getByRole("button", { name: "Sign and pay" }).click();
    await page.getByText(`${buyer.address} holds less than the 10.00 USDC`).waitFor();
    await page.getByRole("button", { name: "Cancel purchase" }).click();
    await page.getByText("canceled").first().waitFor();
  });
});
