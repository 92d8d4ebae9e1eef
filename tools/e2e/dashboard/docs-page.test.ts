/** The reference at /docs as a browser shows it: under its own policy, and with every operation. */
import { isObject } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { findBarriers, widthOver } from "../support/axe.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, startStage, type Stage } from "./fixture.testing.ts";

describeInBrowser("the reference in a browser", () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage();
  });
  afterAll(() => stage?.stop());

  /** How many operations programs are told of. */
  async function countOperations(): Promise<number> {
    const described: unknown = await (await fetch(`${stage.url}/openapi.json`)).json();
    const paths = isObject(described) ? described["paths"] : undefined;
    if (!isObject(paths)) throw new Error("The description has no paths.");
    return Object.values(paths).flatMap((path) => Object.keys(Object(path))).length;
  }

  test("shows every operation, and its policy keeps nothing out", async () => {
    const window = await openWindow(stage, []);
    const { page } = window;
    await page.goto(`${stage.url}/docs`);
    const operations = page.locator(".opblock");
    await operations.first().waitFor();
    const count = await countOperations();
    expect(count).toBeGreaterThan(40);
    expect(await operations.count()).toBe(count);
    const settle = page.locator(".opblock", { has: page.getByText("/settle", { exact: true }) });
    await settle.getByRole("button", { expanded: false }).first().click();
    await settle.getByText("paymentRequirements").first().waitFor();
    // It is there to be read: next to a session's cookie nothing is sent from it.
    expect(await page.getByRole("button", { name: /try it out|execute/i }).count()).toBe(0);
    expect(window.complaints).toEqual([]);
  });

  test("can be read: its colours, its names, its order", async () => {
    const { page } = await openWindow(stage, []);
    await page.goto(`${stage.url}/docs`);
    await page.locator(".opblock").first().waitFor();
    const barriers = await findBarriers(page);
    // Swagger UI has links within the buttons that open an operation.
    expect(barriers.filter((one) => !one.startsWith("nested-interactive"))).toEqual([]);
  });

  test("fits a phone", async () => {
    const viewport = { width: 360, height: 740 };
    const { page } = await openWindow(stage, [], { viewport, isMobile: true });
    await page.goto(`${stage.url}/docs`);
    await page.locator(".opblock").first().waitFor();
    expect(await widthOver(page)).toBe(0);
  });
});
