/**
 * The database fails for a moment while payments are in hand, before a write or after it, when
 * nobody knows whether it was kept: what was accepted is finished all the same, and once.
 */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import { Fault } from "./base/fault.ts";
import {
  bodyOn,
  newDatabaseUrl,
  serveOn,
  startChain,
  usesOf,
  type Answer,
  type Served,
} from "./facilitator.testing.ts";
import { openStore } from "./storage/open-store.ts";
import type { Store } from "./storage/store.ts";

/** A write that fails once: it is not done, or done and not answered. */
type Failure = "undone" | "unanswered";
type Write = "reserveTransactions" | "recordSigned" | "recordConfirmed";

let devnet: Devnet;
let served: Served;
const failures = new Map<Write, Failure>();

beforeAll(async () => {
  devnet = await startChain();
  const databaseUrl = newDatabaseUrl();
  const store = failing(await openStore(databaseUrl));
  // Two payments are two transactions, and a log counts only in the block after its own.
  const env = { FARTHING_BATCH_MAX: "1", FARTHING_CONFIRMATIONS: "2" };
  served = await serveOn(devnet, { databaseUrl, store, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

function failing(store: Store): Store {
  return {
    ...store,
    reserveTransactions: (...given) =>
      once("reserveTransactions", () => store.reserveTransactions(...given)),
    recordSigned: (...given) => once("recordSigned", () => store.recordSigned(...given)),
    recordConfirmed: (...given) => once("recordConfirmed", () => store.recordConfirmed(...given)),
  };
}

async function once<T>(write: Write, work: () => Promise<T>): Promise<T> {
  const failure = failures.get(write);
  failures.delete(write);
  if (failure !== "undone") {
    const result = await work();
    if (failure === undefined) return result;
  }
  throw new Fault("storage_unavailable", "The database is away");
}

/** Makes blocks, one by one, until all have an answer: before any would be told "pending", at 25 s. */
async function mineUntilAnswered(asked: readonly Promise<Answer>[]): Promise<Answer[]> {
  let answered = 0;
  for (const one of asked) void one.then(() => answered++);
  const look = async () => {
    await devnet.mine();
    return answered;
  };
  await expect.poll(look, { timeout: 15_000, interval: 200 }).toBe(asked.length);
  return Promise.all(asked);
}

test.each([
  // Alone, and first: whatever else becomes final wakes those who wait for this one as well.
  ["recordConfirmed", "unanswered", 1],
  ["recordConfirmed", "undone", 2],
  ["reserveTransactions", "undone", 2],
  ["reserveTransactions", "unanswered", 2],
  ["recordSigned", "undone", 2],
  ["recordSigned", "unanswered", 2],
] as const)("%s, %s: each payment is made and told, once", async (write, failure, payments) => {
  failures.set(write, failure);
  const bodies = Array.from({ length: payments }, () => bodyOn(devnet));
  const answers = await mineUntilAnswered(bodies.map((body) => served.post("/settle", body)));
  for (const { body } of answers) expect(body["status"]).toBe("confirmed");
  expect(failures).toEqual(new Map());
  for (const body of bodies) expect(await usesOf(devnet, body)).toHaveLength(1);
});
