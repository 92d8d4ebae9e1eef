/** What the store keeps of payments that it had lost, and of what its wallets have used. */
import { refundNonce, zeroAddress } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { Claim } from "../../src/index.ts";
import { storeForEach } from "./store-benches.testing.ts";
import {
  chainId,
  claimOf,
  held,
  lane,
  otherLane,
  planOf,
  refusalOf,
  type StoreBench,
} from "./store-values.testing.ts";

const call = { caller: "shop", idempotencyKey: null, isUpfront: false, successWriter: null };

/** The tests, on databases that `start` makes. */
export function recoveredSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  async function recover(changes: Partial<Claim> = {}): Promise<Claim> {
    const claim = claimOf({ isRecovered: true, ...changes });
    const [result] = await at().store.claimSettlements([claim], 5);
    expect(result).toMatchObject({ kind: "created", settlement: { recoveredAt: 5 } });
    return claim;
  }

  test("a recovered settlement belongs to its first caller alone, who has several exchanges", async () => {
    const { store } = at();
    const claim = await recover();
    const settlement = (await store.findSettlement(claim.id)) ?? expect.fail("it is there");
    const ask = async (caller: string) =>
      (await store.findExchangeFacts([{ settlement, caller, idempotencyKey: null }]))[0];
    expect(await ask("shop")).toMatchObject({ isClaimant: false, hasSeveral: true });
    const bind = (caller: string) =>
      store.bindClaim({ ...claim, claimingCall: { ...call, caller } }, 6);
    const both = await Promise.all([bind("shop"), bind("other")]);
    expect(both.map(({ kind }) => kind).toSorted()).toEqual(["bound", "existing"]);
    const winner = both[0]?.kind === "bound" ? "shop" : "other";
    expect(await ask(winner)).toMatchObject({ isClaimant: true, hasSeveral: true });
    expect(await bind("third")).toEqual({ kind: "existing" });
  });

  test.each([
    ["one that a caller has claimed again", { isRecovered: true, claimingCall: call }],
    ["one that was never lost", {}],
    ["one that is not there", undefined],
  ])("%s cannot be bound", async (_name, changes) => {
    const { store } = at();
    const claim = claimOf(changes);
    if (changes) await store.claimSettlements([claim], 5);
    expect(await store.bindClaim({ ...claim, claimingCall: call }, 6)).toEqual({
      kind: "existing",
    });
  });

  test("a recovered refund is its payment's, whatever is known of that, and its seller's once", async () => {
    const { store } = at();
    // Not final yet, as right after it was recovered.
    const payment = await recover({ amount: 10n });
    const ours = {
      payer: payment.payTo,
      payTo: payment.payer,
      refund: { of: payment.id, unitsMin: 1n },
    };
    const refund = await recover({ ...ours, amount: 4n, nonce: refundNonce(payment, 2) });
    const [stored] = await store.listRefunds([payment.id]);
    expect(stored).toMatchObject({
      ordinal: 2,
      settlement: { id: refund.id, refundOf: payment.id },
    });
    const owner = payment.payTo;
    const repeat = { ...refund, owner, credits: 3 };
    expect(await store.bindClaim(repeat, 6)).toMatchObject({
      kind: "bound",
      settlement: { owner, credits: 3, recoveredAt: 5 },
    });
    expect(await store.bindClaim(repeat, 7)).toEqual({ kind: "existing" });
    // One that an account claims again is its own from the start.
    const claimed = await recover({ ...ours, owner, amount: 4n, nonce: refundNonce(payment, 1) });
    expect(await store.bindClaim(claimed, 8)).toEqual({ kind: "existing" });
    const ofRefund = {
      payer: refund.payTo,
      payTo: refund.payer,
      refund: { of: refund.id, unitsMin: 1n },
      nonce: refundNonce(refund, 0),
    };
    const none = [
      ours,
      { ...ours, payer: zeroAddress, nonce: refundNonce(payment, 0) },
      { ...ours, payTo: zeroAddress, nonce: refundNonce(payment, 0) },
      ofRefund,
    ];
    const claims = none.map((one) => claimOf({ ...one, isRecovered: true, amount: 1n }));
    const refusals = (await store.claimSettlements(claims, 9)).map(refusalOf);
    expect(new Set(refusals)).toEqual(new Set(["refund_mismatch"]));
  });

  test("nonces are listed with the time of the newest, and raised to what the chain has used", async () => {
    const { store } = at();
    expect(await store.listNextNonces(chainId)).toEqual([]);
    const lease = await held(store);
    await held(store, "one", otherLane);
    const claim = claimOf();
    await store.claimSettlements([claim], 1);
    await store.reserveTransactions(lease, [planOf(claim.id)], 70);
    const listed = async () =>
      Object.fromEntries(
        (await store.listNextNonces(chainId)).map(({ wallet, ...rest }) => [wallet, rest]),
      );
    const idle = { nextNonce: 0, newestAt: null };
    expect(await listed()).toEqual({ [lane]: { nextNonce: 1, newestAt: 70 }, [otherLane]: idle });
    await store.raiseNextNonces(chainId, [
      { wallet: lane, nextNonce: 5 },
      { wallet: otherLane, nextNonce: 0 },
    ]);
    await store.raiseNextNonces(chainId, [{ wallet: lane, nextNonce: 3 }]);
    expect(await listed()).toEqual({ [lane]: { nextNonce: 5, newestAt: 70 }, [otherLane]: idle });
  });
}
