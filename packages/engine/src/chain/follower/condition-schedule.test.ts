/** What is asked of a node about wallets whose transactions are under way. */
import { networkOfChain } from "@farthing/protocol";
import { expect, test } from "vitest";
import { silentLog } from "../../base/log.ts";
import { createChain } from "../endpoints/chain.ts";
import { createVirtualClock } from "../endpoints/limited-node.testing.ts";
import type { BlockHead } from "../reads/block-headers.ts";
import type { Conditions } from "./chain-conditions.ts";
import { ConditionSchedule, type LateKind } from "./condition-schedule.ts";

const xdc = 10n ** 18n;
const gwei = 10n ** 9n;
const blockMs = 2_000;
const [wallet, resting] = ["0xa1", "0xb2"];

const headAt = (number: number): BlockHead => ({
  number,
  hash: "0x01",
  parentHash: "0x02",
  time: BigInt(number),
});

interface ScheduleTerms {
  readonly balance: bigint;
  readonly gasPrice: bigint;
  readonly kind?: LateKind;
}

/** A schedule with two wallets, of which one always has a transaction to be looked after. */
function createSchedule({ balance, gasPrice, kind = "waiting" }: ScheduleTerms) {
  const clock = createVirtualClock(1_700_000_000_000);
  const schedule = new ConditionSchedule({
    chain: createChain({ network: networkOfChain(51), endpoints: [], log: silentLog, clock }),
    wallets: [wallet, resting],
    lateWallets: () => new Map([[wallet, kind]]),
    interest: () => "outcome",
    nowMs: () => clock.nowMs(),
  });
  return {
    /** Reads what is wanted with the next head; returns it. */
    async nextHead(number: number) {
      await clock.advance(blockMs);
      schedule.noteInterest(number);
      const wanted = schedule.wanted(number, number === 1);
      const states = wanted.wallets.map((one): [string, { transactionCount: number }] => [
        one,
        { transactionCount: number, ...(wanted.balances.has(one) && { balance }) },
      ]);
      const read: Conditions = {
        finalized: undefined,
        lacksFinality: false,
        gasPrice,
        wallets: new Map(states),
      };
      schedule.noteRead(read, headAt(number));
      return { counts: wanted.wallets, balances: [...wanted.balances] };
    },
  };
}

test("the balance of a wallet that has enough is read every ten seconds, its count with each head", async () => {
  const { nextHead } = createSchedule({ balance: 16n * xdc, gasPrice: 12n * gwei });
  expect(await nextHead(1)).toEqual({ counts: [wallet, resting], balances: [wallet, resting] });
  for (const number of [2, 3, 4, 5]) {
    expect(await nextHead(number)).toEqual({ counts: [wallet], balances: [] });
  }
  expect(await nextHead(6)).toEqual({ counts: [wallet], balances: [wallet] });
  expect(await nextHead(7)).toEqual({ counts: [wallet], balances: [] });
});

test("the balance of a wallet that could spend it until then is read with each head", async () => {
  // Sixty transactions of 20 million gas each.
  const { nextHead } = createSchedule({ balance: 16n * xdc, gasPrice: 14n * gwei });
  await nextHead(1);
  for (const number of [2, 3, 4, 5, 6]) {
    expect(await nextHead(number)).toEqual({ counts: [wallet], balances: [wallet] });
  }
});

test("no transaction costs more than the cap of nodes, so a price a hundred times as high changes no more", async () => {
  const { nextHead } = createSchedule({ balance: 61n * xdc, gasPrice: 1_250n * gwei });
  await nextHead(1);
  expect(await nextHead(2)).toEqual({ counts: [wallet], balances: [] });
});

test("the balance of a wallet is read with each head while something is wrong with its transactions", async () => {
  const terms = { balance: 16n * xdc, gasPrice: 12n * gwei };
  const { nextHead } = createSchedule({ ...terms, kind: "troubled" });
  await nextHead(1);
  expect(await nextHead(2)).toEqual({ counts: [wallet], balances: [wallet] });
});
