/**
 * The code on the integrate screen is what it claims to be: it is read from the page, run as it
 * stands, and sells.
 */
import { execFile, spawn, spawnSync, type ChildProcess } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startServerProcess } from "@farthing/lab/server-process";
import {
  authorizationTypedData,
  toWireAuthorization,
  type Authorization,
} from "@farthing/protocol";
import { privateKeyToAccount } from "viem/accounts";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { stockBuyer } from "../support/buyers.testing.ts";
import { describeInBrowser } from "../support/chromium.testing.ts";
import { bin } from "../support/farthing-command.testing.ts";
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

  async function codeOf(tab: string, block = `code for ${tab}`): Promise<string> {
    await visit(window, "Integrate");
    await window.page.getByRole("tab", { name: tab, exact: true }).click();
    const code = window.page.getByRole("region", { name: block, exact: true });
    return (await code.textContent()) ?? "";
  }

  async function expectSale(port: number): Promise<void> {
    const buyer = stage.market.newBuyer();
    const response = await stockBuyer(stage.market, buyer)(`http://127.0.0.1:${port}/report`);
    expect(await response.json()).toMatchObject({ report: "…" });
    expect(await stage.market.transfers(buyer.address)).toHaveLength(1);
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
    [
      "Next.js",
      // Next.js calls the handler in the same way.
      (code: string, port: number) =>
        `import { serve } from "@hono/node-server";\n${code.replace("127.0.0.1:3000", `127.0.0.1:${port}`)}\nconst context = { params: Promise.resolve({}) };\nserve({ fetch: (request) => GET(request, context), port: ${port} });`,
    ],
  ])("the code for %s sells", async (tab, onPort) => {
    const [port = 0] = await freePorts(1);
    const code = onPort(await codeOf(tab), port);
    expect(code).toContain(`${port}`);
    const shop = await run(code, port, key);
    try {
      await expectSale(port);
    } finally {
      shop.kill();
    }
  });

  test("the code for MCP sells a tool, and its agent buys it", async () => {
    const [port = 0] = await freePorts(1);
    const tools = (await codeOf("MCP")).replace("listen(4021)", `listen(${port})`);
    const agent = await codeOf("MCP", "code for an agent that buys");
    const server = await run(tools, port, key);
    try {
      const buyer = stage.market.newBuyer();
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [...fromSources, agent.replace(":4021/", `:${port}/`)],
        {
          cwd: root,
          env: {
            PATH: process.env["PATH"],
            FARTHING_WALLET_KEY: buyer.privateKey,
            FARTHING_RPC_URL: "none",
          },
        },
      );
      expect(JSON.parse(stdout)).toMatchObject([{ text: "Rain in Paris." }]);
      expect(await stage.market.transfers(buyer.address)).toHaveLength(1);
    } finally {
      server.kill();
    }
  });

  describe("in front of an API in another language", () => {
    const folder = mkdtempSync(join(tmpdir(), "farthing-snippets-"));
    const stack = new AsyncDisposableStack();
    stack.defer(() => rmSync(folder, { recursive: true, force: true }));
    afterAll(() => stack.disposeAsync());

    /** Runs the program of the page where there is Python, or the same API in JavaScript. */
    async function startApi(port: number): Promise<void> {
      writeFileSync(join(folder, "api.py"), (await codeOf("Python")).replace("8000", `${port}`));
      const api = isInstalled("python3", "--version")
        ? spawn("python3", ["api.py"], { cwd: folder, stdio: "ignore" })
        : spawn(process.execPath, ["--eval", apiInJavaScript(port)], { stdio: "ignore" });
      const ended = once(api, "exit");
      stack.defer(async () => {
        api.kill();
        await ended;
      });
      await expect
        .poll(() => Promise.race([ended.then(() => "ended"), isAnswered(port)]))
        .toBe(true);
    }

    async function startGateway(words: readonly string[]): Promise<string> {
      const gateway = startServerProcess({
        argv: [...fromSources.slice(0, 1), bin, ...words],
        env: { FARTHING_API_KEY: key },
        launcher: ["env", `--chdir=${folder}`],
        addressLine: /^The gateway listens on (http\S+)$/,
      });
      stack.defer(async () => void (await gateway.stop()));
      return gateway.listening;
    }

    test("the code for Gateway sells an API, here the one for Python", async () => {
      const [api = 0, port = 0] = await freePorts(2);
      await startApi(api);
      const file = (await codeOf("Gateway"))
        .replaceAll("4021", `${port}`)
        .replace("8000", `${api}`);
      writeFileSync(join(folder, "gateway.yaml"), file);
      await startGateway(["gateway"]);
      await expectSale(port);
    });

    test("the code for Python sells behind the command, which is that for Go", async () => {
      const [api = 0, port = 0] = await freePorts(2);
      await startApi(api);
      const command = await codeOf("Python", "command for the gateway");
      expect(await codeOf("Go", "command for the gateway")).toBe(command);
      const words = command.replaceAll("\\\n", " ").split("npx farthing ")[1] ?? "";
      const listen = ["--listen", `127.0.0.1:${port}`];
      await startGateway([...words.replace("8000", `${api}`).trim().split(/\s+/), ...listen]);
      await expectSale(port);
    });
  });

  // Building net/http takes a quarter of a minute; its formatter parses the file in no time.
  test.skipIf(!isInstalled("gofmt", "-h"))("the code for Go is formatted Go", async () => {
    const code = await codeOf("Go");
    expect(spawnSync("gofmt", { input: code, encoding: "utf8" })).toMatchObject({
      status: 0,
      stdout: `${code}\n`,
    });
  });

  test("the syntax of every language is highlighted", async () => {
    const { page } = window;
    await visit(window, "Integrate");
    for (const tab of ["Express", "Gateway", "Python", "Go", "curl"]) {
      await page.getByRole("tab", { name: tab, exact: true }).click();
      const code = page.getByRole("region", { name: `code for ${tab}`, exact: true });
      await code.locator(".hljs-string").first().waitFor();
      expect(await code.textContent()).toContain(tab === "curl" ? "/verify" : "report");
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

const fromSources = ["--conditions=@farthing/source", "--input-type=module", "--eval"];

function isInstalled(program: string, ...words: string[]): boolean {
  return spawnSync(program, words).status === 0;
}

const apiInJavaScript = (port: number): string =>
  `require("node:http").createServer((_, r) => r.setHeader("content-type", "application/json").end('{"report":"…"}')).listen(${port}, "127.0.0.1")`;

const isAnswered = (port: number): Promise<boolean> =>
  fetch(`http://127.0.0.1:${port}/report`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Runs a module as Node does from a file in the project; resolves when its server listens. */
async function run(code: string, port: number, apiKey: string): Promise<ChildProcess> {
  const watched = `import { Server } from "node:net";
const listen = Server.prototype.listen;
Server.prototype.listen = function (...given) {
  this.once("listening", () => console.log("listening"));
  return listen.apply(this, given);
};
`;
  const child = spawn(process.execPath, [...fromSources, watched + code], {
    cwd: root,
    env: {
      PATH: process.env["PATH"],
      NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"],
      FARTHING_API_KEY: apiKey,
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const listening = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on("line", () => listening.resolve());
  child.once("exit", () => listening.reject(new Error(`The shop on ${port} ended.`)));
  await listening.promise;
  return child;
}
