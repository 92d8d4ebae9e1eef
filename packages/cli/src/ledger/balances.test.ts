/** Balances on the command line: paid into once, spent by later runs, listed without their token. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { challenge, oneCent, receiptHeader, startSeller } from "@farthing/buyer/testing";
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

const id = "cd".repeat(16);
const token = `${id}.secret`;

test("a balance pays for later runs, and the list says what was paid in", async () => {
  using home = {
    path: mkdtempSync(join(tmpdir(), "farthing-balances-")),
    [Symbol.dispose]: () => rmSync(home.path, { recursive: true }),
  };
  const environment = { XDG_CONFIG_HOME: home.path };
  const paid = { ...receiptHeader(), "PAYMENT-PASS": token, "X-Balance-Remaining": "9000" };
  const used = { "X-Balance-Remaining": "8999", "X-Request-Cost": "1" };
  await using seller = await startSeller({
    unpaid: ({ headers }) =>
      headers["payment-pass"] === token
        ? { headers: used, body: "used" }
        : challenge({ ...oneCent, balance: { reserve: 5_000n } }),
    paid: [{ headers: paid, body: "bought" }],
  });
  expect((await farthing(["pay", seller.url], { environment })).stdout).toBe("bought");
  const second = await farthing(["pay", seller.url], { environment });
  expect(second.stdout).toBe("used");
  expect(second.stderr).toContain("paid from a balance, 0.000001 USDC, 0.008999 USDC left\n");
  const { stdout } = await farthing(["balances", "list", "--json"], { environment });
  expect(JSON.parse(stdout)).toEqual([
    { id, url: seller.url, topUps: 1, paidUsdc: "0.010000", toppedUpAt: expect.any(String) },
  ]);
});
