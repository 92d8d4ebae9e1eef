/** The log says once that a wallet runs low, and once that it has been refilled. */
import { expect, test } from "vitest";
import type { ChainView } from "@farthing/engine";
import type { Log } from "@farthing/engine/base";
import { startWalletWatch } from "../../src/operations/wallet-watch.ts";

const relayer = "0x00000000000000000000000000000000000000aa";
const xdc = 10n ** 18n;

function viewWith(balance: bigint): ChainView {
  const hash = "0x00" as const;
  return {
    head: { number: 1, hash, parentHash: hash, time: 0n },
    finalized: { number: 0, time: 0n },
    gasPrice: 12_500_000_000n,
    wallets: new Map([[relayer, { transactionCount: 0, balance }]]),
    seenSecondsAgo: 0,
    walkedTo: 1,
  };
}

test("one line when it gets low, one when it is supplied, none in between", async () => {
  const lines: unknown[] = [];
  const note = (fields: object, message: string) => lines.push([message, fields]);
  const log: Log = { debug: note, info: note, warn: note, error: note };
  let balance = 100n * xdc;
  let look: (() => void) | undefined;
  const clock = {
    nowMs: () => 0,
    sleep: (_ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        look = resolve;
        signal?.addEventListener("abort", () => resolve());
      }),
  };
  const watch = startWalletWatch({
    networks: [{ chainId: 51, view: () => viewWith(balance) }],
    clock,
    log,
  });
  for (const held of [100n * xdc, xdc / 5n, xdc / 10n, 10n * xdc, 10n * xdc]) {
    balance = held;
    look?.();
    // Everything that follows from the look has happened by the next turn of the event loop.
    await new Promise(setImmediate);
  }
  await watch.stop();
  expect(lines).toEqual([
    [
      "Relayer wallet low on gas",
      { event: "wallet_low", chainId: 51, relayer, xdc: "0.2", settlements: 177 },
    ],
    [
      "Relayer wallet refilled",
      { event: "wallet_refilled", chainId: 51, relayer, xdc: "10", settlements: 8_888 },
    ],
  ]);
});
