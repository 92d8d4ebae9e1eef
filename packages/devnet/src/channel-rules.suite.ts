/**
 * The rules of the channel contract as properties, for the stand-in and for any other code at the
 * canonical address.
 */
import * as fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { channelIdOf, zeroAddress } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { signDeposit, startChannelBench } from "./channel-bench.testing.ts";
import type { ChannelBench, ChannelOutcome } from "./channel-bench.testing.ts";
import {
  apothem,
  at,
  calls,
  createWorld,
  expected,
  toTransaction,
} from "./channel-model.testing.ts";
import type { Call, World } from "./channel-model.testing.ts";
import type { ChannelCode } from "./devnet.ts";

/** Runs of the property; each has a dozen and a half calls and reads every sum after each. */
const runs = 40;

export function channelRules(name: string, code?: ChannelCode): void {
  describe(name, () => {
    let bench: ChannelBench;
    beforeAll(async () => {
      bench = await startChannelBench(code);
    });
    afterAll(() => bench?.devnet.stop());
    beforeEach(() => bench.reset());

    test("all calls of all parties end as the rules say", async () => {
      await fc.assert(
        fc.asyncProperty(calls, async (list) => {
          await bench.reset();
          await play(bench, list);
        }),
        { numRuns: runs, endOnFailure: true },
      );
    });

    test("a channel's id is that of its EIP-712 hash", async () => {
      for (const { config } of createWorld(bench).channels) {
        expect(await bench.idOf(config)).toBe(channelIdOf(apothem, config));
      }
    });

    test("the dry run of `farthing channels contract` finds nothing", async () => {
      expect(await bench.dryRun()).toEqual([]);
    });

    test.each([
      ["no payer", { payer: zeroAddress }, "InvalidChannel"],
      ["no receiver", { receiver: zeroAddress }, "InvalidChannel"],
      ["no authorizer of the receiver", { receiverAuthorizer: zeroAddress }, "InvalidChannel"],
      ["no token", { token: zeroAddress }, "InvalidChannel"],
      [
        "a delay of fifteen minutes less a second",
        { withdrawDelay: 899 },
        "WithdrawDelayOutOfRange",
      ],
      [
        "a delay of thirty days and a second",
        { withdrawDelay: 2_592_001 },
        "WithdrawDelayOutOfRange",
      ],
    ])("a deposit with %s is refused", async (_, members, reverted) => {
      const { channels, payer } = createWorld(bench);
      const config = { ...at(channels, 0).config, ...members };
      const deposit = signDeposit(config, payer, { amount: 10n, salt: 1n });
      const outcome = await bench.run(payer.address, channelCalls.deposit(config, deposit));
      expect(outcome).toEqual({ reverted });
    });

    test("a collector that brings nothing, or is none, collects no deposit", async () => {
      const { channels, payer } = createWorld(bench);
      const { config } = at(channels, 0);
      const none = channelCalls.depositBy(config, 10n, zeroAddress, "0x");
      expect(await bench.run(payer.address, none)).toEqual({ reverted: "InvalidCollector" });
      // An address without code and one whose code has no such function move no money.
      const other = channelCalls.depositBy(config, 10n, bench.devnet.token, "0x");
      expect((await bench.run(payer.address, other)).reverted).toBeDefined();
    });

    test("a deposit's authorization funds its own channel, once", async () => {
      const { channels, payer, stranger } = createWorld(bench);
      const [one, other] = [at(channels, 0).config, at(channels, 1).config];
      const deposit = signDeposit(one, payer, { amount: 10n, salt: 1n });
      const elsewhere = channelCalls.deposit(other, deposit);
      expect((await bench.run(stranger.address, elsewhere)).reverted).toBeDefined();
      const first = await bench.run(stranger.address, channelCalls.deposit(one, deposit));
      expect(first.events).toEqual(["ChannelCreated", "Deposited"]);
      const again = await bench.run(stranger.address, channelCalls.deposit(one, deposit));
      expect(again.reverted).toContain("authorization is used or canceled");
    });

    test("several calls of one sender go in one transaction, all or none", async () => {
      const { channels, payer } = createWorld(bench);
      const { config } = at(channels, 0);
      const funded = channelCalls.deposit(
        config,
        signDeposit(config, payer, { amount: 10n, salt: 1n }),
      );
      const started = channelCalls.initiateWithdraw(config, 4n);
      const both = channelCalls.multicall([funded, started]);
      const outcome = await bench.run(payer.address, both);
      expect(outcome.events).toEqual(["ChannelCreated", "Deposited", "WithdrawInitiated"]);
      const again = channelCalls.multicall([started, started]);
      expect(await bench.run(payer.address, again)).toEqual({
        reverted: "WithdrawalAlreadyPending",
      });
    });
  });
}

/** Plays calls on the chain and in the model; both must agree on each end and on every sum. */
async function play(bench: ChannelBench, list: readonly Call[]): Promise<void> {
  const world: World = { ...createWorld(bench), settled: 0n, salt: 0n, now: await bench.wait(1) };
  const { devnet } = bench;
  const before = await devnet.usdc.balanceOf(world.payer.address);
  for (const call of list) {
    if (call.kind === "wait") {
      world.now = await bench.wait(call.seconds);
      continue;
    }
    const { from, data } = toTransaction(world, call);
    // The block of the call: time stands still but for this second.
    world.now = await bench.wait(1);
    const outcome = await bench.run(from, data);
    expect({ call, outcome: withoutGas(outcome) }).toEqual({
      call,
      outcome: expected(world, call),
    });
    await expectSameSums(bench, world);
  }
  const held = world.channels.reduce((sum, { balance, claimed }) => sum + balance - claimed, 0n);
  const claimed = world.channels.reduce((sum, one) => sum + one.claimed, 0n);
  const paid = before - (await devnet.usdc.balanceOf(world.payer.address));
  // Nothing is lost and nothing is made: what the payer lacks is held for them or was claimed.
  expect(paid).toBe(held + claimed);
}

function withoutGas({ reverted, events }: ChannelOutcome) {
  return reverted === undefined ? { events } : { reverted };
}

async function expectSameSums(bench: ChannelBench, world: World): Promise<void> {
  for (const channel of world.channels) {
    const { balance, claimed: totalClaimed, withdrawing, refundNonce } = channel;
    const state = await bench.stateOf(channelIdOf(apothem, channel.config));
    // The second of a withdrawal's start is the block's, which the model knows to a second.
    const { withdrawRequestedAt, ...sums } = state;
    expect(sums).toEqual({ balance, totalClaimed, withdrawing, refundNonce });
    expect(withdrawRequestedAt === 0).toBe(channel.since === 0);
    if (channel.since > 0) channel.since = withdrawRequestedAt;
  }
  const sum = world.channels.reduce((total, one) => total + one.claimed, 0n);
  const receiver = await bench.receiverOf(world.receiver.address);
  expect(receiver).toEqual({ totalClaimed: sum, totalSettled: world.settled });
}
