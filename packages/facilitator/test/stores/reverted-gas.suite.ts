/** The budget for reverted gas beside the limits for callers without a key, on every database. */
import {
  byContract,
  carry,
  claimAll,
  confirmBy,
  created,
  exhausted,
  many,
  noon,
  revert,
  revertedGas,
} from "@farthing/engine/testing/reverted-gas";
import { expect, test } from "vitest";
import { storeForEach } from "./store-benches.testing.ts";
import { chainId, claimOf, type StoreBench } from "./store-values.testing.ts";

/** The tests, on databases that `start` makes. */
export function revertedGasSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  test("callers of every kind share one budget; plain payers never touch it", async () => {
    const { store } = at();
    const keyless = { callerNetwork: "n", payerCountMax: null, gas: null };
    const claims = [...many(4), ...many(4, () => byContract({ terms: { keyless } })), ...many(4)];
    expect(await claimAll(store, claims)).toEqual([...created(10), ...exhausted(2)]);
    expect(await claimAll(store, [claimOf({ revertedGas })])).toEqual(["created"]);
    expect(await claimAll(store, [byContract({ revertedGas: undefined })])).toEqual(["created"]);
    expect(await store.readRevertedGas(chainId, noon)).toEqual({ open: 100, proven: 0 });
    expect(await store.readRevertedGas(50, noon)).toEqual({ open: 0, proven: 0 });
  });

  test("reverts use up no caller's share of the keyless budget", async () => {
    const { store } = at();
    const gas = { budgetGwei: 200, plainGwei: 1, contractGwei: 4 };
    const keyless = { callerNetwork: "shop", payerCountMax: null, gas };
    const claims = many(2, () => byContract({ terms: { keyless } }));
    expect(await claimAll(store, [...claims, byContract({ terms: { keyless } })])).toEqual([
      ...created(2),
      "caller_gas_share_used",
    ]);
    for (const { id } of claims) {
      await carry(store, id, 4n);
      await revert(store, id);
    }
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 0, proven: 0 });
    const honest = byContract({ terms: { keyless } });
    expect(await claimAll(store, [honest])).toEqual(["created"]);
    await carry(store, honest.id, 3n);
    await confirmBy("relayer")(store, honest.id);
    expect(await store.readKeylessGas(chainId, noon)).toEqual({ open: 3, proven: 0 });
  });
}
