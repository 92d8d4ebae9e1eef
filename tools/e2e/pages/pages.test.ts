/** The pages that the facilitator writes: read by people, by search engines, and without a script. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit, views } from "../support/axe.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { hostile, startPages, type PagesFixture } from "./fixture.testing.ts";

/** For a slow connection: the whole page, which loads nothing else. */
const pageBytesMax = 100_000;

const browserAccept = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";

describeInBrowser("the facilitator's pages", () => {
  let pages: PagesFixture;
  beforeAll(async () => {
    pages = await startPages();
  });
  afterAll(() => pages?.stop());

  const looks = views.filter(([name]) => name === "light" || name === "on a phone, dark");
  const paths = [
    "/",
    "/status",
    "/market",
    "/market?q=weather&max=0.01",
    "/market?max=much",
    "/nowhere",
    "gateway/",
    "gateway/nowhere",
  ];
  const addressOf = (path: string) =>
    path.startsWith("gateway") ? path.replace("gateway", pages.gatewayUrl) : `${pages.url}${path}`;
  const seen = looks.flatMap((view) => paths.map((path) => [path, ...view] as const));
  test.each(seen)("%s is small, accessible and fits: %s", async (path, _name, options) => {
    const { page, context, complaints } = await pages.open(options);
    const url = addressOf(path);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(request.url()));
    const response = await page.goto(url);
    const size = (await response?.body())?.length ?? Infinity;
    expect(size).toBeLessThan(pageBytesMax);
    await expectFit(page, path);
    expect(requested.filter((one) => !one.startsWith("data:"))).toEqual([url]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("/ says what is served, whether it is in order and what it costs", async () => {
    const { page } = await pages.open();
    await page.goto(`${pages.url}/`);
    await page.getByText("Ready", { exact: true }).waitFor();
    // What people come for stands before the state of the service.
    const titles = await page.getByRole("heading", { level: 2 }).allTextContents();
    expect([...titles.slice(0, 3), titles.at(-1)]).toEqual(["Sell", "Buy", "Integrate", "Health"]);
    await page.getByText(pages.market.network.usdc).waitFor();
    await page.getByText("None; from 0.001 USDC per payment").waitFor();
    expect(await page.locator("link[rel=canonical]").getAttribute("href")).toMatch(/^http.*\/$/);
    await page.getByRole("banner").getByRole("link", { name: "Market" }).click();
    await page.getByRole("heading", { level: 1, name: "APIs paid by request" }).waitFor();
  });

  test.each(["/", "/status", "/market", "/docs"])(
    "%s links to the operator's guides",
    async (path) => {
      const { page, context } = await pages.open();
      await page.goto(pages.url + path);
      const guides = page.getByRole("link", { name: "Guides", exact: true }).first();
      expect(await guides.getAttribute("href")).toBe("https://docs.pay.example/start");
      await context.close();
    },
  );

  test("/ is a page for browsers only: programs get what they have always got", async () => {
    // Node's fetch names its mode; a browser's navigation is in the tests above.
    for (const accept of ["*/*", "application/json", browserAccept]) {
      const { status, headers } = await fetch(`${pages.url}/`, { headers: { accept } });
      expect([status, headers.get("content-type")]).toEqual([
        404,
        "application/json; charset=utf-8",
      ]);
      expect(headers.get("vary")).toBe("Accept, Sec-Fetch-Mode");
    }
  });

  test.each([
    ["/nowhere", 404, "not_found", "Page not found"],
    ["/api/facilitator/nowhere", 404, "not_found", "Page not found"],
    ["/account/facilitator/assets/none.js", 404, "not_found", "Page not found"],
    ["/settlements/stl_none", 401, "unauthorized", "Not available in a browser"],
    ["/settle", 405, "method_not_allowed", "Not available in a browser"],
    ["/%E0%A4%A", 400, "invalid_request", "The request was refused"],
    ["gateway/nowhere", 404, "not_found", "Page not found"],
    ["gateway/a%2Fb", 400, "malformed_request", "The request was refused"],
    ["gateway/list", 502, "upstream_unreachable", "Not available right now"],
  ])(
    "an error at %s is a page that leads back, and for programs JSON",
    async (path, status, code, title) => {
      const { page, context } = await pages.open();
      const response = await page.goto(addressOf(path));
      expect(response?.status()).toBe(status);
      await page.getByRole("heading", { level: 1, name: title }).waitFor();
      await page.getByText(code, { exact: true }).waitFor();
      const start = page.getByRole("link", { name: "Go to the start page" });
      expect(await start.getAttribute("href")).toBe("/");
      for (const accept of ["*/*", "application/json", browserAccept]) {
        const { status: plain, headers, ...body } = await fetchJson(addressOf(path), accept);
        expect([plain, headers.get("vary")]).toEqual([status, "Accept, Sec-Fetch-Mode"]);
        expect(headers.get("content-type")).toMatch(/^application\/json/);
        expect(body).toMatchObject({ error: code, retryable: status === 502 });
      }
      await context.close();
    },
  );

  test("/status shows a day and a quarter, each with its figures as a table", async () => {
    const { page, context } = await pages.open();
    await page.goto(`${pages.url}/status`);
    await page
      .getByRole("img", { name: /Available in 9\d\.\d+% .* of the last 24 hours/ })
      .waitFor();
    await page
      .getByRole("img", { name: /settlements were confirmed in the last 24 hours/ })
      .waitFor();
    await page.getByRole("img", { name: /of the last 90 days/ }).waitFor();
    await page.getByText("Show as a table").last().click();
    expect(await page.getByRole("table").getByRole("row").count()).toBe(91);
    await expectFit(page, "/status with a table");
    await context.close();
  });

  test("/market can be searched and turned without a script", async () => {
    const { page } = await pages.open({ javaScriptEnabled: false });
    await page.goto(`${pages.url}/market`);
    await page.getByText("23 endpoints, the newest first").waitFor();
    expect(await page.getByRole("article").count()).toBe(20);
    expect(await page.locator("link[rel=canonical]").getAttribute("href")).toMatch(/\/market$/);
    await page.getByRole("link", { name: "Next page" }).click();
    await page.getByRole("heading", { level: 2, name: "Weather report 0" }).waitFor();
    expect(await page.locator("link[rel=canonical]").getAttribute("href")).toMatch(/\?page=2$/);
    await page.getByLabel("Search").fill("weather");
    await page.getByLabel("Highest price in USDC").fill("0.003");
    await page.getByRole("button", { name: "Search" }).click();
    await page.waitForURL(/max=0\.003/);
    expect(await page.getByRole("heading", { level: 2 }).allTextContents()).toEqual([
      "Weather report 2",
      "Weather report 1",
      "Weather report 0",
    ]);
    // Search engines keep the market once, and not each search.
    expect(await page.locator("meta[name=robots]").getAttribute("content")).toBe("noindex");
    const [first] = await page.getByRole("article").all();
    await first?.getByText("99.8% of 720 checks passed").waitFor();
    await first?.getByText("2026-11-23 09:30 UTC").waitFor();
  });

  test("/market says whose endpoints it shows, and leads to all of them", async () => {
    const { page, context } = await pages.open();
    await page.goto(`${pages.url}/market`);
    const { address } = pages.market.devnet.seller;
    await page.getByRole("link", { name: address }).first().click();
    await page.getByText(`Only endpoints that are paid to ${address}`).waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await page.waitForURL(/\/market$/);
    await context.close();
  });

  test("/market shows what a stranger wrote as text, and nothing of it runs", async () => {
    const { page, complaints } = await pages.open();
    await page.goto(`${pages.url}/market`);
    const [first, tool] = await page.getByRole("article").all();
    await tool?.getByText("An agent calls the tool forecast of this MCP server").waitFor();
    expect(await first?.getByRole("heading").textContent()).toBe(hostile.title);
    expect(await first?.locator("script, img, svg").count()).toBe(0);
    expect(await first?.textContent()).not.toContain("\u202e");
    expect(await page.evaluate("window.taken")).toBeUndefined();
    await page.getByRole("link", { name: hostile.tag }).click();
    await page.getByText("The best matches first").waitFor();
    expect(await page.getByLabel("Search").inputValue()).toBe(hostile.tag);
    await page.goto(`${pages.url}/market?q=${encodeURIComponent(hostile.title)}&page=9e9`);
    expect(await page.evaluate("window.taken")).toBeUndefined();
    expect(complaints).toEqual([]);
  });

  test("/market copies the command that buys, quoted for a shell", async () => {
    const { page, context } = await pages.open();
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.goto(`${pages.url}/market`);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await page.getByRole("button", { name: "Copied" }).waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
      String.raw`npx farthing pay -H "Content-Type: application/json" -d '{"city":"Rome\u0027; rm -rf ~ #"}' --network eip155:51 --max-amount 0.023 "https://api.example/reports/22?city=Rome%27%3B+rm+-rf+%7E+%23"`,
    );
  });

  test("the gateway's / shows what it sells, with the command that buys", async () => {
    const { page } = await pages.open();
    await page.goto(`${pages.gatewayUrl}/`);
    await page.getByRole("heading", { level: 1, name: "Weather <reports>" }).waitFor();
    const [one, batch] = await page.getByRole("article").all();
    await one?.getByText("0.01 USDC").waitFor();
    await one?.getByText("GET https://api.example.com/reports/{id}").waitFor();
    await batch
      ?.getByText(
        "npx farthing pay -X POST --network eip155:51 --max-amount 0.2 https://api.example.com/batch",
      )
      .waitFor();
    await page.getByText("1,234.5 USDC").waitFor();
    await page.getByText("--max-amount 1234.5 ").waitFor();
    await page.getByText("GET /list").waitFor();
  });
});

/** As a program: Node's fetch names its mode. */
async function fetchJson(url: string, accept: string) {
  const response = await fetch(url, { headers: { accept } });
  const { status, headers } = response;
  return { status, headers, ...Object(await response.json()) };
}
