/** A settlement that the database had lost, and the account that repeats it. */
import type { Address } from "@farthing/protocol";
import { expect, test } from "vitest";
import { storeForEach } from "./store-benches.testing.ts";
import { endpointOf } from "./email-scenario.testing.ts";
import {
  chainId,
  claimOf,
  confirm,
  fund,
  type ClaimChanges,
  type StoreBench,
} from "./store-values.testing.ts";

const seller: Address = `0x${"33".repeat(20)}`;

/** The tests, on databases that `start` makes. */
export function recoveredSuite(start: () => Promise<StoreBench>): void {
  const at = storeForEach(start);

  async function recover(isFinal: boolean) {
    const { store } = at();
    await fund(store, seller, 10);
    const endpoint = {
      ...endpointOf(seller, "webhook", 1),
      events: ["settlement.confirmed", "settlement.finalized"] as const,
    };
    await store.createWebhook(endpoint, { endpointsMax: 5 });
    const lost = claimOf({ isRecovered: true });
    await store.claimSettlements([lost], 5);
    await confirm(store, lost.id);
    if (isFinal) await store.recordFinalized(chainId, 100, 6);
    const events = async () => {
      const { items } = await store.listDeliveries(endpoint.id, { limit: 9 });
      return items.toSorted((one, other) => (one.type < other.type ? -1 : 1));
    };
    const types = async () => (await events()).map(({ type }) => type);
    const claimingCall = {
      caller: "s",
      idempotencyKey: "k",
      isUpfront: false,
      successWriter: null,
    };
    const bind = (changes: ClaimChanges, now: number) => {
      const books = { resource: null, route: "GET /x", reference: "order 7" };
      const repeat = claimOf({ account: seller, ...changes, id: lost.id, nonce: lost.nonce });
      return store.bindClaim({ ...repeat, terms: { books }, claimingCall }, now);
    };
    return { store, lost, events, types, bind };
  }

  test.each([
    ["that is confirmed", false, ["settlement.confirmed"]],
    ["that is final", true, ["settlement.confirmed", "settlement.finalized"]],
  ])("one %s costs, counts and notifies once, when it is repeated", async (_name, isFinal, all) => {
    const { store, lost, events, types, bind } = await recover(isFinal);
    expect(await store.findCredits(seller)).toEqual({ available: 10, held: 0 });
    expect(await types()).toEqual([]);
    expect(await bind({ price: 4 }, 7)).toMatchObject({
      kind: "bound",
      settlement: { owner: seller, credits: 4, state: "confirmed", recoveredAt: 5 },
    });
    expect(await bind({ price: 4 }, 8)).toEqual({ kind: "existing" });
    expect(await store.findCredits(seller)).toEqual({ available: 6, held: 0 });
    expect(await types()).toEqual(all);
    for (const { body } of await events()) {
      const data = { id: lost.id, recoveredAt: "1970-01-01T00:00:00.005Z", route: "GET /x" };
      expect(JSON.parse(body)).toMatchObject({ data });
    }
    const page = await store.listAccountSettlements(seller, { route: "GET /x" }, { limit: 5 });
    expect(page.items.map(({ id }) => id)).toEqual([lost.id]);
    expect(await store.listUsage(seller, { since: 0, before: 1_000, chainId })).toMatchObject([
      { settled: 1, credits: 4 },
    ]);
    expect(await store.auditCredits(10)).toEqual([]);
  });

  test("an account without the credits does not get it", async () => {
    const { store, bind } = await recover(false);
    expect(await bind({ price: 40 }, 7)).toEqual({
      kind: "refused",
      reason: "insufficient_facilitator_credits",
    });
    expect(await bind({ price: 10 }, 8)).toMatchObject({ kind: "bound" });
    expect(await store.findCredits(seller)).toEqual({ available: 0, held: 0 });
  });

  test("without an account it is free, and nobody's", async () => {
    const { store, bind } = await recover(false);
    expect(await bind({ account: null }, 7)).toMatchObject({
      kind: "bound",
      settlement: { owner: null, credits: 0 },
    });
    expect(await store.findCredits(seller)).toEqual({ available: 10, held: 0 });
  });
}
