/** `farthing dev` as a person has it: one command, its page in a browser, and Ctrl-C. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request as sendRequest, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, expect, test } from "vitest";
import { expectFit, views } from "../support/axe.testing.ts";
import { describeInBrowser, startChromium } from "../support/chromium.testing.ts";
import { bin } from "../support/farthing-command.testing.ts";
import { freePorts } from "../support/free-ports.testing.ts";
import { startApi, type Api } from "../support/gateway.testing.ts";

/** Chain, facilitator and gateway start within seven seconds beside other work. */
const slowMs = 180_000;

const hostile = `</script><img src=x onerror="document.title='run'">`;

let api: Api;
let pageUrl: string;
let dev: ReturnType<typeof startDev>;
const stack = new AsyncDisposableStack();

function startDev(...flags: string[]) {
  const child = spawn(process.execPath, [bin, "dev", ...flags], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { PATH: process.env["PATH"], NODE_COMPILE_CACHE: process.env["NODE_COMPILE_CACHE"] },
  });
  let said = "";
  const ready = new Promise<void>((resolve, reject) => {
    child.stdout.setEncoding("utf8").on("data", (part: string) => {
      said += part;
      if (/^Ready/m.test(said)) resolve();
    });
    child.once("exit", (code) => reject(new Error(`Ended with ${code}: ${said}`)));
  });
  return { child, ready, said: () => said };
}

beforeAll(async () => {
  api = await startApi();
  stack.defer(() => api.close());
  api.answer = (_, response) => response.setHeader("Content-Type", "text/html").end(hostile);
  const [port, pagePort] = await freePorts(2);
  pageUrl = `http://127.0.0.1:${pagePort}`;
  const places = ["--port", `${port}`, "--page-port", `${pagePort}`];
  dev = startDev("--to", api.url, "--price", "0.25", ...places);
  stack.defer(() => void dev.child.kill("SIGKILL"));
  await dev.ready;
});
afterAll(() => stack.disposeAsync());

/** Of an element with one text. */
function countLines(element: Element): number {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(({ top }) => top)).size;
}

/** Asks the page for a payment, as any program on this machine or site in a browser can. */
async function pay(headers: OutgoingHttpHeaders, target = "/report") {
  const host = new URL(pageUrl).host;
  const request = sendRequest(`${pageUrl}/pay`, {
    method: "POST",
    headers: { Host: host, Origin: pageUrl, "Content-Type": "application/json", ...headers },
  });
  request.end(JSON.stringify({ method: "GET", target, body: "" }));
  const [response] = await once(request, "response");
  return { status: response.statusCode, body: await text(response) };
}

test("nothing is paid for another site, by another name, or at another host", async () => {
  const { port } = new URL(pageUrl);
  const refused = await Promise.all([
    pay({ Origin: "http://elsewhere.example" }),
    pay({ Origin: "null" }),
    pay({ Host: `rebound.example:${port}`, Origin: `http://rebound.example:${port}` }),
    pay({ "Content-Type": "text/plain" }),
    pay({ "Sec-Fetch-Site": "cross-site" }),
    pay({}, "//elsewhere.example/"),
    pay({}, "/\\elsewhere.example/"),
  ]);
  expect(refused.map(({ status }) => status)).toEqual([403, 403, 421, 403, 403, 400, 400]);
  expect(dev.said()).not.toContain("payment");
  expect(api.heard).toEqual([]);
});

test("its chain obeys no page of another site", async () => {
  const [, chain = ""] = /chain +(\S+),/.exec(dev.said()) ?? [];
  const call = { jsonrpc: "2.0", id: 1, method: "eth_chainId", params: [] };
  const ask = async (headers: OutgoingHttpHeaders) => {
    const request = sendRequest(chain, { method: "POST", headers });
    request.end(JSON.stringify(call));
    const [response] = await once(request, "response");
    await text(response);
    return response.statusCode;
  };
  const foreign = { Origin: "http://elsewhere.example" };
  expect([await ask({}), await ask(foreign), await ask({ Host: "rebound.example" })]).toEqual([
    200, 403, 403,
  ]);
});

describeInBrowser("the page", () => {
  test("its button pays, and each step is told as text", async () => {
    const browser = await startChromium();
    stack.defer(() => browser.close());
    const page = await browser.newPage();
    page.setDefaultTimeout(slowMs);
    await page.goto(pageUrl);
    await page.getByLabel("Path").fill("/report?a=<b>");
    await page.getByRole("button", { name: "Pay 0.25 USDC" }).click();
    await page
      .getByText(/200, paid/)
      .first()
      .waitFor();
    await page.getByText(/0\.25 USDC, settled, transaction 0x/).waitFor();
    expect(await page.locator("#result").textContent()).toContain(hostile);
    expect(await page.title()).toBe("Farthing dev");
    const steps = await page.locator("#events tr td:nth-child(2)").allTextContents();
    expect(new Set(steps)).toEqual(new Set(["request", "payment", "response"]));
    expect(api.heard).toMatchObject([{ method: "GET", target: "/report?a=%3Cb%3E" }]);
    for (const [view, options] of views) {
      const other = await browser.newPage(options);
      await other.goto(pageUrl);
      await other
        .getByText(/200, paid/)
        .first()
        .waitFor({ timeout: slowMs });
      await expectFit(other, view);
      // No word of a short column is broken.
      const step = other.locator("#events tr:first-child td:nth-child(2)");
      expect(await step.evaluate(countLines)).toBe(1);
    }
  });
});

test("Ctrl-C ends all of it", async () => {
  const chain = /chain +(\S+),/.exec(dev.said())?.[1] ?? "";
  const gateway = /gateway +(\S+) /.exec(dev.said())?.[1] ?? "";
  const ended = once(dev.child, "exit");
  dev.child.kill("SIGINT");
  expect(await ended).toEqual([0, null]);
  for (const url of [chain, gateway, pageUrl]) {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await expect(once(socket, "connect")).rejects.toMatchObject({ code: "ECONNREFUSED" });
  }
});
