/** Money given back from the dashboard, signed by the payee's wallet, on a real chain. */
import { privateKeySigner, wrapFetch } from "@farthing/buyer";
import { isObject, parseJson } from "@farthing/protocol";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit, views } from "../support/axe.testing.ts";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { createKey, operate, visit } from "./steps.testing.ts";
import { keyIn } from "@farthing/facilitator/testing/api-keys";
import { changeAccount, type MockWallet } from "../support/mock-wallets.testing.ts";
import { openHonoShop, openStockShop, type Shop } from "../support/shops.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

/** Finality takes three blocks of a second; the rest is for a busy machine. */
const finality = { timeout: 60_000 };

describeInBrowser("refunds on the dashboard", () => {
  let stage: Stage;
  let window: WalletWindow;
  let alpha: MockWallet;
  let page: Page;
  let shop: Shop;
  beforeAll(async () => {
    stage = await startStage();
    const { market } = stage;
    const { seller } = market.devnet;
    await operate(market, ["credits", "grant", seller.address, "100", "--note", "Test"]);
    window = await openWindow(stage, [{ name: "Alpha", keys: [seller.privateKey] }]);
    ({ page } = window);
    const [first] = window.wallets;
    if (!first) throw new Error("There is no wallet.");
    alpha = first;
    await signIn(window, stage);
    const apiKey = await createKey(window, "Shop");
    const facilitator = () => ({ url: market.tap.url, apiKey });
    shop = await openStockShop({ ...market, facilitator }, "public");
  });
  afterAll(async () => {
    await shop?.close();
    await stage?.stop();
  });

  const signatures = () =>
    alpha.asked.filter(({ method }) => method === "eth_signTypedData_v4").length;
  const refundButton = () => page.getByRole("button", { name: "Refund", exact: true });
  const refunds = () => page.getByRole("table", { name: "Refunds" });

  /** A sale of a cent whose settlement is open and final; `received` is what its buyer has back. */
  async function sell() {
    const buyer = stage.market.newBuyer();
    const response = await stockBuyer(stage.market, buyer)(shop.url);
    expect(response.status).toBe(200);
    const { usdc } = stage.market.devnet;
    const before = await usdc.balanceOf(buyer.address);
    await page.goto(stage.screen(`settlements?payer=${buyer.address}`));
    await page.getByRole("table").getByRole("link").first().click();
    await refundButton().waitFor(finality);
    const id = /stl_[0-9a-f]+/.exec(page.url())?.[0] ?? "";
    return { id, buyer, received: async () => (await usdc.balanceOf(buyer.address)) - before };
  }

  async function expectFinalRefunds(count: number): Promise<void> {
    const badges = refunds().getByText("final", { exact: true });
    await badges.nth(count - 1).waitFor(finality);
  }

  test("a part, then the rest, each signed once, and both are in the list", async () => {
    const { id, buyer, received } = await sell();
    await refundButton().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("The money goes to the address that paid").waitFor();
    await dialog.getByText(buyer.address).waitFor();
    await dialog.getByLabel("Amount in USDC").fill("0.02");
    await dialog.getByText("At most 0.01 USDC", { exact: true }).waitFor();
    expect(await dialog.getByRole("button", { name: "Sign and refund" }).isDisabled()).toBe(true);
    await dialog.getByLabel("Amount in USDC").fill("0.004");
    alpha.mood = "reject";
    await dialog.getByRole("button", { name: "Sign and refund" }).click();
    await dialog.getByText("Request rejected in your wallet").waitFor();
    expect(await received()).toBe(0n);
    alpha.mood = "sign";
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.waitFor({ state: "detached" });
    await expectFinalRefunds(1);
    expect(await received()).toBe(4_000n);

    // The wallet of somebody else cannot refund; that of the payee can.
    const { treasury, seller } = stage.market.devnet;
    await changeAccount(page, alpha, [treasury.privateKey]);
    await refundButton().click();
    expect(await dialog.getByLabel("Amount in USDC").inputValue()).toBe("0.006");
    await dialog.getByRole("button", { name: "Sign and refund" }).click();
    await dialog.getByText("Your wallet is using a different account").waitFor();
    await changeAccount(page, alpha, [seller.privateKey]);
    await dialog.getByRole("button", { name: "Try again" }).click();
    await dialog.waitFor({ state: "detached" });
    await expectFinalRefunds(2);
    expect(await received()).toBe(10_000n);
    expect(await refundButton().count()).toBe(0);

    await visit(window, "Settlements");
    const rows = page.getByRole("row").filter({ hasText: "of this payment" });
    await rows.filter({ hasText: "-0.004" }).waitFor();
    const rest = rows.filter({ hasText: "-0.006" });
    await rest.getByRole("link", { name: "this payment" }).click();
    await page.getByRole("heading", { level: 1, name: "Settlement" }).waitFor();
    expect(page.url()).toContain(id);
    await refunds().getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Refund" }).waitFor();
    await page.getByText(buyer.address).waitFor();
    await page.getByRole("link", { name: id }).click();
    await page.getByRole("heading", { level: 1, name: "Settlement" }).waitFor();
    expect(window.complaints).toEqual([]);
  });

  test("a refund whose response was lost is sent again and moves money once", async () => {
    const { received } = await sell();
    let lost = 0;
    await page.route("**/v1/refunds", async (route) => {
      if (lost > 0) return route.continue();
      lost += 1;
      await route.fetch();
      return route.abort();
    });
    const before = signatures();
    await refundButton().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Amount in USDC").fill("0.003");
    await dialog.getByRole("button", { name: "Sign and refund" }).click();
    await dialog.getByText("Cannot reach the service").waitFor();
    expect(await dialog.getByLabel("Amount in USDC").isDisabled()).toBe(true);
    await dialog.getByRole("button", { name: "Send again" }).click();
    await dialog.waitFor({ state: "detached" });
    await expectFinalRefunds(1);
    expect([await received(), signatures() - before]).toEqual([3_000n, 1]);
    await page.unroute("**/v1/refunds");
  });

  test("a contract wallet returns what it was paid", async () => {
    const { market } = stage;
    const { smartWallet, usdc } = market.devnet;
    const { address, owner } = smartWallet;
    await operate(market, ["credits", "grant", address, "10", "--note", "Test"]);
    const apiKey = await keyIn(market.databaseUrl, address);
    const facilitator = { url: market.tap.url, apiKey };
    const vault = await openHonoShop(market, "public", { payTo: address, facilitator });
    const buyer = market.newBuyer();
    const signer = privateKeySigner(buyer.privateKey);
    const before = await usdc.balanceOf(buyer.address);
    expect((await wrapFetch(fetch, { signer })(vault.url)).status).toBe(200);
    await vault.close();
    const given = { name: "Vault", keys: [owner.privateKey], speaksFor: address };
    const opened = await openWindow(stage, [given]);
    await signIn(opened, stage);
    await opened.page.goto(stage.screen(`settlements?payer=${buyer.address}`));
    await opened.page.getByRole("table").getByRole("link").first().click();
    const button = opened.page.getByRole("button", { name: "Refund", exact: true });
    await button.waitFor(finality);
    await button.click();
    const dialog = opened.page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Sign and refund" }).click();
    await dialog.waitFor({ state: "detached" });
    const list = opened.page.getByRole("table", { name: "Refunds" });
    await list.getByText("final", { exact: true }).waitFor(finality);
    expect(await usdc.balanceOf(buyer.address)).toBe(before);
    expect(opened.complaints).toEqual([]);
  });

  test("a failed refund leads to its reason and is offered with its amount", async () => {
    const { id } = await sell();
    const failedId = `stl_${"f".repeat(32)}`;
    // A real one fails on chain only when the payee moves the money within a block.
    await page.route(`**/v1/account/settlements/${id}*`, async (route) => {
      const response = await route.fetch();
      const body = parseJson(await response.text())?.value;
      const refund = { id: failedId, ordinal: 0, state: "failed", amount: "2500" };
      const failed = { ...refund, transaction: null, finalized: false };
      await route.fulfill({
        response,
        json: { ...(isObject(body) ? body : {}), refunds: [failed] },
      });
    });
    await page.reload();
    await page.getByText("The last refund failed").waitFor();
    const reason = await page.getByRole("link", { name: "View reason" }).getAttribute("href");
    expect(reason).toContain(failedId);
    await refundButton().click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Amount in USDC").inputValue()).toBe("0.0025");
    for (const [name, { viewport, colorScheme }] of views) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await expectFit(page, `refund dialog, ${name}`);
    }
    await dialog.getByRole("button", { name: "Cancel" }).click();
    for (const [name, { viewport, colorScheme }] of views) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await expectFit(page, `refunded payment, ${name}`);
    }
    expect(window.complaints).toEqual([]);
  });
});
