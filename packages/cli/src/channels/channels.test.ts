/** Channels on the command line: opened by `pay`, listed, and given back by a refund or by the chain. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { payer, startSeller, transaction } from "@farthing/buyer/testing";
import { channelSeller } from "@farthing/buyer/testing/channel-seller";
import { encodeHeader, headerNames } from "@farthing/protocol";
import { expect, test } from "vitest";
import { farthing } from "../command/farthing-bin.testing.ts";

function temporaryHome() {
  const path = mkdtempSync(join(tmpdir(), "farthing-channels-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true }) };
}

test("pay opens a channel, later runs use it, and a refund empties it", async () => {
  using home = temporaryHome();
  const environment = { XDG_CONFIG_HOME: home.path };
  const receipt = { success: true, transaction, network: "eip155:50", amount: "8000" };
  const headers = { [headerNames.paymentResponse]: encodeHeader(receipt) };
  const shop = channelSeller({
    lie: ({ payload }) => (payload.type === "refund" ? { headers } : undefined),
  });
  await using seller = await startSeller(shop.script);
  const first = await farthing(["pay", seller.url], { environment });
  expect([first.stdout, first.code]).toEqual(["content", 0]);
  expect(first.stderr).toContain("call charged: 0.001 USDC to ");
  expect(first.stderr).toContain("deposited 0.01 USDC");
  const second = await farthing(["pay", "--json", seller.url], { environment });
  expect(JSON.parse(second.stdout)).toMatchObject({
    paymentStatus: "charged",
    payment: { amount: "1000", chargedTotal: "2000" },
  });

  const listed = await farthing(["channels", "list", "--json"], { environment });
  const [channel] = JSON.parse(listed.stdout);
  expect(channel).toMatchObject({
    state: "open",
    payer,
    leftUsdc: "0.008000",
    chargedUsdc: "0.002000",
    url: seller.url,
  });
  expect(listed.stdout).not.toContain("signature");
  const shown = await farthing(["channels", "show", channel.channelId, "--json"], { environment });
  expect(JSON.parse(shown.stdout)).toEqual(channel);

  const command = ["channels", "refund", channel.channelId, "--json"];
  const refunded = await farthing(command, { environment });
  expect(JSON.parse(refunded.stdout)).toMatchObject({
    state: "refunded",
    amountUsdc: "0.008000",
    leftUsdc: "0.000000",
  });
  const after = await farthing(["channels", "list", "--json"], { environment });
  expect(JSON.parse(after.stdout)).toMatchObject([{ state: "empty", leftUsdc: "0.000000" }]);
  const again = await farthing(command, { environment });
  expect(again.code).toBe(12);
  const unknown = await farthing(["channels", "show", `0x${"ab".repeat(32)}`], { environment });
  expect([unknown.code, unknown.stderr]).toEqual([9, expect.stringContaining("channels list")]);
});

test("a refund asks for the part that is named, and one that nothing proves is open", async () => {
  using home = temporaryHome();
  const environment = { XDG_CONFIG_HOME: home.path };
  const asked: unknown[] = [];
  const shop = channelSeller({
    lie: ({ payload }) => {
      if (payload.type !== "refund") return undefined;
      asked.push(payload.amount);
      return { status: 500 };
    },
  });
  await using seller = await startSeller(shop.script);
  await farthing(["pay", seller.url], { environment });
  const [{ channelId }] = JSON.parse(
    (await farthing(["channels", "list", "--json"], { environment })).stdout,
  );
  const command = ["channels", "refund", channelId, "--amount", "0.003", "--json"];
  const { code, stdout } = await farthing(command, { environment });
  expect([asked, code]).toEqual([[3_000n], 11]);
  expect(JSON.parse(stdout)).toMatchObject({ state: "unconfirmed", channelId });
});

test("the settings say after how many payments a channel is opened, and how much a seller may hold", async () => {
  using home = temporaryHome();
  const run = (args: string[], more: Readonly<Record<string, string>> = {}) =>
    farthing(args, { environment: { XDG_CONFIG_HOME: home.path, ...more } });
  const set = ["ledger", "limits", "set", "--channels-after", "1", "--deposit-per-seller", "0.02"];
  expect((await run(set)).code).toBe(0);
  expect((await run(["ledger", "limits", "set", "--deposit-total", "0.04"])).code).toBe(0);
  expect((await run(["ledger", "limits"])).stdout).toContain(
    "Channels       after 1 payment to a seller in an hour; a seller may hold 0.02 USDC, all together 0.04 USDC",
  );
  await using seller = await startSeller(channelSeller({ hasExact: true }).script);
  expect((await run(["pay", seller.url])).stderr).toContain("payment settled: 0.001 USDC");
  expect((await run(["pay", seller.url])).stderr).toContain("call charged: 0.001 USDC");

  await using greedy = await startSeller(
    channelSeller({ minDeposit: 30_000n, extra: { withdrawDelay: 1_000 } }).script,
  );
  const most = await run(["pay", "--json", greedy.url]);
  // The same payee already holds 0.009 USDC in the other channel.
  expect(JSON.parse(most.stdout).payment).toMatchObject({ deposit: "11000" });
  const wrong = await run(["ledger", "limits"], { FARTHING_CHANNELS: "sometimes" });
  const sentence = "FARTHING_CHANNELS must be auto, always or never.";
  expect([wrong.code, wrong.stderr]).toEqual([3, expect.stringContaining(sentence)]);
});
