/** The way out of a channel without its seller, and what the chain says meanwhile. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { payer, startSeller } from "@farthing/buyer/testing";
import { channelSeller } from "@farthing/buyer/testing/channel-seller";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { channelContract, type Hex } from "@farthing/protocol";
import { keccak256Of } from "@farthing/protocol/channel-probes";
import { afterAll, beforeAll, expect, test } from "vitest";
import { farthing, type RunOptions } from "../command/farthing-bin.testing.ts";

let devnet: Devnet;
let home: string;
beforeAll(async () => {
  devnet = await startDevnet({ chainId: 50, buyers: 1, relayers: 1, blockTimeSeconds: 1 });
  home = mkdtempSync(join(tmpdir(), "farthing-withdraw-"));
});
afterAll(async () => {
  rmSync(home, { recursive: true, force: true });
  await devnet?.stop();
});

const run = (args: string[], options: RunOptions = {}) => {
  const environment = { XDG_CONFIG_HOME: home, FARTHING_RPC_URL: devnet.rpcUrl };
  return farthing(["channels", ...args], { ...options, environment });
};

/** Gives a channel of the ledger what its deposit would have: the stand-in's first mapping has it. */
async function fund(channelId: Hex, units: bigint): Promise<void> {
  const slot = keccak256Of(`${channelId}${"0".repeat(64)}`);
  const word = `0x${units.toString(16).padStart(64, "0")}`;
  await devnet.rpc("anvil_setStorageAt", [channelContract, slot, word]);
  await devnet.usdc.setBalance(channelContract, units);
}

async function send(call: object): Promise<void> {
  await devnet.rpc("anvil_impersonateAccount", [payer]);
  await devnet.rpc("anvil_setBalance", [payer, "0xde0b6b3a7640000"]);
  await devnet.rpc("eth_sendTransaction", [{ from: payer, gas: "0x30d40", ...call }]);
  await devnet.rpc("evm_mine");
}

test("withdraw says what it costs and when the money is back; watch prints each change", async () => {
  // The call has cost less than its voucher says.
  await using seller = await startSeller(channelSeller({ cost: () => 400n }).script);
  await farthing(["pay", seller.url], { environment: { XDG_CONFIG_HOME: home } });
  const [{ channelId }] = JSON.parse((await run(["list", "--json"])).stdout);
  await fund(channelId, 10_000n);
  const { stdout: text } = await run(["withdraw", channelId]);
  expect(text).toContain(`Withdraw 0.010000 USDC from channel ${channelId}\n`);
  expect(text).toMatch(/The money is back .* after the first transaction \(sent now: 20.*Z\)/);
  expect(text).toContain("The seller may still claim 0.001000 USDC of it until then.");
  expect(text).toMatch(/Gas: up to 0\.0\d{5} XDC \(128,000 gas at [\d.]+ gwei\), from 0x/);
  expect(text).toContain(`This command sends nothing. Send each from ${payer}, with its data`);
  const plan = JSON.parse((await run(["withdraw", channelId, "--json"])).stdout);
  expect(plan).toMatchObject({ amountUsdc: "0.010000", gas: 128_000, isStarted: false });

  let printed = "";
  const watched = await run(["watch", "--json", "--interval", "2"], {
    onOutput: (piece, interrupt) => {
      printed += piece;
      const lines = printed.split("\n").length - 1;
      if (lines === 1) void send(plan.initiate);
      if (lines === 2) interrupt();
    },
  });
  const [first, second] = watched.stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(watched.code).toBe(0);
  expect(first).toMatchObject({
    channelId,
    chargedUsdc: "0.000400",
    chain: { balanceUsdc: "0.010000", claimedUsdc: "0.000000", finalizableAt: null },
  });
  expect(second.chain).toMatchObject({ withdrawingUsdc: "0.010000" });

  const started = JSON.parse((await run(["withdraw", channelId, "--json"])).stdout);
  expect(started).toMatchObject({ isStarted: true, isFinalizable: false, gas: 74_000 });
  expect(started.finalizableAt).toBe(second.chain.finalizableAt);
  const waitSeconds = Math.ceil(Date.parse(started.finalizableAt) / 1000 - Date.now() / 1000) + 5;
  await devnet.rpc("evm_increaseTime", [waitSeconds]);
  await devnet.rpc("evm_mine");
  expect((await run(["withdraw", channelId])).stdout).toContain(
    "as soon as the second transaction",
  );
  const before = await devnet.usdc.balanceOf(payer);
  await send(started.finalize);
  expect(await devnet.usdc.balanceOf(payer)).toBe(before + 10_000n);
  // The list shows no money that the chain has no more.
  const empty = await run(["withdraw", channelId]);
  const nothing = expect.stringContaining("nothing left to withdraw on the chain");
  expect([empty.code, empty.stderr]).toEqual([0, nothing]);
  const [gone] = JSON.parse((await run(["list", "--json"])).stdout);
  expect(gone).toMatchObject({ channelId, state: "empty", leftUsdc: "0.000000" });
});

test("a channel that is not in the ledger is not watched: 9", async () => {
  const { code, stderr } = await run(["watch", `0x${"ab".repeat(32)}`]);
  expect([code, stderr]).toEqual([9, expect.stringContaining("channels list")]);
});
