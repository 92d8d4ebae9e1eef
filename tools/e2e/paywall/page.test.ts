/** What stands on the page: hostile texts, every kind of content, and every screen as people see it. */
import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit, views } from "../support/axe.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import {
  contentOf,
  openPaywallWindow,
  review,
  sign,
  startPaywallStage,
  type PaywallStage,
} from "./fixture.testing.ts";

const hostile = `</script><script>document.title="run"</script><img src=x onerror="document.title='run'"> \u2028 "'&amp;`;

/** One red pixel. */
const png = Uint8Array.from(
  atob(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==",
  ),
  (character) => character.charCodeAt(0),
);

const html = `<!doctype html><title>x</title><style>h1 { color: rgb(1, 2, 3) }</style>
<meta http-equiv="refresh" content="0;url=https://elsewhere.example/">
<h1 style="margin: 3px" onclick="parent.document.title='run'">Bought</h1><script>parent.document.title="run"</script>
<img src="https://elsewhere.example/pixel.png">`;

/** Vouchers are not bound to requests. */
const byChannel = { type: "text/plain", body: "sold", requireBinding: false };

describeInBrowser("what stands on the page for people", () => {
  let stage: PaywallStage;
  beforeAll(async () => {
    stage = await startPaywallStage({
      "/hostile": { type: "text/plain", body: hostile, description: hostile },
      "/text": { type: "text/plain; charset=utf-8", body: "zażółć" },
      "/json": { type: "application/json", body: '{"n":12345678901234567890}' },
      "/spaced": { type: "application/json", body: '{"a": "b,  \\"c",\t"d": [1]}' },
      "/image": { type: "image/png", body: png },
      "/html": { type: "text/html", body: html },
      "/events": { type: "text/event-stream", body: "data: one\n\n" },
      "/file.bin": { type: "application/octet-stream", body: png },
      "/channel": { ...byChannel, channel: true },
      "/channel-only": { ...byChannel, channel: { only: true } },
    });
  });
  afterAll(() => stage?.stop());

  const arrive = async (path: string, options = {}) => {
    const { privateKey } = stage.market.newBuyer();
    const wallets = [{ name: "Alpha", keys: [privateKey] }];
    const window = await openPaywallWindow(stage, wallets, options);
    await window.page.goto(`${stage.core}${path}`);
    return window;
  };

  const buy = async (path: string) => {
    const window = await arrive(path);
    await review(window);
    await sign(window);
    await window.page.getByRole("heading", { name: "Paid 0.01 USDC" }).waitFor();
    return window;
  };

  test("a seller's text is text, and nothing that the policy forbids is tried", async () => {
    const window = await arrive("/hostile");
    const { page } = window;
    expect(await page.getByRole("heading", { level: 1 }).textContent()).toBe(hostile);
    expect(await page.title()).toBe(hostile);
    await review(window);
    await sign(window);
    expect(await contentOf(window)).toBe(hostile);
    expect(await page.locator("script").count()).toBe(3);
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });

  test("without scripts, there are the terms and a command", async () => {
    const context = await stage.browser.newContext({ javaScriptEnabled: false });
    const page = await context.newPage();
    await page.goto(`${stage.core}/json`);
    for (const text of ["0.01 USDC", "Apothem test network", "none for you", "needs its script"]) {
      expect(await page.getByText(text).isVisible()).toBe(true);
    }
    expect(await page.getByText(`npx farthing pay ${stage.core}/json`).isVisible()).toBe(true);
    await context.close();
  });

  test("beside a channel, the page pays singly and names no deposit", async () => {
    const { page, context } = await buy("/channel");
    expect(await page.locator(".content pre").textContent()).toBe("sold");
    const challenge = JSON.parse((await page.locator("#challenge").textContent()) ?? "");
    expect(challenge).toMatchObject({
      accepts: [{ scheme: "exact" }, { scheme: "batch-settlement" }],
    });
    await context.close();
  });

  test("where only channels are taken, the page asks for no wallet and shows how a program pays", async () => {
    const { page, context } = await arrive("/channel-only");
    await page.getByText("no single payments").waitFor();
    expect(await page.getByText(`npx farthing pay ${stage.core}/channel-only`).isVisible()).toBe(
      true,
    );
    expect(await page.getByRole("button", { name: "Alpha" }).count()).toBe(0);
    await expectFit(page, "channels only");
    await context.close();
  });

  test("a seller's icon that cannot be loaded is not shown as a broken image", async () => {
    const window = await openPaywallWindow(stage, []);
    const { page } = window;
    await page.route("**/json", async (route) => {
      const response = await route.fetch();
      const icon = '<img class="icon" src="data:image/png;base64,AAAA" alt="">';
      const body = (await response.text()).replace('<p class="seller">', `$&${icon}`);
      await route.fulfill({ response, body });
    });
    await page.goto(`${stage.core}/json`);
    await page.locator(".seller .icon").waitFor({ state: "detached" });
    expect(window.complaints).toEqual([]);
    await window.context.close();
  });

  test("events are shown as they come", async () => {
    const { page, context } = await buy("/events");
    await page.getByText("data: one").waitFor();
    await context.close();
  });

  // All at once: each waits for a block, and one block holds them all.
  test.concurrent.each([
    ["/text", async (page: Page) => page.locator(".content pre").textContent(), "zażółć"],
    // A number that JavaScript cannot hold stays as it came.
    [
      "/json",
      async (page: Page) => page.locator(".content pre").textContent(),
      '{"n":12345678901234567890}',
    ],
    // A short line is put in order, with the spaces of its strings.
    [
      "/spaced",
      async (page: Page) => page.locator(".content pre").textContent(),
      '{\n  "a": "b,  \\"c",\n  "d": [\n    1\n  ]\n}',
    ],
    [
      "/image",
      async (page: Page) =>
        page.locator(".content img").evaluate((image: HTMLImageElement) => image.naturalWidth),
      1,
    ],
    [
      "/html",
      async (page: Page) => {
        const heading = page.frameLocator("iframe").getByRole("heading", { name: "Bought" });
        await heading.click();
        expect(await page.locator("iframe").getAttribute("sandbox")).toBe("allow-same-origin");
        return heading.evaluate((element) => {
          const { color, marginLeft } = getComputedStyle(element);
          return `${color}, ${marginLeft}`;
        });
      },
      "rgb(1, 2, 3), 3px",
    ],
    ["/file.bin", async (page: Page) => page.getByText("Your file is ready.").count(), 1],
  ])("%s is shown as what it is, and can be saved", async (path, read, expected) => {
    const { page, context } = await buy(path);
    expect(await read(page)).toBe(expected);
    expect(await page.title()).not.toBe("run");
    const saved = page.waitForEvent("download");
    await page.getByRole("link", { name: "Save as" }).click();
    expect((await saved).suggestedFilename()).toMatch(/^(text|json|spaced|image|html|file)\.\w+$/);
    await context.close();
  });

  test.concurrent.each(views)("every screen, %s", async (_name, options) => {
    const window = await arrive("/json", options);
    const { page, wallets } = window;
    const [wallet] = wallets;
    await page.getByText("Pay from a program").click();
    await expectFit(page, "wallets");
    if (wallet) wallet.mood = "reject";
    await page.getByRole("button", { name: "Alpha" }).click();
    await page.getByRole("heading", { name: "Request rejected in your wallet" }).waitFor();
    await expectFit(page, "problem");
    if (wallet) wallet.mood = "sign";
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Review and sign" }).waitFor();
    await page.locator("#flow .address summary").first().click();
    await expectFit(page, "review");
    // Here and not at the facilitator: the other windows pay meanwhile.
    await page.route("**/*", (route) => {
      const isPaid = route.request().headers()["payment-signature"] !== undefined;
      return isPaid ? route.fulfill({ status: 503, body: "" }) : route.continue();
    });
    const refused = page.waitForResponse((one) => one.status() === 503);
    await sign(window);
    await expectFit(page, "progress");
    await refused;
    await page.reload();
    await page.getByRole("heading", { name: "Your payment is not finished" }).waitFor();
    await expectFit(page, "open");
    await page.unroute("**/*");
    await page.getByRole("button", { name: "Try again with the same signature" }).click();
    await contentOf(window);
    await expectFit(page, "paid");
    await window.context.close();
  });
});
