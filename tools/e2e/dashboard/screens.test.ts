/**
 * Every screen, with something in it and empty, in light and dark and on a phone: axe finds nothing
 * serious, nothing is wider than the window, and the content security policy keeps nothing out.
 */
import { readdirSync, readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFitIn, findBarriers, windows } from "../support/axe.testing.ts";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { addChannels } from "./channels.testing.ts";
import {
  addEmail,
  beginPurchase,
  createKey,
  inviteMember,
  operate,
  purchaseId,
  visit,
} from "./steps.testing.ts";
import { openStockShop } from "../support/shops.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

describeInBrowser("the screens of the dashboard", () => {
  let stage: Stage;
  /** Places of an account in which much has happened. */
  let places: readonly string[] = [];
  beforeAll(async () => {
    stage = await startStage();
    places = await fillAccount(stage);
  });
  afterAll(() => stage?.stop());

  test.each(windows)("with something in them, %s", async (_name, options, schemes) => {
    const { seller } = stage.market.devnet;
    const window = await openWindow(stage, [{ name: "Alpha", keys: [seller.privateKey] }], options);
    const { page } = window;
    await page.goto(stage.screen());
    await page.getByText("No password").or(page.getByText("There is no password")).waitFor();
    for (const colorScheme of schemes) {
      await page.emulateMedia({ colorScheme });
      expect({ colorScheme, barriers: await findBarriers(page) }).toMatchObject({ barriers: [] });
    }
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByRole("heading", { level: 1, name: "Weather API" }).waitFor();
    for (const place of places) {
      await page.goto(stage.screen(place));
      await page.getByRole("heading", { level: 1 }).waitFor();
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      if (place.startsWith("integrate")) await page.locator(".hljs-string").first().waitFor();
      const filters = page.getByRole("button", { name: "Filters" });
      if ((await filters.count()) > 0) await filters.click();
      for (const summary of await page.locator("details:not([open]) > summary").all()) {
        await summary.click();
      }
      await expectFitIn(schemes, page, place);
      expect([place, await page.evaluate(countCutTables)]).toEqual([place, 0]);
    }
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });

  test.each(windows)("empty, with their dialogs, %s", async (_name, options, schemes) => {
    const { privateKey } = stage.market.newBuyer();
    const window = await openWindow(stage, [{ name: "Alpha", keys: [privateKey] }], options);
    const { page } = window;
    await signIn(window, stage);
    for (const [place, button] of [
      ["keys", "Create key"],
      ["webhooks", "Add endpoint"],
      ["listings", "List an endpoint"],
      ["settings", "Invite a member"],
      ["settings", "Link a wallet"],
      ["settings", "Add an address"],
    ] as const) {
      await page.goto(stage.screen(place));
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      await expectFitIn(schemes, page, place);
      await page.getByRole("button", { name: button }).first().click();
      await page.getByRole("dialog").waitFor();
      await expectFitIn(schemes, page, `${place}, ${button}`);
    }
    for (const place of [
      "",
      "settlements",
      "revenue",
      "customers",
      "channels",
      "requests",
      "credits",
      "nowhere",
      "settlements/stl_none",
    ]) {
      await page.goto(stage.screen(place));
      await page.getByRole("status", { name: "Loading" }).first().waitFor({ state: "detached" });
      await expectFitIn(schemes, page, place);
    }
    await window.context.close();
  });
});

test("the width of a window changes no colour, so dark screens on a phone look as on a desk", () => {
  const folder = new URL("../../../packages/dashboard/src/styles/", import.meta.url);
  const sheets = readdirSync(folder).map((name) => readFileSync(new URL(name, folder), "utf8"));
  const ofWidths = sheets.flatMap((sheet) => sheet.match(/^@media \(width[^]*?^\}/gm) ?? []);
  expect(ofWidths).not.toEqual([]);
  const colors = ofWidths
    .join("\n")
    .match(/^.*(color|background|fill|stroke|outline|shadow).*:.*$/gm);
  // What has no background shows that of what it stands on.
  expect(colors?.map((line) => line.trim())).toEqual(["background: none;"]);
});

/** Tables that hide a part until someone scrolls them, or the ring of a link or button. */
const countCutTables = () =>
  [...document.querySelectorAll(".table-frame")].filter((frame) => {
    const edge = frame.getBoundingClientRect();
    const isCut = [...frame.querySelectorAll("a, button")].some((one) => {
      // With its distance from what has the focus.
      const ringPx = 4;
      const { left, right, top, bottom } = one.getBoundingClientRect();
      if (left === right) return false;
      const isBeside = left - ringPx < edge.left || right + ringPx > edge.right;
      return isBeside || top - ringPx < edge.top || bottom + ringPx > edge.bottom;
    });
    return isCut || frame.scrollWidth > frame.clientWidth;
  }).length;

/** An account with a name, keys, sales, purchases, a webhook; gives all places that show them. */
async function fillAccount(stage: Stage): Promise<string[]> {
  const { market } = stage;
  const { seller, usdc } = market.devnet;
  await usdc.mint(seller.address, 100_000_000n);
  await operate(market, ["credits", "grant", seller.address, "2", "--note", "Welcome"]);
  const window = await openWindow(stage, [{ name: "Alpha", keys: [seller.privateKey] }]);
  const { page } = window;
  await signIn(window, stage);
  const apiKey = await createKey(window, "Shop");
  await createKey(window, "Unbroken".repeat(7));
  const facilitator = () => ({ url: market.tap.url, apiKey });
  const shop = await openStockShop({ ...market, facilitator }, "public");
  const buy = stockBuyer(market, market.newBuyer());
  expect((await buy(shop.url)).status).toBe(200);
  expect((await buy(shop.url)).status).toBe(200);
  await shop.close();
  const purchases = await startPurchases(window);
  await visit(window, "Settlements");
  const settlement = await page.getByRole("table").getByRole("link").first().getAttribute("href");
  await visit(window, "Request log");
  const request = await page.getByRole("table").getByRole("link").first().getAttribute("href");
  await visit(window, "Webhooks");
  await page.getByRole("button", { name: "Add endpoint" }).first().click();
  await page.getByLabel("Address").fill("http://127.0.0.1:9/hook");
  await page.getByRole("button", { name: "Sign and add" }).click();
  await page.getByRole("button", { name: "I have saved it" }).click();
  const endpoint = page.getByRole("link", { name: "http://127.0.0.1:9/hook" });
  const webhook = await endpoint.getAttribute("href");
  await endpoint.click();
  await page.getByRole("button", { name: "Send a test" }).click();
  await page.getByRole("row", { name: "webhook.test" }).waitFor();
  const listing = await addListing(window);
  const channel = await addChannels(market.databaseUrl, seller.address, 30);
  await addEmail(window, "a.rather.long.address@department.company.example");
  await inviteMember(window, market.newBuyer().address, "Developer:");
  await page.getByLabel("Name").fill("Weather API");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("banner").getByText("Weather API").waitFor();
  await window.context.close();
  const details = [settlement, webhook, request].map(
    (href) => href?.replace("/account/facilitator/", "") ?? "",
  );
  return [
    "",
    "settlements",
    "settlements?state=failed",
    "revenue",
    "revenue?by=payer",
    "revenue?by=day",
    "customers",
    "channels",
    `channels/${channel}`,
    ...details,
    "keys",
    "credits",
    "credits/buy",
    ...purchases,
    "requests",
    "requests?status=refused",
    "integrate",
    "integrate?with=gateway",
    "listings",
    listing,
    "webhooks",
    "settings",
  ];
}

/** One that is held for review and one that is not paid; returns their paths. */
async function startPurchases(window: WalletWindow): Promise<readonly string[]> {
  const { page } = window;
  await beginPurchase(window, "30");
  const held = purchaseId(window);
  await page.getByRole("button", { name: "Sign and pay" }).click();
  await page.getByText("Held for review").first().waitFor();
  await beginPurchase(window, "2");
  return [held, purchaseId(window)].map((id) => `credits/purchases/${id}`);
}

/** Lists an endpoint that does not respond, so that its page has many messages; returns its path. */
async function addListing({ page }: WalletWindow): Promise<string> {
  await page.getByRole("navigation").getByRole("link", { name: "Listings" }).click();
  await page.getByRole("button", { name: "List an endpoint" }).first().click();
  await page.getByLabel("Address").fill("https://127.0.0.1:1/a/rather/long/path/to/a/report");
  await page.getByLabel("Price in USDC").fill("0.01");
  await page.getByLabel("Title").fill("Weather report");
  await page.getByLabel("Description").fill("Rain and wind of a city");
  await page.getByLabel("Tags").fill("weather, rain");
  await page.getByRole("button", { name: "Publish listing" }).click();
  await page.getByText("The last check failed").waitFor();
  return new URL(page.url()).pathname.replace("/account/facilitator/", "");
}
