/** The measurement of Safes as payers: real Safes on a real chain, and what the report makes of it. */
import { startDevnet } from "@farthing/devnet";
import { expect, onTestFinished, test } from "vitest";
import { farthingWallets, startFarthing } from "./contenders.ts";
import type { ContractPayerFigures, PayerRate } from "./contract-payers.ts";
import { contractPayerSection, contractPayersHeading } from "./contract-payers-report.ts";
import { databaseSection } from "./databases-report.ts";
import type { StoreSetup } from "./databases.ts";
import { runLoad } from "./load.ts";
import { headOf, usesSince } from "./measure.ts";
import { partOf, withPart } from "./report-table.ts";
import { openMints, payerKinds, withBatchContract } from "./safe-payers.ts";

test("payers of every kind are settled, with the batch contract", async () => {
  const devnet = await startDevnet({ blockTimeSeconds: 1, buyers: 2, relayers: farthingWallets });
  onTestFinished(() => devnet.stop());
  const mints = await openMints(devnet, 2);
  const server = await startFarthing(devnet, devnet.rpcUrl, 1, withBatchContract(devnet));
  onTestFinished(async () => void (await server.stop()));
  const bodies = payerKinds.flatMap((kind) => mints[kind].make(2));
  const firstBlock = (await headOf(devnet)) + 1;
  const result = await runLoad({
    url: server.url,
    path: "/settle",
    callers: bodies.length,
    next: () => bodies.pop(),
    warmUpMs: 0,
    countMs: 60_000,
  });
  expect(result.complaint).toBeUndefined();
  expect(result.goodInAll).toBe(6);
  const uses = await usesSince(devnet, firstBlock);
  expect([...uses.values()].reduce((sum, count) => sum + count, 0)).toBe(6);
});

const rate = (payer: PayerRate["payer"], round: number, perSecond: number): PayerRate => ({
  payer,
  hasBatchContract: true,
  round,
  perSecond,
  cpuMicros: 400,
  complaint: undefined,
});

const figures: ContractPayerFigures = {
  plan: { callers: 1_000, rounds: 3, warmUpMs: 0, countMs: 1_000, batchSize: 20 },
  // The machine was busy in the second round.
  rates: [
    ...[800, 200, 900].map((perSecond, round) => rate("plain", round, perSecond)),
    ...[480, 100, 450].map((perSecond, round) => rate("Safe 1/1", round, perSecond)),
    ...[240, 60, 270].map((perSecond, round) => rate("Safe 2/3", round, perSecond)),
  ],
  gas: [
    { payer: "plain", alone: 86_000, batched: 60_000 },
    { payer: "Safe 1/1", alone: 110_000, batched: 71_500 },
    { payer: "Safe 2/3", alone: 118_000, batched: 100_300 },
  ],
};

test("compares windows of the same round, and gas in a batch with gas alone", () => {
  const section = contractPayerSection(figures);
  expect(section).toContain("| yes | Safe 1/1 | 450 | 0.5 (0.5 to 0.6) | 400 | reached |");
  expect(section).toContain("| yes | Safe 2/3 | 240 | 0.3 (0.3 to 0.3) | 400 | **not reached** |");
  expect(section).toContain("| Safe 1/1 | 110,000 | 71,500 | 0.65 | reached |");
  expect(section).toContain("| Safe 2/3 | 118,000 | 100,300 | 0.85 | **not reached** |");
});

const put = (text: string, on: string) => withPart(on, contractPayersHeading, text);

test("replaces its part of the page, and no other", () => {
  const section = contractPayerSection(figures);
  const page = "# Benchmarks\n\n## Verify\n\nfast\n\n## Limiting factors\n\nnothing\n";
  const once = put(section.replace("450", "999"), page);
  expect(partOf(once, contractPayersHeading, "\n## ")).toContain("999");
  expect(put(section, once)).toBe(put(section, page));
  expect(put(section, page)).toMatch(/fast[^]*Contract wallets[^]*nothing/);
});

const window = (setup: StoreSetup, round: number, cpuMicros: number, busiestShare = 1) => ({
  setup,
  round,
  perSecond: 1_000,
  cpuMicros,
  busiestShare,
  complaint: undefined,
});

test("compares CPU on the databases by rounds, and names the share of the busiest process", () => {
  const section = databaseSection({ callers: 3_000, rounds: 2, warmUpMs: 0, countMs: 1_000 }, [
    window("SQLite", 0, 400),
    window("PostgreSQL", 0, 480),
    window("PostgreSQL, two processes", 0, 600, 0.55),
    window("SQLite", 1, 800),
    window("PostgreSQL", 1, 1_200),
    window("PostgreSQL, two processes", 1, 1_200, 0.52),
  ]);
  expect(section).toContain("| SQLite | 1,000 | 400 |  |  |  |");
  expect(section).toContain("| PostgreSQL | 1,000 | 480 | 1.2 (1.2 to 1.5) | reached |  |");
  expect(section).toContain(
    "| PostgreSQL, two processes | 1,000 | 600 | 1.5 (1.5 to 1.5) |  | 52 % |",
  );
});
