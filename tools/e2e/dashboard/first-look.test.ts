/** What a person sees first: the navigation while the account loads, examples, and the keys of a search. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

describeInBrowser("a first look at the dashboard", () => {
  let stage: Stage;
  let window: WalletWindow;
  beforeAll(async () => {
    stage = await startStage();
    const { privateKey } = stage.market.newBuyer();
    window = await openWindow(stage, [{ name: "Alpha", keys: [privateKey] }]);
    await signIn(window, stage);
  });
  afterAll(() => stage?.stop());

  test("the navigation is there before the account is", async () => {
    const { page } = window;
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/v1/account", async (route) => {
      await held;
      await route.continue();
    });
    await page.goto(stage.screen("settlements"));
    const main = page.getByRole("navigation", { name: "Main" });
    await main.getByRole("link", { name: "Settlements" }).waitFor();
    expect(await page.getByRole("button", { name: "Sign out" }).count()).toBe(0);
    release();
    await page.getByRole("button", { name: "Sign out" }).waitFor();
    await page.unroute("**/v1/account");
  });

  test.each([
    ["", "Example of a settlement, not yours"],
    ["settlements", "Example of a settlement, not yours"],
    ["customers", "Example of a customer, not yours"],
    ["revenue", "Example of a route, not yours"],
    ["requests", "Example of a request, not yours"],
    ["channels", "Example of a channel, not yours"],
  ])("an empty account has an example and a next step: /%s", async (place, name) => {
    const { page } = window;
    await page.goto(stage.screen(place));
    // Its name is read aloud before its cells.
    const example = page.getByRole("table", { name });
    await example.waitFor();
    expect(await example.getByRole("row").count()).toBe(2);
    expect(await example.getByRole("link").count()).toBe(0);
    const main = page.getByRole("main");
    expect(await main.getByRole("link", { name: "Integrate" }).count()).toBeGreaterThan(0);
  });

  test("a month that is over and had no revenue says so, without an example", async () => {
    const { page } = window;
    await page.goto(stage.screen("revenue"));
    const months = page.getByLabel("Month");
    await months.selectOption({ index: 1 });
    const name = await months.locator("option:checked").textContent();
    await page.getByText(`No revenue in ${name}`).waitFor();
    expect(await page.getByRole("table", { name: "Example" }).count()).toBe(0);
  });

  test("/ and Ctrl+K lead to the search, and a slash that is typed stays one", async () => {
    const { page } = window;
    await page.goto(stage.screen("keys"));
    await page.getByRole("heading", { level: 1, name: "API keys" }).waitFor();
    await page.keyboard.press("/");
    const payer = page.getByRole("textbox", { name: "Payer" });
    await expect.poll(() => payer.evaluate((field) => field === document.activeElement)).toBe(true);
    expect(new URL(page.url()).pathname).toMatch(/\/settlements$/);
    await page.keyboard.press("/");
    expect(await payer.inputValue()).toBe("/");
    await page.goto(stage.screen("requests"));
    await page.getByRole("button", { name: "Filters" }).waitFor();
    await page.keyboard.press("Control+k");
    await expect
      .poll(() => page.evaluate(() => document.activeElement?.tagName))
      .toMatch(/INPUT|SELECT/);
    expect(new URL(page.url()).pathname).toMatch(/\/requests$/);
  });

  test("/ alone can be turned off, which lasts in this browser, and Ctrl+K goes on", async () => {
    const { page } = window;
    await page.goto(stage.screen("settings"));
    await page.getByRole("checkbox", { name: "/ opens the filters" }).uncheck();
    await page.goto(stage.screen("requests"));
    const filters = page.getByRole("button", { name: "Filters" });
    await filters.waitFor();
    await page.keyboard.press("/");
    expect(await filters.getAttribute("aria-expanded")).toBe("false");
    await page.keyboard.press("Control+k");
    await expect.poll(() => filters.getAttribute("aria-expanded")).toBe("true");
    await page.goto(stage.screen("settings"));
    await page.getByRole("checkbox", { name: "/ opens the filters" }).check();
    await page.goto(stage.screen("requests"));
    await filters.waitFor();
    await page.keyboard.press("/");
    await expect.poll(() => filters.getAttribute("aria-expanded")).toBe("true");
  });
});
