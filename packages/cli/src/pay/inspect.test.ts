/** `farthing inspect` as a user runs it. */
import { expect, test } from "vitest";
import { challenge, oneCent, payTo, startSeller } from "@farthing/buyer/testing";
import { farthing, onTerminal } from "../command/farthing-bin.testing.ts";

const environment = { FARTHING_WALLET_KEY: "" };

test("--json: every offer, every verdict, nothing signed", async () => {
  await using seller = await startSeller();
  const { code, stdout, stderr } = await farthing(["inspect", seller.url, "--json"], {
    environment,
  });
  expect([code, stderr]).toEqual([0, ""]);
  const report: { wouldPay: boolean; offers: { isChosen: boolean; checks: object[] }[] } =
    JSON.parse(stdout);
  expect(report.wouldPay).toBe(true);
  expect(report.offers.filter(({ isChosen }) => isChosen)).toMatchObject([
    { payTo, amountUsdc: "0.010000" },
  ]);
  expect(report.offers[0]?.checks.length).toBeGreaterThan(8);
  expect(seller.paid).toHaveLength(0);
});

test("ten lines of text and one for a limit that refuses, also into a pipe; --all has every check, --json an object", async () => {
  await using seller = await startSeller({ unpaid: challenge({ ...oneCent, amount: 500_000n }) });
  const shown = await farthing(["inspect", seller.url], { environment, ...onTerminal });
  expect(shown.code).toBe(12);
  expect(shown.stdout).toMatch(/^Would not pay: The price 0\.5 USDC is above 0\.1 USDC per call/m);
  const json = await farthing(["inspect", "--json", seller.url], { environment, ...onTerminal });
  expect(JSON.parse(json.stdout)).toMatchObject({ error: { code: "per_payment_cap" } });
  expect(shown.stdout.trimEnd().split("\n").length).toBeLessThanOrEqual(11);
  expect(shown.stdout).toMatch(/^ {2}Price +0\.5 USDC$/m);
  expect(shown.stdout).toMatch(/^ {2}Checks +\d+ passed, 1 to note; 3 offers$/m);
  const text = await farthing(["inspect", seller.url], { environment });
  expect([text.code, text.stdout]).toEqual([12, shown.stdout]);
  const all = await farthing(["inspect", "--all", seller.url], { environment });
  expect(all.stdout).toMatch(/fail +per_call +The price 0\.5 USDC is above 0\.1 USDC per call/);
  expect(all.stdout.match(/^entry \d/gm)).toHaveLength(3);
});

test("a page that costs nothing, and one that is not there", async () => {
  await using seller = await startSeller({ unpaid: { body: "free" } });
  const free = await farthing(["inspect", seller.url, "--json"], { environment });
  expect([free.code, JSON.parse(free.stdout)]).toMatchObject([
    0,
    { paymentStatus: "not_required" },
  ]);
  const gone = await farthing(["inspect", "http://127.0.0.1:1/", "--json"], { environment });
  expect([gone.code, JSON.parse(gone.stdout)]).toMatchObject([4, { error: { code: "network" } }]);
});
