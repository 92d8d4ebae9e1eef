/** The documentation as a site: it builds, nothing leads nowhere, and it reads well in a browser. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { errorCodes, refusalCodes } from "@farthing/protocol";
import { expectFit, views } from "../e2e/support/axe.testing.ts";
import { describeInBrowser, startChromium } from "../e2e/support/chromium.testing.ts";
import { entryPoints } from "../types-reference/entry-points.ts";
import { openWalletWindow } from "../e2e/support/wallet-window.testing.ts";

const root = join(import.meta.dirname, "../..");
const site = mkdtempSync(join(tmpdir(), "farthing-site-"));

/** The pages of types and the build take 25 seconds by themselves, and minutes beside other tests. */
const buildMs = 600_000;

beforeAll(async () => {
  const run = promisify(execFile);
  // It fails on links in comments that lead nowhere.
  await run(process.execPath, ["tools/types-reference/main.ts"], { cwd: root });
  const vitepress = join(root, "node_modules/vitepress/bin/vitepress.js");
  // It fails on links between pages that lead nowhere.
  await run(process.execPath, [vitepress, "build", "docs", "--outDir", site], { cwd: root });
}, buildMs);
afterAll(() => rmSync(site, { recursive: true, force: true }));

/** The pages by their address, such as `/guides/buy`. */
function pagesOf(): Map<string, string> {
  const files = readdirSync(site, { recursive: true, encoding: "utf8" });
  return new Map(
    files
      .filter((file) => file.endsWith(".html"))
      .map((file) => [
        `/${file.replace(/(^|\/)index\.html$|\.html$/, "$1")}`,
        readFileSync(join(site, file), "utf8"),
      ]),
  );
}

test("every page of the guides, the concepts and the reference is there", () => {
  const pages = pagesOf();
  for (const folder of ["guides", "concepts", "reference"]) {
    const names = readdirSync(join(root, "docs", folder)).filter((name) => name.endsWith(".md"));
    const missing = names.filter((name) => !pages.has(`/${folder}/${name.slice(0, -3)}`));
    expect([folder, missing]).toEqual([folder, []]);
  }
});

test("every name that a program imports from the libraries has a page, and what it exports a heading", () => {
  const pages = pagesOf();
  const missing = entryPoints().filter(({ name }) => !pages.has(`/types/${name}`));
  expect(missing).toEqual([]);
  for (const [name, heading] of [
    ["@farthing/seller", "createseller"],
    ["@farthing/seller/express", "farthing"],
    ["@farthing/buyer", "wrapfetch"],
    ["@farthing/engine/x402", "createfacilitator"],
  ]) {
    expect(pages.get(`/types/${name}`)).toContain(`id="${heading}"`);
  }
});

test("every link of the site leads to a page and to a heading that is on it", () => {
  const pages = pagesOf();
  const broken = [...pages].flatMap(([from, text]) =>
    [...text.matchAll(/<a[^>]* href="(\/[^"]*|#[^"]*)"/g)].flatMap(([, href = ""]) => {
      const { pathname, hash } = new URL(href, `http://site${from}`);
      const page = pages.get(decodeURI(pathname));
      const isFile = extname(pathname) !== "" && statSync(join(site, pathname)).isFile();
      const id = decodeURIComponent(hash.slice(1));
      const isThere = page === undefined ? isFile : id === "" || page.includes(`id="${id}"`);
      return isThere ? [] : [`${from}: ${href}`];
    }),
  );
  expect(broken).toEqual([]);
});

test("programs find every page as Markdown, from a list whose links lead somewhere", () => {
  const missing = [...pagesOf().keys()]
    .filter((path) => path !== "/404")
    .map((path) => (path.endsWith("/") ? `${path}index.md` : `${path}.md`))
    .filter((path) => !existsSync(join(site, path)));
  expect(missing).toEqual([]);
  const list = readFileSync(join(site, "llms.txt"), "utf8");
  const links = [...list.matchAll(/\]\((\/[^)]*)\)/g)].map(([, path = ""]) => path);
  expect(links).toContain("/guides/sell-with-express.md");
  expect(links.filter((path) => !existsSync(join(site, path)))).toEqual([]);
  const whole = readFileSync(join(site, "llms-full.txt"), "utf8");
  expect(whole).toContain("# Sell with Express");
  // Comments for tools are left out, and what is no page leads to the repository.
  expect(whole).not.toMatch(/<!-- (run|elsewhere|needs):/);
  const page = readFileSync(join(site, "guides/sell-behind-your-proxy.md"), "utf8");
  expect(page).toMatch(/\]\(https:\/\/[^)]*\/blob\/main\/deploy\/nginx\/authorize\.conf\)/);
  expect(page).toContain("](give-money-back.md)");
});

const readList = (file: string): unknown => JSON.parse(readFileSync(join(site, file), "utf8"));

test("programs find every code and every promise in a list", () => {
  const codes = JSON.stringify(readList("errors.json"));
  expect([...refusalCodes, ...errorCodes].filter((code) => !codes.includes(`"${code}"`))).toEqual(
    [],
  );
  const { refusals, errors, seller, gateway } = Object(readList("errors.json"));
  // Each says whether to try again.
  const unsaid = [...refusals, ...errors, ...gateway].filter(
    ({ retryable }) => typeof retryable !== "boolean",
  );
  expect(unsaid).toEqual([]);
  expect(seller).toContainEqual(
    expect.objectContaining({ code: "facilitator_unavailable", statuses: [503], retryable: true }),
  );
  expect(readList("guarantees.json")).toMatchObject({ guarantees: expect.any(Array) });
});

test("the comments for tools do not show, and pictures stand in the pages", () => {
  const pages = pagesOf();
  const shown = [...pages].filter(([, text]) => /<!--\s*(run|elsewhere):|&lt;!--/.test(text));
  expect(shown.map(([path]) => path)).toEqual([]);
  expect(pages.get("/concepts/payment-flow")).toMatch(/<svg class="drawing"[^>]* role="img"/);
});

test("every code of a refusal and of an error has a heading in the troubleshooting", () => {
  const page = pagesOf().get("/reference/troubleshooting") ?? "";
  const missing = [...refusalCodes, ...errorCodes].filter((code) => !page.includes(`id="${code}"`));
  expect(missing).toEqual([]);
});

const types: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".json": "application/json",
  ".svg": "image/svg+xml",
};

describeInBrowser("in a browser", () => {
  let server: Server;
  let browser: Browser;
  let url = "";
  beforeAll(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      const path = pathname.endsWith("/") ? `${pathname}index.html` : pathname;
      const file = join(site, extname(path) === "" ? `${path}.html` : path);
      response.setHeader("Content-Type", types[extname(file)] ?? "application/octet-stream");
      response.end(readFileSync(file));
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address();
    url = typeof address === "object" && address ? `http://127.0.0.1:${address.port}` : "";
    browser = await startChromium();
  });
  afterAll(async () => {
    await browser?.close();
    server?.close();
  });

  const paths = [
    "/",
    "/concepts/payment-flow",
    "/guides/sell-with-express",
    "/reference/refusals",
    "/404",
    "/types/@farthing/seller",
  ];

  test.each(views)("is accessible, fits and loads nothing from elsewhere: %s", async (_, view) => {
    const { page, context, complaints } = await openWalletWindow(browser, [], view);
    const origins = new Set<string>();
    page.on("request", (request) => origins.add(new URL(request.url()).origin));
    for (const path of paths) {
      await page.goto(url + path);
      await page.getByRole("heading", { level: 1 }).waitFor();
      await expectFit(page, path);
    }
    expect([...origins].filter((origin) => origin !== "null")).toEqual([url]);
    expect(complaints).toEqual([]);
    await context.close();
  });

  test("finds a page by its words, without a server", async () => {
    const { page } = await openWalletWindow(browser, []);
    await page.goto(`${url}/`);
    await page.getByRole("button", { name: "Search" }).click();
    // What a person does comes before the types of the libraries.
    await page.getByRole("searchbox").fill("refund");
    const results = page.locator("#localsearch-list a");
    await results.nth(5).waitFor();
    const links = await results.evaluateAll((found) =>
      found.slice(0, 5).map((link) => link.getAttribute("href") ?? ""),
    );
    expect(links.filter((link) => link.includes("/types/"))).toEqual([]);
    // The name of a code leads to its page, although guides answer questions about its words.
    await page.getByRole("searchbox").fill("insufficient_facilitator_credits");
    // Not what the word before has found.
    await expect.poll(() => results.first().getAttribute("href")).toMatch(/^\/reference\//);
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/reference\//);
  });

  test.each([
    ["how do I get paid", "/guides/sell-with-express"],
    ["gas", "/concepts/payment-flow"],
    ["refund", "/guides/give-money-back"],
    ["how can my agent pay", "/guides/agents"],
    ["nginx", "/guides/sell-behind-your-proxy"],
    ["free for a partner", "/guides/price-by-caller"],
    ["monthly subscription", "/guides/sell-a-subscription"],
    ["is the payment final", "/concepts/finality"],
    ["my payment failed", "/reference/troubleshooting"],
    ["run my own facilitator", "/guides/run-a-facilitator"],
    ["proof of payment for my books", "/guides/prove-what-you-paid"],
    ["kubernetes", "/guides/run-on-kubernetes"],
    ["settlement_pending", "/reference/"],
  ])("the search answers: %s", async (question, path) => {
    const { page, context } = await openWalletWindow(browser, []);
    await page.goto(`${url}/`);
    await page.getByRole("button", { name: "Search" }).click();
    await page.getByRole("searchbox").fill(question);
    const first = page.locator("#localsearch-list a").first();
    await first.waitFor();
    await expect.poll(() => first.getAttribute("href")).toMatch(new RegExp(`^${path}`));
    await context.close();
  });
});
