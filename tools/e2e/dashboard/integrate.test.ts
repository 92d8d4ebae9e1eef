/**
 * The code on the integrate screen is what it claims to be: it is read from the page, run as it
 * stands, and sells.
 */
import { execFile, spawn, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import {
  authorizationTypedData,
  toWireAuthorization,
  type Authorization,
} from "@farthing/protocol";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { openWindow, signIn, startStage, type Stage } from "./fixture.testing.ts";
import { createKey, operate, visit } from "./steps.testing.ts";
import { freePorts } from "../support/free-ports.testing.ts";
import type { WalletWindow } from "../support/wallet-window.testing.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));

describeInBrowser("the integrate screen", () => {
  let stage: Stage;
  let window: WalletWindow;
  let key = "";
  beforeAll(async () => {
    stage = await startStage();
    const { seller } = stage.market.devnet;
    await operate(stage.market, ["credits", "grant", seller.address, "10", "--note", "Test"]);
    window = await openWindow(stage, [{ name: "Alpha", keys: [seller.privateKey] }]);
    await signIn(window, stage);
    key = await createKey(window, "Shop");
  });
  afterAll(() => stage?.stop());

  async function codeOf(tab: string): Promise<string> {
    await visit(window, "Integrate");
    await window.page.getByRole("tab", { name: tab, exact: true }).click();
    const code = window.page.getByRole("region", { name: `code for ${tab}` });
    return (await code.textContent()) ?? "";
  }

  test.each([
    [
      "Express",
      (code: string, port: number) => code.replace("app.listen(3000)", `app.listen(${port})`),
    ],
    ["Fastify", (code: string, port: number) => code.replace("port: 3000", `port: ${port}`)],
    [
      "@x402/express",
      (code: string, port: number) => code.replace("app.listen(3000)", `app.listen(${port})`),
    ],
    [
      "Hono",
      (code: string, port: number) =>
        `import { serve } from "@hono/node-server";\n${code.replace("export default app;", `serve({ fetch: app.fetch, port: ${port} });`)}`,
    ],
  ])("the code for %s sells", async (tab, onPort) => {
    const [port = 0] = await freePorts(1);
    const code = onPort(await codeOf(tab), port);
    expect(code).toContain(`${port}`);
    const shop = await run(code, port, key);
    try {
      const buyer = stage.market.newBuyer();
      const response = await stockBuyer(stage.market, buyer)(`http://127.0.0.1:${port}/report`);
      expect(await response.json()).toMatchObject({ report: "…" });
      expect(await stage.market.transfers(buyer.address)).toHaveLength(1);
    } finally {
      shop.kill();
    }
  });

  test("the code for curl verifies", async () => {
    const { devnet, network, newBuyer } = stage.market;
    const buyer = newBuyer();
    const authorization: Authorization = {
      from: buyer.address,
      to: devnet.seller.address,
      value: 10_000n,
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1000) + 120),
      nonce: `0x${randomBytes(32).toString("hex")}`,
    };
    const account = privateKeyToAccount(buyer.privateKey);
    const signature = await account.signTypedData(authorizationTypedData(network, authorization));
    const folder = await mkdtemp(join(tmpdir(), "curl-"));
    const payload = { signature, authorization: toWireAuthorization(authorization) };
    const payment = { x402Version: 2, scheme: "exact", network: network.id, payload };
    await writeFile(join(folder, "payment.json"), JSON.stringify(payment));
    const shell = promisify(execFile)("sh", ["-c", await codeOf("curl")], {
      cwd: folder,
      env: { PATH: process.env["PATH"], FARTHING_API_KEY: key },
    });
    expect(JSON.parse((await shell).stdout)).toMatchObject({
      isValid: true,
      payer: buyer.address,
    });
  });

  test("the copy button copies the code and says so", async () => {
    const { page, context } = window;
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    const code = await codeOf("Hono");
    await page.getByRole("button", { name: "Copy code for Hono" }).click();
    await page.getByRole("status").filter({ hasText: "Copied code for Hono" }).waitFor();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(code);
  });

  test("tabs are moved through with the arrow keys, and the choice is in the address", async () => {
    const { page } = window;
    await visit(window, "Integrate");
    await page.getByRole("tab", { name: "Express", exact: true }).focus();
    await page.keyboard.press("ArrowLeft");
    await page.getByRole("tab", { name: "curl", selected: true }).waitFor();
    expect(page.url()).toMatch(/integrate\?with=curl$/);
  });
});

/** Runs a module as Node does from a file in the project; resolves when its server listens. */
async function run(code: string, port: number, apiKey: string): Promise<ChildProcess> {
  const watched = `import { Server } from "node:net";
const listen = Server.prototype.listen;
Server.prototype.listen = function (...given) {
  this.once("listening", () => console.log("listening"));
  return listen.apply(this, given);
};
`;
  const child = spawn(
    process.execPath,
    ["--conditions=@farthing/source", "--input-type=module", "--eval", watched + code],
    {
      cwd: root,
      env: {
        PATH: process.env["PATH"],
        NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
        FARTHING_API_KEY: apiKey,
      },
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const listening = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", () => listening.resolve());
  child.once("exit", () => listening.reject(new Error(`The shop on ${port} ended.`)));
  await listening.promise;
  return child;
}
