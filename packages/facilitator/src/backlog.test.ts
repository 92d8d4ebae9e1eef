/** A start with payments under way: they are looked up together, not one after the other. */
import { expect, onTestFinished, test } from "vitest";
import { bodyOn, newDatabaseUrl, serveOn, startChain } from "./facilitator.testing.ts";
import { startRpcProxy, type ProxiedCall } from "./rpc-proxy.testing.ts";

/** More than are looked up at once, and few enough for the wallets if each goes alone. */
const payments = 24;
const wallets = [0, 1, 2, 3];

test("a start looks many payments up at once, and then knows what became of each", async () => {
  // No block comes unless the test makes one.
  const devnet = await startChain({ blockTimeSeconds: 3_600 });
  onTestFinished(() => devnet.stop());
  const proxy = await startRpcProxy(devnet.rpcUrl);
  onTestFinished(() => proxy.stop());
  const databaseUrl = newDatabaseUrl();
  const before = await serveOn(devnet, { databaseUrl, wallets });
  const prefer = { prefer: "respond-async" };
  const bodies = Array.from({ length: payments }, () => bodyOn(devnet));
  const settleAll = () => Promise.all(bodies.map((body) => before.post("/settle", body, prefer)));
  const unsent = async () =>
    (await settleAll()).filter(({ body }) => body["transaction"] === "").length;
  await expect.poll(unsent, { timeout: 10_000 }).toBe(0);
  await before.stop();
  await devnet.mine();

  let asked = 0;
  const several = Promise.withResolvers<void>();
  onTestFinished(() => several.resolve());
  proxy.step = async (side, calls) => {
    if (side === "after" || !calls.some(isSearch)) return;
    asked++;
    await several.promise;
  };
  const starting = serveOn(devnet, { databaseUrl, wallets, rpcUrl: proxy.url });
  await expect.poll(() => asked, { timeout: 5_000 }).toBeGreaterThan(1);
  several.resolve();
  const after = await starting;
  onTestFinished(() => after.stop());

  expect(asked).toBe(payments);
  const answers = await Promise.all(bodies.map((body) => after.post("/settle", body)));
  expect(answers.map(({ body }) => body["status"])).toEqual(bodies.map(() => "confirmed"));
});

/** A search for one authorization: by its payer and its nonce. */
function isSearch({ method, params }: ProxiedCall): boolean {
  return method === "eth_getLogs" && /"topics":\[\[[^\]]*\],"0x/.test(JSON.stringify(params));
}
