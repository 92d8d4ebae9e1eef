/** A seller whose facilitator is dead: the buyer hears soon whose fault it is, and can go on. */
import { createServer, type Server } from "node:net";
import { farthing as chargeNode } from "@farthing/seller/node";
import { listen } from "@farthing/seller/testing/listen";
import { afterEach, expect, test } from "vitest";
import { startFarthing } from "../support/farthing-command.testing.ts";
import { at, ownerFolder, startAgent } from "./agent.testing.ts";

/** A public test key without money. */
const privateKey = "0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d";
const wallet = { privateKey, address: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8" } as const;

const stack: (() => unknown)[] = [];
afterEach(async () => {
  while (stack.length > 0) await stack.pop()?.();
});

/** A server that accepts connections and says nothing. */
async function startSilent(): Promise<{ readonly host: string; readonly server: Server }> {
  const server = createServer();
  const sockets = new Set<{ destroy(): unknown }>();
  server.on("connection", (socket) => void sockets.add(socket));
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  stack.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no port");
  return { host: `127.0.0.1:${address.port}`, server };
}

/** The host of a port that is closed. */
async function closedHost(): Promise<string> {
  const { host, server } = await startSilent();
  await new Promise((resolve) => server.close(resolve));
  return host;
}

/** Opens a shop of ours with a facilitator at this address. */
async function openShop(facilitatorHost: string, price = "0.01"): Promise<string> {
  const charge = chargeNode({
    facilitator: { url: `http://${facilitatorHost}` },
    payTo: "0x209693Bc6afc0C5328bA36FaF03C514EF312287C",
    network: "xdc",
    price,
    onEvent: () => undefined,
  });
  const sell = charge({}, (_request, response) => void response.end("content"));
  const listening = await listen((request, response) => sell(request, response));
  stack.push(() => listening.close());
  return `${listening.url}/report`;
}

function payHere(args: readonly string[]) {
  const owner = ownerFolder();
  stack.push(() => owner.remove());
  const environment = { XDG_CONFIG_HOME: owner.path, FARTHING_WALLET_KEY: privateKey };
  const startedAt = Date.now();
  const run = startFarthing(args, environment);
  stack.push(() => run.kill());
  return { ...run, environment, seconds: () => (Date.now() - startedAt) / 1000 };
}

test.each([
  ["whose port is closed", closedHost, 5],
  ["that accepts and never answers", async () => (await startSilent()).host, 15],
])("farthing pay names a facilitator %s within seconds", async (_case, startHost, seconds) => {
  const host = await startHost();
  const run = payHere(["pay", await openShop(host)]);
  const first = await run.firstComplaint;
  expect(run.seconds()).toBeLessThan(seconds);
  expect(first).toContain(`The seller's facilitator (${host}) does not answer.`);
});

test("farthing pay ends with one verdict, and the step that it names can be taken", async () => {
  const host = await closedHost();
  const run = payHere(["pay", await openShop(host)]);
  const { code, stderr } = await run.ended;
  expect([code, run.seconds() < 60]).toEqual([11, true]);
  expect(stderr).toContain("payment not taken, says the seller: 0.01 USDC to ");
  expect(stderr).not.toContain("not known whether");
  const [, left, requestId = ""] =
    /within (\d+) s: farthing ledger resume (req_\w+)\n$/.exec(stderr) ?? [];
  expect(Number(left)).toBeGreaterThan(30);
  // The facilitator is still down, so the same payment meets the same verdict.
  const again = startFarthing(["ledger", "resume", requestId], run.environment);
  stack.push(() => again.kill());
  const resumed = await again.ended;
  expect(resumed.stderr).toContain("payment not taken, says the seller: 0.01 USDC to ");
});

test("an agent is told the same, and which command raises a limit", async () => {
  const host = await closedHost();
  const owner = ownerFolder();
  stack.push(() => owner.remove());
  const agent = await startAgent({ wallet, folder: owner.path });
  stack.push(() => agent.close());
  const down = await agent.call("fetch_paid", { url: await openShop(host) });
  expect(at(down.words, "payment", "problem")).toMatchObject({
    error: "not_charged",
    retryable: true,
    retry_action: "retry_same_payment",
    message: expect.stringContaining(`The seller's facilitator (${host}) does not answer.`),
  });
  const dear = { url: await openShop(host, "0.5") };
  const refused = await agent.call("fetch_paid", dear);
  expect(refused.words).toMatchObject({
    error: "per_payment_cap",
    payment_state: "unused",
    command: "farthing ledger limits set --per-call 0.5",
  });
  const low = await agent.call("fetch_paid", { url: await openShop(host), maxAmount: "0.001" });
  expect(low.words).toMatchObject({ callAgainWith: { maxAmount: "0.01" } });
});
