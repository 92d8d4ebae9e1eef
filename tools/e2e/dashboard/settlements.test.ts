/** The history of sales: live, filtered, page by page, as a file; and a plan that was switched off. */
import { readReceipt } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { createKey, operate, visit } from "./steps.testing.ts";
import { openStockShop, type Shop } from "../support/shops.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

/** Rows of a page of the dashboard; sales that make more than one of them. */
const pageRows = 25;
const sales = 27;

describeInBrowser("settlements on the dashboard", () => {
  let stage: Stage;
  let window: WalletWindow;
  let shop: Shop;
  beforeAll(async () => {
    stage = await startStage({ hasMainnet: true });
    const { market } = stage;
    const { seller } = market.devnet;
    await operate(market, ["credits", "grant", seller.address, "100", "--note", "Test"]);
    window = await openWindow(stage, [{ name: "Alpha", keys: [seller.privateKey] }]);
    await signIn(window, stage);
    await window.page.getByRole("button", { name: "Test", exact: true }).click();
    const apiKey = await createKey(window, "Shop");
    const facilitator = () => ({ url: market.tap.url, apiKey });
    shop = await openStockShop({ ...market, facilitator }, "public");
  });
  afterAll(async () => {
    await shop?.close();
    await stage?.stop();
  });

  /** Waits until the table has so many rows, and no more. */
  async function expectRows(count: number): Promise<void> {
    const rows = window.page.getByRole("table").locator("tbody").getByRole("row");
    await rows.nth(count - 1).waitFor();
    await rows.nth(count).waitFor({ state: "detached" });
  }

  /** Buys once with a wallet that has bought nothing yet; gives its address. */
  async function sell(): Promise<string> {
    const buyer = stage.market.newBuyer();
    expect((await stockBuyer(stage.market, buyer)(shop.url)).status).toBe(200);
    return buyer.address;
  }

  test("a sale appears by itself and is found by payer, state and day", async () => {
    const { page } = window;
    await visit(window, "Settlements");
    await page.getByText("No settlements yet").waitFor();
    const first = await sell();
    await page.getByText("0.01").first().waitFor();
    await sell();
    await page.getByText("final", { exact: true }).nth(1).waitFor();
    // Nothing but a button stands before the first settlement.
    await page.getByRole("textbox", { name: "Payer" }).waitFor({ state: "hidden" });
    await page.getByRole("button", { name: "Filters" }).click();
    await page.getByRole("textbox", { name: "Payer" }).fill(`xdc${first.slice(2)}`);
    await expectRows(1);
    expect(page.url()).toContain(`payer=${first}`);
    // What was sold comes first, and leads to the settlement.
    const sold = page.getByRole("table").locator("tbody td").first();
    await sold.getByRole("link", { name: shop.url.replace("http://", "") }).waitFor();
    // The address is the filter: whoever opens it sees the same.
    await page.reload();
    await expectRows(1);
    await page.getByRole("button", { name: "Remove the filter Payer: 0x" }).click();
    await expectRows(2);
    // The focus is on the button, and not lost with the chip.
    await page.keyboard.press("Enter");
    await page.getByRole("textbox", { name: "Payer" }).fill(first);
    await page.getByLabel("State").selectOption("failed");
    await page.getByText("No matching settlements").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
    await expectRows(2);
    expect(await page.getByRole("textbox", { name: "Payer" }).inputValue()).toBe("");
    await page.getByLabel("To (UTC day)").fill("2020-01-01");
    await page.getByText("No matching settlements").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
  });

  test("revenue by endpoint, payer and day leads to its settlements", async () => {
    const { page } = window;
    await visit(window, "Revenue");
    await page.getByText("0.02 USDC in 2 settlements").waitFor();
    // The month before had none.
    await page.getByText("0.00 USDC in 0 settlements").waitFor();
    // The arrow keys read the days of the chart out.
    await page.getByRole("img", { name: /the best day was .* with 0.02 USDC/ }).waitFor();
    await page.getByRole("slider", { name: "Point of the chart" }).press("Home");
    await page.getByText(/^1 \w+: 0.0\d USDC, in \w+ \d{4} 0.00 USDC$/).waitFor();
    await page.getByText("No sale of this month names its route").waitFor();
    await page.getByRole("button", { name: "Payer" }).click();
    await page.getByRole("table", { name: "Revenue by payer" }).waitFor();
    await expectRows(2);
    await page.getByRole("button", { name: "Day" }).click();
    await page.getByRole("table", { name: "Revenue by day" }).waitFor();
    await page.getByRole("button", { name: "Route" }).click();
    await page.getByRole("link", { name: "Show it by endpoint" }).click();
    await page.getByRole("link", { name: shop.url }).click();
    await expectRows(2);
    await page.getByRole("button", { name: `Remove the filter Resource: ${shop.url}` }).waitFor();
    await page.getByRole("button", { name: "Filters" }).click();
    expect(await page.getByRole("textbox", { name: "Resource" }).inputValue()).toBe(shop.url);
    await page.getByRole("textbox", { name: "Reference" }).fill("order-1");
    await page.getByText("No matching settlements").waitFor();
    await page.getByRole("link", { name: "Clear filters" }).click();
  });

  test("live and test money are apart on every screen, also from a link", async () => {
    const { page } = window;
    const choose = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await visit(window, "Customers");
    await expectRows(2);
    await page.getByText("Test data.").waitFor();
    await choose("Live");
    await page.getByText("No customers yet").waitFor();
    await page.getByText("Test data.").waitFor({ state: "detached" });
    for (const [screen, nothing] of [
      ["Revenue", "No revenue"],
      ["Settlements", "No settlements yet"],
      ["API keys", "No keys yet"],
    ] as const) {
      await visit(window, screen);
      await page.getByText(nothing).waitFor();
    }
    await page.goto(stage.screen("settlements?network=eip155:51"));
    await expectRows(2);
    // What the link names is the choice from then on.
    await visit(window, "Customers");
    await expectRows(2);
    await choose("Live");
    await choose("Test");
    await page.getByRole("button", { name: "Last payment" }).click();
    await expectRows(2);
    await page.getByRole("table").getByRole("link").first().click();
    await page.getByRole("heading", { level: 1, name: "Settlements" }).waitFor();
    await expectRows(1);
  });

  test("older ones are a page further, and the file has all", async () => {
    const { page } = window;
    const buy = stockBuyer(stage.market, stage.market.newBuyer());
    await Promise.all(
      Array.from({ length: sales }, async () => {
        const response = await buy(shop.url);
        const { errorReason, errorMessage } = readReceipt(response.headers) ?? {};
        expect([response.status, errorReason, errorMessage]).toEqual([200, undefined, undefined]);
      }),
    );
    await page.goto(stage.screen("settlements"));
    await expectRows(pageRows);
    await page.getByRole("link", { name: "Older" }).click();
    await expectRows(sales + 2 - pageRows);
    await page.getByRole("link", { name: "Newest" }).click();
    await expectRows(pageRows);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const stream = await (await download).createReadStream();
    const lines = (await stream.toArray()).join("").trim().split("\n");
    expect(lines[0]).toMatch(/^id,created_at,state/);
    expect(lines.length).toBeGreaterThan(sales);
    await visit(window, "Overview");
    await page
      .getByText(/settled, 0 failed/)
      .first()
      .waitFor();
    await page.getByText("Show as a table").click();
    await page.getByRole("table", { name: "Settlements per day" }).waitFor();
    await page.getByText("Nothing was settled in the 30 days before.").waitFor();
    await visit(window, "Request log");
    await page
      .getByRole("img", { name: /^Last 24 hours: \d+ requests, 0 refused, 0 failed$/ })
      .waitFor();
  });

  test("a plan that the operator switched off is said on every screen", async () => {
    const { page } = window;
    const { address } = stage.market.devnet.seller;
    await operate(stage.market, ["accounts", "deactivate", address]);
    await page.goto(stage.screen("keys"));
    await page.getByText("This account is inactive").waitFor();
    await operate(stage.market, ["accounts", "activate", address]);
    await page.reload();
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    expect(await page.getByText("This account is inactive").count()).toBe(0);
  });
});
