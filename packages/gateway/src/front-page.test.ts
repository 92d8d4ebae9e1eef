/** The page at `/`: who sells, and commands and buttons that work as they stand there. */
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { gatewayConfig, rule, type Settings } from "./configuration/gateway-file.testing.ts";
import { createFrontPage } from "./front-page.ts";

const headers = { accept: "text/html,*/*;q=0.8", "sec-fetch-mode": "navigate" };

async function pageOf(settings: Settings): Promise<string> {
  const show = createFrontPage(gatewayConfig(settings));
  return (await show({ method: "GET", path: "/", headers })?.text()) ?? "no page";
}

/** A document of the upstream in a file, as an operator has it. */
function documentFile(paths: object): string {
  const path = join(mkdtempSync(join(tmpdir(), "farthing-front-")), "openapi.json");
  const info = { title: "Weather of the document", version: "1" };
  writeFileSync(path, JSON.stringify({ openapi: "3.1.0", info, paths }));
  return path;
}

const text = { type: "string" };

test.each([
  ["the name above the price", { name: "Weather Ltd" }, "Weather API", "Weather Ltd"],
  ["the title of the API", undefined, "Weather API", "Weather API"],
  ["the title of the document", undefined, undefined, "Weather of the document"],
])("is titled by the seller: %s", async (_case, paywall, title, expected) => {
  const openapi = documentFile({ "/paid": { get: {} } });
  const page = await pageOf({ paywall, discovery: { ...(title && { title }), openapi } });
  expect(page).toContain(`<h1>${expected}</h1>`);
  expect(page).toContain(`<title>${expected}</title>`);
});

test("offers a button and a command where the address is one", async () => {
  const page = await pageOf({});
  expect(page).toContain('<a class="action" href="https://api.example.com/paid">Open and pay</a>');
  expect(page).toContain("npx farthing pay --max-amount 0.01 https://api.example.com/paid");
});

test("a parameter without a known value has no command and no button", async () => {
  const page = await pageOf({ routes: [rule("GET /paid/:id 0.01")] });
  expect(page).not.toContain("npx farthing pay");
  expect(page).not.toContain("Open and pay");
  expect(page).toContain("Put a value of yours in place of {id}.");
});

test("a parameter has the value of the upstream's document, also in the query and the body", async () => {
  const city = { name: "city", in: "path", required: true, schema: text, example: "Las Palmas" };
  const days = { name: "days", in: "query", required: true, schema: { enum: [7, 14] } };
  const body = { required: true, content: { "application/json": { example: { to: "Ana" } } } };
  const openapi = documentFile({
    "/weather/{city}": { get: { parameters: [city, days] } },
    "/orders": { post: { requestBody: body } },
  });
  const page = await pageOf({
    discovery: { openapi },
    routes: [rule("GET /weather/:city 0.01"), rule("POST /orders 0.02")],
  });
  const address = "https://api.example.com/weather/Las%20Palmas?days=7";
  expect(page).toContain(`href="${address}">Open and pay</a>`);
  expect(page).toContain(`npx farthing pay --max-amount 0.01 &quot;${address}&quot;`);
  expect(page).toContain(
    "-H &quot;Content-Type: application/json&quot; -d &#39;{&quot;to&quot;:&quot;Ana&quot;}&#39;",
  );
  // A browser opens pages with GET alone.
  expect(page.match(/Open and pay/g)).toHaveLength(1);
});
