/** The audit after a crash: callers, chain, store and wallet have to agree. */
import { auditBalances, readRelayed } from "@farthing/lab/audit";
import type { Hex, JsonObject } from "@farthing/protocol";
import { expect } from "vitest";
import type { CrashEnvironment } from "./crash-environment.testing.ts";
import {
  hexAt,
  oneCent,
  payerAndNonceOf,
  textAt,
  useLogsOf,
  type UseLog,
} from "../support/facilitator.testing.ts";
import { inspectStore } from "@farthing/engine/storage";

/** The responses to callers for each payment, in the order of the payments. */
export type WorkerMessage = readonly (readonly JsonObject[])[];

/** Expects that every payment moved its money once, and that all records agree. */
export async function expectSettledOnce(
  environment: CrashEnvironment,
  told: WorkerMessage,
  otherTransactions: number,
): Promise<void> {
  const logs = await Promise.all(
    environment.bodies.map((body) => useLogsOf(environment.devnet, body)),
  );
  expect(logs.map(({ length }) => length)).toEqual(environment.bodies.map(() => 1));
  const uses = logs.flat();
  expectTrueAnswers(uses, told);
  await expectStoredAsMined(environment, uses);
  await expectOneRefundEach(environment);
  await expectPaid(environment);
  await expectWholeWallet(environment, uses, otherTransactions);
}

/** Expects that nothing counts as confirmed before it is deep enough. */
export async function expectDeepEnough(
  environment: CrashEnvironment,
  confirmations: number,
): Promise<void> {
  const stored = await environment.settlements();
  const head = Number(await environment.devnet.rpc<Hex>("eth_blockNumber"));
  for (const settlement of stored) {
    if (settlement?.state !== "confirmed") continue;
    expect(settlement.blockNumber).toBeLessThanOrEqual(head - confirmations + 1);
  }
}

/** No caller is told of a failure, and every caller is told of the right transaction in the end. */
function expectTrueAnswers(uses: readonly UseLog[], told: WorkerMessage): void {
  for (const [index, pages] of told.entries()) {
    const ids = new Set(pages.map(({ id }) => id));
    expect(ids.size).toBeLessThanOrEqual(1);
    for (const page of pages) {
      expect(["confirmed", "pending"]).toContain(page["status"]);
      if (page["status"] !== "confirmed") continue;
      const transaction = uses[index]?.transactionHash;
      expect(page).toMatchObject({ success: true, transaction });
    }
    expect(pages.at(-1)).toMatchObject({ status: "confirmed" });
  }
}

async function expectStoredAsMined(
  environment: CrashEnvironment,
  uses: readonly UseLog[],
): Promise<void> {
  const stored = await environment.settlements();
  expect(stored).toMatchObject(
    uses.map(({ transactionHash, blockHash, blockNumber, logIndex }) => ({
      state: "confirmed",
      transaction: transactionHash,
      blockHash,
      blockNumber: Number(blockNumber),
      logIndex: Number(logIndex),
      settledBy: "relayer",
      failure: null,
      finalizedAt: expect.any(Number),
    })),
  );
}

/** A refund stands once among those of its payment, and all of the payment has gone back. */
async function expectOneRefundEach({ store, refunds }: CrashEnvironment): Promise<void> {
  for (const { body } of refunds.values()) {
    const stored = await store.listRefunds([textAt(body, "settlementId")]);
    const settlement = { state: "confirmed", amount: oneCent };
    expect(stored).toMatchObject([{ ordinal: 0, settlement, isDead: false }]);
    expect(stored).toHaveLength(1);
  }
}

async function expectPaid({ devnet, bodies, refunds }: CrashEnvironment): Promise<void> {
  const payee = devnet.seller.address;
  const refunded = [...refunds.values()].map(({ payment }) => payment);
  const payments = [...refunded, ...bodies].map((body) => {
    const { payer: from } = payerAndNonceOf(body);
    const to = hexAt(body, "paymentPayload.payload.authorization.to");
    return { from, to, value: oneCent };
  });
  const holders = [payee, ...payments.map(({ from }) => from)];
  const balances = new Map(
    await Promise.all(
      holders.map(async (holder) => [holder, await devnet.usdc.balanceOf(holder)] as const),
    ),
  );
  expect(auditBalances(payments, balances, [payee])).toEqual([]);
}

/** No nonce is left out or waits, and nothing was sent that carried none of the payments. */
async function expectWholeWallet(
  environment: CrashEnvironment,
  uses: readonly UseLog[],
  otherTransactions: number,
): Promise<void> {
  const { devnet, store, relayer, databaseUrl } = environment;
  const relayed = await readRelayed(devnet, [relayer.address]);
  expect(relayed.map(({ nonce }) => nonce)).toEqual(relayed.map((_, index) => index));
  const carriers = new Set(uses.map(({ transactionHash }) => transactionHash));
  expect(relayed.length - carriers.size).toBe(otherTransactions);
  const pending = await devnet.rpc<Hex>("eth_getTransactionCount", [relayer.address, "pending"]);
  expect(Number(pending)).toBe(relayed.length);
  const { wallets } = await inspectStore(databaseUrl, Date.now());
  expect(wallets).toMatchObject([{ nextNonce: relayed.length, open: 0 }]);
  expect(await store.listOpenTransactions(devnet.chainId, relayer.address)).toEqual([]);
}
