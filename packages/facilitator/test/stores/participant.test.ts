/** The port of participants: who is asked what, in which order, and what a database remembers. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/features/open-store.ts";
import { createLocal, type SettlementParticipant, type Transition } from "@farthing/engine/storage";
import { startSqlite } from "./store-benches.testing.ts";
import { claimOf, minedIn } from "./store-values.testing.ts";

const now = 1_000;

/** A database that no one has opened yet. */
async function newDatabase(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "farthing-participants-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  return `sqlite:${join(folder, "farthing.db")}`;
}

async function openWith(participants: readonly SettlementParticipant[]) {
  const store = await openStore("sqlite::memory:", { participants });
  onTestFinished(() => store.close());
  return store;
}

const nothing = new Map<string, never>();

test("a bare engine does not open a service's database; the service opens a bare engine's", async () => {
  const databaseUrl = await newDatabase();
  const bare = await openStore(databaseUrl, { participants: [] });
  await bare.close();
  const service = await openStore(databaseUrl);
  await service.close();
  await expect(openStore(databaseUrl, { participants: [] })).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringContaining(
      "aggregates, api-keys, books, channels, credits, keyless-limits, purchases",
    ),
  });
  const again = await openStore(databaseUrl);
  await again.close();
});

test("a database that a service used before participants were recorded is a service's", async () => {
  const bench = await startSqlite();
  onTestFinished(bench.stop);
  const service = await bench.open();
  await service.claimSettlements([claimOf()], now);
  await service.close();
  await bench.query("drop view all_transactions");
  await bench.query("drop table participants");
  await bench.query("drop table refunds");
  await bench.query("alter table settlements drop column refund_of");
  await bench.query("alter table settlements drop column signature_hash");
  for (const column of ["recovered_at", "earlier_failure", "earlier_failure_message"]) {
    await bench.query(`alter table settlements drop column ${column}`);
  }
  await bench.query("delete from kysely_migration where name >= '0014-participants'");
  await expect(openStore(bench.databaseUrl, { participants: [] })).rejects.toMatchObject({
    code: "configuration",
  });
});

test("a claim that one participant denies is not shown to the next; its code is the reason", async () => {
  const asked: string[][] = [];
  const denying = (code: string, id: string): SettlementParticipant => ({
    name: code,
    beforeClaim: async (_, claims) => {
      asked.push(claims.map((claim) => claim.id));
      return new Map([[id, { code }]]);
    },
  });
  const [one, two, three] = [claimOf(), claimOf(), claimOf()];
  const store = await openWith([denying("first", one.id), denying("next", two.id)]);
  const results = await store.claimSettlements([one, two, three], now);
  expect(results).toMatchObject([
    { kind: "refused", reason: "first" },
    { kind: "refused", reason: "next" },
    { kind: "created", settlement: { id: three.id } },
  ]);
  expect(asked).toEqual([
    [one.id, two.id, three.id],
    [two.id, three.id],
  ]);
});

test("changed annotations are stored, and later participants see them", async () => {
  const seen: number[] = [];
  const seenBefore: number[] = [];
  const changing: SettlementParticipant = {
    name: "changing",
    onClaimed: async (_, [settlement]) =>
      settlement ? new Map([[settlement.id, { credits: 3 }]]) : nothing,
    onTransitions: async (_, transitions) =>
      new Map(transitions.map(({ settlement }) => [settlement.id, { credits: 5 }])),
  };
  const seeing: SettlementParticipant = {
    name: "seeing",
    onClaimed: async (_, settlements) => {
      seen.push(...settlements.map(({ credits }) => credits));
      return nothing;
    },
    onTransitions: async (_, transitions) => {
      seen.push(...transitions.map(({ settlement }) => settlement.credits));
      seenBefore.push(...transitions.map(({ before }) => before.credits));
      return nothing;
    },
  };
  const store = await openWith([changing, seeing]);
  const claim = claimOf();
  const [claimed] = await store.claimSettlements([claim], now);
  expect(claimed).toMatchObject({ settlement: { credits: 3 } });
  expect(await store.findSettlement(claim.id)).toMatchObject({ credits: 3, keyId: null });
  const [confirmed] = await store.recordConfirmed([{ id: claim.id, mined: minedIn(1) }], now);
  expect(confirmed).toMatchObject({ credits: 5 });
  expect(await store.findSettlement(claim.id)).toMatchObject({ credits: 5 });
  expect([seen, seenBefore]).toEqual([[3, 5], [3]]);
});

test("every transition is told after its commit, once; what is rolled back is not", async () => {
  const committed: Transition["kind"][] = [];
  let fails = false;
  const watching: SettlementParticipant = {
    name: "watching",
    onTransitions: async () => {
      if (fails) throw new Error("rolled back");
      return nothing;
    },
    onCommitted: (transitions) => committed.push(...transitions.map(({ kind }) => kind)),
  };
  const store = await openWith([watching]);
  const [one, other] = [claimOf(), claimOf()];
  await store.claimSettlements([one, other], now);
  fails = true;
  const confirmation = { id: one.id, mined: minedIn(7) };
  await expect(store.recordConfirmed([confirmation], now)).rejects.toThrow();
  expect(await store.findSettlement(one.id)).toMatchObject({ state: "queued" });
  fails = false;
  await store.recordConfirmed([confirmation, confirmation], now);
  await store.recordReorganised(one.chainId, 7, now);
  await store.requeueSettlements([one.id], now, 0);
  await store.recordConfirmed([confirmation], now);
  await store.recordFinalized(one.chainId, 7, now);
  const failure = { code: "authorization_expired", message: "", transaction: null } as const;
  await store.recordFailed([{ id: other.id, ...failure }], now);
  // Nothing moves twice.
  await store.recordFailed([{ id: other.id, ...failure }], now);
  expect(committed).toEqual([
    "confirmed",
    "reorganised",
    "requeued",
    "confirmed",
    "finalized",
    "failed",
  ]);
});

test("what a participant keeps of a step is its own, and gone with the step", async () => {
  const noted: number[] = [];
  const noting = (name: string): SettlementParticipant => {
    const local = createLocal(() => ({ claims: 0 }));
    return {
      name,
      beforeClaim: async (tx, claims) => {
        local(tx).claims += claims.length;
        return nothing;
      },
      onClaimed: async (tx) => {
        noted.push(local(tx).claims);
        return nothing;
      },
    };
  };
  const store = await openWith([noting("one"), noting("other")]);
  await store.claimSettlements([claimOf(), claimOf()], now);
  await store.claimSettlements([claimOf()], now);
  expect(noted).toEqual([2, 2, 1, 1]);
});
