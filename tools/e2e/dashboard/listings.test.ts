/** A seller lists an endpoint on the dashboard, sees what differs, and what that does. */
import {
  challengeOf,
  charging,
  openHttpsSeller,
  type HttpsSeller,
} from "@farthing/facilitator/testing/https-seller";
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { visit } from "./steps.testing.ts";

describeInBrowser("listings on the dashboard", () => {
  let stage: Stage;
  let shop: HttpsSeller;
  beforeAll(async () => {
    stage = await startStage();
    shop = await openHttpsSeller(stage.authority.identify(), () => {});
  });
  afterAll(async () => {
    shop?.close();
    await stage?.stop();
  });

  /** A window of a seller of his own, whom the shop pays. */
  async function enter() {
    const owner = stage.market.newBuyer();
    const window = await openWindow(stage, [{ name: "Alpha", keys: [owner.privateKey] }]);
    const ask = (amount: bigint) => {
      shop.answer = (response, asked) => {
        const url = `${shop.origin}${asked.url}`;
        charging(challengeOf({ url, payTo: owner.address, amount }))(response, asked);
      };
    };
    ask(10_000n);
    await signIn(window, stage);
    await visit(window, "Listings");
    return { owner, window, page: window.page, ask };
  }

  async function fill(page: Page, price = "0.01"): Promise<void> {
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel("Address").fill(`${shop.origin}/report`);
    await dialog.getByLabel("Price in USDC").fill(price);
    await dialog.getByLabel("Title").fill("Weather report");
    await dialog.getByLabel("Tags").fill("weather, rain");
  }

  async function find(): Promise<unknown> {
    return (await fetch(`${stage.url}/discovery/search?query=weather`)).json();
  }

  test("is listed once it is right, which can be tried before", async () => {
    const { page } = await enter();
    await page.getByText("No listings yet").waitFor();
    await page.getByRole("button", { name: "List an endpoint" }).first().click();
    const dialog = page.getByRole("dialog");
    const submit = dialog.getByRole("button", { name: "Publish listing" });
    expect(await submit.isDisabled()).toBe(true);
    for (const [label, wrong, why] of [
      ["Address", "http://shop.example/r", "An address that begins with https://"],
      [
        "Address",
        "https://shop.example/r?city=Rome",
        "Remove everything from the question mark on",
      ],
      ["Price in USDC", "0.0000001", "An amount such as 0.01"],
    ] as const) {
      const field = dialog.getByLabel(label);
      await field.fill(wrong);
      await dialog.getByText(why).waitFor();
      expect(await field.getAttribute("aria-invalid")).toBe("true");
    }
    await fill(page, "0.02");
    await dialog.getByRole("button", { name: "Run check" }).click();
    await dialog.getByText("Check failed").waitFor();
    await dialog
      .getByText("Listed is 20000 (0.020000 USDC), seen was 10000 (0.010000 USDC).")
      .waitFor();
    await dialog.getByLabel("Price in USDC").fill("0.01");
    await dialog.getByRole("button", { name: "Run check" }).click();
    await dialog.getByText("The endpoint matches your listing.").waitFor();
    await submit.click();
    await page.getByRole("heading", { level: 1, name: "Weather report" }).waitFor();
    await page.getByText("Visible to buyers.").waitFor();
    expect(await find()).toMatchObject({ resources: [{ resource: `${shop.origin}/report` }] });
  });

  test("what differs is shown; two failures hide it, one success brings it back", async () => {
    const { page, window, ask } = await enter();
    await page.getByRole("button", { name: "List an endpoint" }).first().click();
    await fill(page);
    await page.keyboard.press("Enter");
    await page.getByText("Visible to buyers.").waitFor();
    ask(20_000n);
    const check = page.getByRole("button", { name: "Check now" });
    await check.click();
    await page.getByText("The last check failed").waitFor();
    const row = page.getByRole("row", { name: "Price" });
    await row.getByText("0.01 USDC").waitFor();
    await row.getByText("0.02 USDC").waitFor();
    await check.click();
    await page.getByText("Hidden until a check passes").waitFor();
    await page.getByText("Hidden from buyers.").waitFor();
    await visit(window, "Listings");
    await page.getByRole("row", { name: "Weather report" }).getByText("hidden").waitFor();
    await page.getByRole("link", { name: "Weather report" }).click();

    // The other way out: to list what is asked for.
    await page.getByRole("button", { name: "Change" }).click();
    const dialog = page.getByRole("dialog");
    expect(await dialog.getByLabel("Price in USDC").inputValue()).toBe("0.01");
    await dialog.getByLabel("Price in USDC").fill("0.02");
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByText("Visible to buyers.").waitFor();
    expect(await page.evaluate(() => document.activeElement?.textContent)).toBe("Change");

    await page.getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Remove listing" }).click();
    await page.getByText("No listings yet").waitFor();
    expect(window.complaints).toEqual([]);
  });
});
