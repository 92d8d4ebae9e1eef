/** The reference at /docs as a browser shows it: under its own policy, and with every operation. */
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit, views } from "../support/axe.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, startStage, type Stage } from "./fixture.testing.ts";

const settle = "/docs#payments/tag/payments/POST/settle";

describeInBrowser("the reference in a browser", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.stop());

  /** The operations of a document, such as `POST /settle`. */
  async function operationsAt(path: string): Promise<string[]> {
    const described: unknown = await (await fetch(stage.url + path)).json();
    const paths = isObject(described) ? described["paths"] : undefined;
    if (!isObject(paths)) throw new Error(`${path} has no paths.`);
    return Object.entries(paths).flatMap(([route, item]) =>
      Object.keys(Object(item)).map((method) => `${method.toUpperCase()} ${route}`),
    );
  }

  test("its two parts have every operation once; those of the dashboard stand apart", async () => {
    const whole = await operationsAt("/openapi.json");
    const [payments, account] = [
      await operationsAt("/docs/payments.json"),
      await operationsAt("/docs/account.json"),
    ];
    const repeated = whole.filter((one) => one.includes(" /api/facilitator/"));
    expect(repeated.length).toBeGreaterThan(5);
    expect([...payments, ...account, ...repeated].sort()).toEqual([...whole].sort());
    expect(payments).toContain("POST /settle");
    expect(payments.filter((one) => one.includes("/v1/account"))).toEqual([]);
  });

  test("shows an operation with samples in four languages, and loads nothing from elsewhere", async () => {
    const { page, complaints } = await openWindow(stage, []);
    const requested: string[] = [];
    page.on("request", (request) => requested.push(new URL(request.url()).origin));
    await page.goto(stage.url + settle);
    const sample = page.getByRole("group", { name: "Request Example for post/settle" });
    const languages = page.getByRole("tablist", { name: "Client Libraries" });
    for (const [language, text] of [
      ["TypeScript", "fetch("],
      ["Python", "requests.post("],
      ["Go", "http.NewRequest("],
      ["Shell", "curl "],
    ] as const) {
      await languages.getByRole("tab", { name: language }).click();
      await sample.filter({ hasText: text }).waitFor();
    }
    // The body is one payment, not a list of empty members.
    expect(await sample.textContent()).toMatch(/"network": "eip155:51",\s+"amount": "10000"/);
    // It is there to be read: next to a session's cookie nothing is sent from it.
    expect(await page.getByRole("button", { name: /test request|send/i }).count()).toBe(0);
    expect(new Set(requested.filter((one) => one !== "null"))).toEqual(new Set([stage.url]));
    expect(complaints).toEqual([]);
  });

  test.each(views)("is accessible and fits: %s", async (_name, options) => {
    const { page, context } = await openWindow(stage, [], options);
    await page.goto(stage.url + settle);
    await page.getByText('"paymentRequirements"').first().waitFor();
    await expectFit(page, settle);
    await context.close();
  });

  test("the account's part is accessible and fits", async () => {
    const { page } = await openWindow(stage, [], { colorScheme: "dark" });
    await page.goto(`${stage.url}/docs#account/tag/api-keys/POST/v1/account/keys`);
    await page.getByRole("heading", { name: "Create an API key" }).first().waitFor();
    await expectFit(page, "account");
  });
});
