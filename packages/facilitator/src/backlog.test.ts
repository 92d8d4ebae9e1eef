/** A start with thousands of payments that ended while nobody looked: few requests, and no waiting. */
import { describe, expect, onTestFinished, test } from "vitest";
import { bodyOn, finalAfterBlocks, serveOn, startChain, walletAt } from "./facilitator.testing.ts";
import { startRpcProxy } from "./rpc-proxy.testing.ts";
import { bothEngines } from "./storage/store-benches.testing.ts";
import type { StoreBench } from "./storage/store-values.testing.ts";

/** A queue that expired meanwhile, and the failures of a day. */
const [queued, failed] = [5_000, 10_000];

/** HTTP requests that a start and the end of everything may take; one each would be 15,000. */
const requestsMax = { start: 60, all: 250 };

/** Two blocks are enough; a third is for a machine that is busy. */
const blocksMax = 3;

/** The numbers of a range, as a table that both databases make. */
function numbers(from: number, to: number): string {
  return `with recursive n(i) as (select ${from} union all select i + 1 from n where i < ${to})`;
}

/** Puts rows into the table as an earlier process would have left them. */
async function fill(bench: StoreBench, payTo: string, token: string): Promise<void> {
  await (await bench.open()).close();
  const nonce = bench.isConcurrent ? "'0x' || lpad(to_hex(i), 64, '0')" : "printf('0x%064x', i)";
  const now = Date.now();
  const columns =
    "id, chain_id, asset, payer, nonce, pay_to, amount, valid_after, valid_before, signature, payer_has_code, seen_unused_at, network_name, state, created_at, failed_at, failure, failure_message";
  const pair = `'stl_' || i, 51, '${token.toLowerCase()}', '0x${"11".repeat(20)}', ${nonce}`;
  const terms = `'${payTo.toLowerCase()}', '1', '0'`;
  const expired = Math.floor(now / 1_000) - 600;
  await bench.query(
    `insert into settlements (${columns}) ${numbers(1, queued)}
     select ${pair}, ${terms}, '${expired}', '0x00', 0, 1, 'eip155:51', 'queued', ${now - 3_600_000}, null, null, null from n`,
  );
  // Every second one may still be submitted for a day.
  const ends = `case when i % 2 = 0 then '${expired}' else '${expired + 86_400}' end`;
  await bench.query(
    `insert into settlements (${columns}) ${numbers(queued + 1, queued + failed)}
     select ${pair}, ${terms}, ${ends}, '0x00', 0, 1, 'eip155:51', 'failed', ${now - 3_600_000}, ${now - 3_000_000}, 'insufficient_funds', 'm' from n`,
  );
}

describe.each(bothEngines())("%s", (_, start) => {
  test("an expired queue and the failures of a day hold up neither the start nor the next payment", async () => {
    const bench = await start();
    onTestFinished(bench.stop);
    const devnet = await startChain();
    onTestFinished(() => devnet.stop());
    const proxy = await startRpcProxy(devnet.rpcUrl);
    onTestFinished(() => proxy.stop());
    await fill(bench, devnet.seller.address, devnet.token);

    const { databaseUrl } = bench;
    const served = await serveOn(devnet, { databaseUrl, rpcUrl: proxy.url, wallets: [0, 1] });
    onTestFinished(() => served.stop());
    expect(proxy.requests).toBeLessThanOrEqual(requestsMax.start);

    const head = async () => Number(await devnet.rpc("eth_blockNumber"));
    const before = await head();
    const body = bodyOn(devnet, { payer: walletAt(devnet.buyers, 1) });
    expect((await served.post("/settle", body)).body).toMatchObject({ status: "confirmed" });
    expect((await head()) - before).toBeLessThanOrEqual(blocksMax);

    const open = async () => {
      await devnet.mine(finalAfterBlocks);
      const [row] = await bench.query(
        "select count(*) as open from settlements where state in ('queued', 'submitted')",
      );
      return Number(row?.["open"]);
    };
    await expect.poll(open, { timeout: 60_000, interval: 1_000 }).toBe(0);
    const [row] = await bench.query(
      "select count(*) as ended from settlements where failure = 'authorization_expired'",
    );
    expect(Number(row?.["ended"])).toBe(queued);
    expect(proxy.requests).toBeLessThanOrEqual(requestsMax.all);
  }, 120_000);
});
