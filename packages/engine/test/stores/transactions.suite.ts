/** The store changes the state of a transaction where the table of transitions allows it, and only there. */
import { describe, expect, test } from "vitest";
import {
  transactionTransitions,
  type RelayerTransaction,
  type TransactionState,
  type WalletLease,
} from "../../src/model/relayer-transaction.ts";
import { storeForEach } from "./store-benches.testing.ts";
import {
  chainId,
  hex32,
  minedIn,
  replaceAt,
  reserved,
  type StoreBench,
  type TestStore,
} from "./store-values.testing.ts";

/** The block of a mined transaction. */
const minedAt = 100;

type StoreStep = (
  store: TestStore,
  lease: WalletLease,
  transaction: RelayerTransaction,
) => Promise<unknown>;

const hashOf = ({ id }: RelayerTransaction) => hex32(1_000_000 + id);

const sign: StoreStep = (store, lease, one) =>
  store.recordSigned(lease, [{ id: one.id, raw: hex32(one.id), hash: hashOf(one) }], 2);

/** The call of the store that makes each transition; `lost` needs bytes that were removed. */
const steps: Readonly<Record<Exclude<keyof typeof transactionTransitions, "lost">, StoreStep>> = {
  signed: sign,
  sent: (store, _lease, transaction) => store.recordSent([transaction], 2),
  released: (store, lease, { id }) => store.releaseUnsigned(lease, [id], 2),
  mined: (store, _lease, transaction) => store.closeTransactions([transaction], "mined", minedAt),
  dropped: (store, _lease, transaction) => store.closeTransactions([transaction], "dropped"),
  reopened: (store) => store.reopenTransactions(chainId, { fromBlock: minedAt }),
};

const names = ["signed", "sent", "released", "mined", "dropped", "reopened"] as const;
const states = ["intent", "signed", "sent", "mined", "dropped"] as const;

/** How a transaction comes into a state. */
const paths: Readonly<Record<TransactionState, readonly (keyof typeof steps)[]>> = {
  intent: [],
  signed: ["signed"],
  sent: ["signed", "sent"],
  mined: ["signed", "sent", "mined"],
  dropped: ["signed", "sent", "dropped"],
};

/** The tests, on databases that `start` makes. */
export function transactionsSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  async function stateOf({ id }: RelayerTransaction) {
    const [row] = await at().bench.query(`select state from relayer_transactions where id = ${id}`);
    return row?.["state"];
  }

  test("nothing is put at a nonce at which a transaction is mined", async () => {
    const { store } = at();
    const { lease, plan, transaction } = await reserved(store);
    for (const step of paths.mined) await steps[step](store, lease, transaction);
    const replace = () => store.replaceTransaction(lease, transaction.nonce, plan, 3);
    expect(await replace()).toBeUndefined();
    expect(await store.listOpenTransactions(chainId, lease.lane)).toEqual([]);
    await steps.reopened(store, lease, transaction);
    expect(await replace()).toMatchObject({ nonce: transaction.nonce, state: "intent" });
  });

  /** Whether nodes know the hash of a transaction that has gone through these steps. */
  async function isSentAfter(...names: readonly (keyof typeof steps)[]): Promise<boolean> {
    const { store } = at();
    const { lease, transaction } = await reserved(store);
    for (const name of names) await steps[name](store, lease, transaction);
    const [id = ""] = transaction.settlementIds;
    return store.isTransactionSent(id, hashOf(transaction));
  }

  test("a nonce that another transaction has used makes no node know what all had refused", async () => {
    expect(await isSentAfter("signed", "dropped")).toBe(false);
    expect(await isSentAfter("signed", "sent", "dropped")).toBe(true);
  });

  test("what was in a block is known, also when the block has gone", async () => {
    expect(await isSentAfter("signed", "mined")).toBe(true);
    expect(await isSentAfter("signed", "mined", "reopened")).toBe(true);
  });

  test("a nonce is closed with all that is signed at it, and by no name that another one has", async () => {
    const { store } = at();
    const { lease, plan, transaction: first } = await reserved(store);
    const second = await replaceAt(store, lease, first.nonce, plan, 2);
    const third = await replaceAt(store, lease, first.nonce, plan, 2);
    await sign(store, lease, first);
    await sign(store, lease, second);
    const all = () => Promise.all([first, second, third].map(stateOf));
    await store.closeNonce({ ...second, hash: hex32(0) }, minedAt);
    expect(await all()).toEqual(["signed", "signed", "intent"]);
    await store.closeNonce(second, minedAt);
    expect(await all()).toEqual(["dropped", "mined", "intent"]);
    // What is signed after that is dropped by itself, but not where the nonce is open again.
    await sign(store, lease, third);
    // No look at what is open finds it before.
    expect(await store.listOpenTransactions(chainId, lease.lane)).toEqual([]);
    await store.dropClosed(lease);
    expect(await all()).toEqual(["dropped", "mined", "dropped"]);
    await store.reopenTransactions(chainId, { fromBlock: minedAt });
    await store.dropClosed(lease);
    expect(await all()).toEqual(["sent", "sent", "sent"]);
    expect(await store.listOpenTransactions(chainId, lease.lane)).toHaveLength(3);
  });

  test("what was never signed at a mined nonce is dropped, and its payment is free for another nonce", async () => {
    const { store } = at();
    const { lease, plan, transaction: unsigned } = await reserved(store);
    const filling = { ...plan, settlementIds: [] };
    const cancellation = await replaceAt(store, lease, unsigned.nonce, filling, 2);
    await sign(store, lease, cancellation);
    await store.closeNonce({ ...cancellation, hash: hashOf(cancellation) }, minedAt);
    await store.dropClosed(lease);
    expect(await stateOf(unsigned)).toBe("dropped");
    expect(await store.reserveTransactions(lease, [plan], 3)).toMatchObject([
      { nonce: unsigned.nonce + 1, settlementIds: plan.settlementIds },
    ]);
  });

  test("a nonce is open again with all that was signed at it, and nothing else", async () => {
    const { store } = at();
    const { lease, plan, transaction: first } = await reserved(store);
    const unsigned = await replaceAt(store, lease, first.nonce, plan, 2);
    await sign(store, lease, first);
    await store.closeNonce({ ...first, hash: hashOf(first) }, minedAt);
    await store.dropClosed(lease);
    await store.reopenTransactions(chainId, { fromBlock: minedAt });
    expect(await Promise.all([first, unsigned].map(stateOf))).toEqual(["sent", "dropped"]);
  });

  test("a signature submits the payments that the transaction still carries", async () => {
    const { store } = at();
    const { lease, plan, transaction: first } = await reserved(store);
    const second = await replaceAt(store, lease, first.nonce, plan, 2);
    const [id = ""] = plan.settlementIds;
    await sign(store, lease, first);
    expect(await store.findSettlement(id)).toMatchObject({ state: "queued", transaction: null });
    await sign(store, lease, second);
    const submitted = { state: "submitted", transaction: hashOf(second) };
    expect(await store.findSettlement(id)).toMatchObject(submitted);
  });

  test("what repeats the bytes of a dropped transaction does not open a nonce that is mined", async () => {
    const { store } = at();
    const { lease, plan, transaction: first } = await reserved(store);
    const second = await replaceAt(store, lease, first.nonce, plan, 2);
    const repeat = await replaceAt(store, lease, first.nonce, plan, 2);
    for (const one of [first, second]) await sign(store, lease, one);
    await store.closeNonce({ ...second, hash: hashOf(second) }, minedAt);
    expect(await store.dropRepeats(lease, [{ id: repeat.id, hash: hashOf(first) }], 3)).toBe(1);
    const all = await Promise.all([first, second, repeat].map(stateOf));
    expect(all).toEqual(["dropped", "mined", "dropped"]);
  });

  test("a dropped transaction that a block contains is open again, with its nonce", async () => {
    const { store } = at();
    const { lease, plan, transaction: first } = await reserved(store);
    const second = await replaceAt(store, lease, first.nonce, plan, 2);
    for (const one of [first, second]) await sign(store, lease, one);
    await store.closeNonce(first, minedAt);
    await store.reopenTransactions(chainId, { shown: [hashOf(first)] });
    expect(await Promise.all([first, second].map(stateOf))).toEqual(["mined", "dropped"]);
    await store.reopenTransactions(chainId, { shown: [hashOf(second)] });
    expect(await Promise.all([first, second].map(stateOf))).toEqual(["sent", "sent"]);
  });

  test("a payment that has its outcome opens no nonce", async () => {
    const { store } = at();
    const { lease, claim, transaction } = await reserved(store);
    await sign(store, lease, transaction);
    await store.closeNonce(transaction, minedAt);
    const mined = { ...minedIn(minedAt), transaction: hashOf(transaction) };
    await store.recordConfirmed([{ id: claim.id, mined }], 3);
    await store.reopenTransactions(chainId, { settlementIds: [claim.id] });
    expect(await stateOf(transaction)).toBe("mined");
  });

  describe.each(states)("from %s", (before) => {
    test.each(names)("%s", async (name) => {
      const { store } = at();
      const { lease, transaction } = await reserved(store);
      for (const step of paths[before]) await steps[step](store, lease, transaction);
      expect(await stateOf(transaction)).toBe(before);
      await steps[name](store, lease, transaction);
      const transition: {
        readonly from: readonly TransactionState[];
        readonly to: TransactionState;
      } = transactionTransitions[name];
      // A nonce is reopened by the transaction that was mined at it.
      const isReopened = name !== "reopened" || before === "mined";
      const isAllowed = transition.from.includes(before) && isReopened;
      expect(await stateOf(transaction)).toBe(isAllowed ? transition.to : before);
    });
  });
}
