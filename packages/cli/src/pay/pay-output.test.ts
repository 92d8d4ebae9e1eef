/** What `farthing pay` says of a payment that is refused, and of one that it only prices. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { challenge, oneCent, payTo, receiptHeader, startSeller } from "@farthing/buyer/testing";
import { buildChallenge } from "@farthing/protocol";
import { expect, onTestFinished, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

test("a refused payment: the seller's code with its message", async () => {
  const { headers, body: offers } = buildChallenge({
    offers: [oneCent],
    resource: { url: "https://seller.example/r" },
    error: "insufficient_funds",
  });
  const message = "The payer's USDC balance is below the amount.";
  const body = JSON.stringify({ ...offers, message });
  const refused = {
    status: 402,
    headers: { ...headers, "Content-Type": "application/json" },
    body,
  };
  await using seller = await startSeller({ paid: [refused] });
  const { stderr } = await farthing(["pay", seller.url]);
  expect(stderr).toMatch(
    /^ {2}The seller refused the payment, .* \(insufficient_funds: The payer's USDC balance is below the amount\.\)$/m,
  );
});

test("--dry-run: every check with its verdict, no key needed, nothing signed", async () => {
  await using seller = await startSeller();
  const environment = { FARTHING_WALLET_KEY: "" };
  const text = await farthing(["pay", "--dry-run", seller.url], { environment });
  expect([text.code, text.stderr]).toEqual([0, ""]);
  for (const name of ["url", "redirect", "asset", "domain", "payee", "per_call", "time"]) {
    expect(text.stdout).toMatch(new RegExp(`pass +${name} `));
  }
  expect(text.stdout).toMatch(/skip +balance +no wallet is named whose balance/);
  expect(text.stdout).toContain(`Would pay 0.01 USDC to ${payTo} on eip155:50.`);
  const withKey = await farthing(["pay", "--dry-run", seller.url]);
  expect(withKey.stdout).toMatch(/skip +balance +no node is named to ask/);
  const json = await farthing(["pay", "--dry-run", "--json", seller.url], { environment });
  expect(JSON.parse(json.stdout)).toMatchObject({
    dryRun: true,
    wouldPay: true,
    paymentStatus: "not_sent",
    status: 402,
    exitCode: 0,
  });
  expect(seller.paid).toHaveLength(0);
});

test("--dry-run of a price above the limit says which check fails, 12", async () => {
  await using seller = await startSeller();
  const { code, stdout } = await farthing([
    "pay",
    "--dry-run",
    "--max-amount",
    "0.005",
    seller.url,
  ]);
  expect(code).toBe(12);
  expect(stdout).toMatch(/fail +per_call +The price 0\.01 USDC is above 0\.005 /);
  expect(stdout).toContain("(per_payment_cap)");
});

test.each([["--json"], ["--include"]])(
  "%s: the token of a pass is in the ledger and not in the output, but for --show-pass",
  async (flag) => {
    const folder = mkdtempSync(join(tmpdir(), "farthing-passes-"));
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const token = `pass_${flag}_secret-of-the-buyer`;
    const headers = {
      ...receiptHeader(),
      "PAYMENT-PASS": token,
      "X-Pass-Remaining": "1",
      "X-Pass-Expires": "2099-01-01T00:00:00.000Z",
    };
    const sold = { headers, body: "content" };
    const opened = { ...sold, headers: { "X-Pass-Remaining": "0" } };
    await using seller = await startSeller({
      unpaid: ({ headers: sent }) => (sent["payment-pass"] === token ? opened : challenge()),
      paid: [sold],
    });
    const environment = { FARTHING_LEDGER: join(folder, "kept.jsonl") };
    const first = await farthing(["pay", flag, seller.url], { environment });
    expect([first.code, first.stdout.includes(token), first.stderr.includes(token)]).toEqual([
      0,
      false,
      false,
    ]);
    expect(first.stdout.toLowerCase()).toContain("x-pass-remaining");
    // The second request shows it, and is not paid.
    expect((await farthing(["pay", seller.url], { environment })).stdout).toBe("content");
    expect(seller.paid).toHaveLength(1);
    const other = { FARTHING_LEDGER: join(folder, "shown.jsonl") };
    const shown = await farthing(["pay", flag, "--show-pass", seller.url], { environment: other });
    expect(shown.stdout).toContain(token);
  },
);
