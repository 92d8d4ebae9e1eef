/**
 * Sellers written by hand from the service description (verify, settle, poll until it is confirmed)
 * that are shown one payment many times: on each surface, with one process and with two.
 */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";
import {
  bodyOn,
  countOf,
  createSteeredClock,
  newDatabaseUrl,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";
import { keyIn } from "../support/api-keys.testing.ts";

/** Requests with one payment at once, and one after the other when all are answered. */
const atOnce = 12;
const inARow = 4;

/** Looks at a settlement until it is confirmed, each up to five seconds long. */
const readsMax = 20;

const surfaces = ["hosted", "public", "self-built"] as const;
type Surface = (typeof surfaces)[number];

/** Who calls from elsewhere, as the trusted proxy says, which is the test. */
const thirdParty = { "x-forwarded-for": "198.51.100.9" };
const env = { FARTHING_TRUSTED_PROXIES: "127.0.0.1" };

const arrangements = [
  ["one process on SQLite", "sqlite", 1],
  ["two processes on PostgreSQL", "postgres", 2],
] as const;
type Engine = (typeof arrangements)[number][1];

/**
 * The time of all processes. It stands still while a seller is on its way to its first look, which
 * takes as long as a busy machine likes: a repeat must leave the success to that look for a while.
 */
const clock = createSteeredClock();

let devnet: Devnet;
let server: TestPostgres;
const stack = new AsyncDisposableStack();
/** The processes of a database; those of the self-built surface have one of their own. */
const processes = new Map<string, Served[]>();
const keys = new Map<Engine, string>();

async function start(engine: Engine, selfBuilt: boolean, wallets: readonly number[]) {
  const databaseUrl = engine === "sqlite" ? newDatabaseUrl() : await server.createDatabase();
  if (!selfBuilt) {
    keys.set(engine, await keyIn(databaseUrl, devnet.seller.address));
  }
  const started: Served[] = [];
  for (const wallet of wallets) {
    const served = await serveOn(devnet, { selfBuilt, databaseUrl, clock, env, wallets: [wallet] });
    stack.defer(() => served.stop());
    started.push(served);
  }
  processes.set(`${engine} ${selfBuilt}`, started);
}

beforeAll(async () => {
  [devnet, server] = await Promise.all([startChain({ relayers: 6 }), startPostgres()]);
  stack.defer(() => server.stop());
  stack.defer(() => devnet.stop());
  await start("sqlite", false, [0]);
  await start("sqlite", true, [1]);
  await start("postgres", false, [2, 3]);
  await start("postgres", true, [4, 5]);
});
afterAll(() => stack.disposeAsync());

const automine = (isOn: boolean) => devnet.rpc("evm_setAutomine", [isOn]);
afterEach(async () => {
  clock.frozenMs = undefined;
  await automine(true);
});

/** One address in front of the processes: each request goes to the next one. */
function frontOf(engine: Engine, surface: Surface, count: number) {
  const all = processes.get(`${engine} ${surface === "self-built"}`)?.slice(0, count) ?? [];
  const headers: Record<string, string> =
    surface === "public" ? { authorization: `Bearer ${keys.get(engine)}` } : {};
  const base = surface === "hosted" ? "/api/facilitator" : "";
  let turn = 0;
  const next = () => {
    const served = all[turn++ % all.length];
    if (!served) throw new Error("no process serves this surface");
    return served;
  };
  return {
    post: async (path: string, body: JsonObject) =>
      (await next().post(`${base}${path}`, body, headers)).body,
    get: async (path: string) => (await next().get(`${base}${path}`, headers)).body,
    /** Transactions that wait for a block. */
    async waiting(): Promise<number> {
      const counts = await Promise.all(
        all.map(async ({ relayer }) => {
          const mined = await devnet.rpc("eth_getTransactionCount", [relayer, "latest"]);
          return (await countOf(devnet, relayer)) - Number(mined);
        }),
      );
      return counts.reduce((sum, count) => sum + count, 0);
    },
  };
}

type Front = ReturnType<typeof frontOf>;

/** Whether the seller serves. */
async function sell(front: Front, body: JsonObject, readsSuccess: boolean): Promise<boolean> {
  const verified = await front.post("/verify", body);
  if (verified["isValid"] !== true) return false;
  const answer = await front.post("/settle", body);
  const isTold = readsSuccess && answer["success"] === true;
  const { id } = answer;
  if (!isTold && typeof id !== "string") return false;
  if (isTold) {
    clock.frozenMs = undefined;
    return true;
  }
  // It looks late: the outcome is known already.
  await expect.poll(() => front.waiting()).toBe(0);
  for (let looks = 0; looks < readsMax; looks++) {
    const page = await front.get(`/settlements/${String(id)}?wait=5`);
    clock.frozenMs = undefined;
    if (page["status"] !== "pending") return page["status"] === "confirmed";
  }
  return false;
}

describe.each(arrangements)("%s", (_, engine, count) => {
  describe.each(surfaces)("%s", (surface) => {
    test.each([
      ["by the id alone", false],
      ["by success or by the id", true],
    ])("a hand-written seller that polls serves once: %s", async (_name, readsSuccess) => {
      const front = frontOf(engine, surface, count);
      const body = bodyOn(devnet);
      await automine(false);
      clock.frozenMs = Date.now();
      const sales = Array.from({ length: atOnce }, () => sell(front, body, readsSuccess));
      const selling = Promise.all(sales);
      // The block comes at once: the seller has not polled yet.
      await expect.poll(() => front.waiting()).toBe(1);
      await devnet.mine();
      const isServed = await selling;
      for (let sent = 0; sent < inARow; sent++) {
        isServed.push(await sell(front, body, readsSuccess));
      }
      expect(isServed.filter(Boolean)).toHaveLength(1);
    });
  });
});

test.each([
  ["the same process", 0],
  ["another process", 1],
])(
  "a seller that was told pending and begins to poll is served before a repeat at %s",
  async (_, at) => {
    const all = processes.get("postgres false") ?? [];
    const [first, other] = [all[0], all[at]];
    if (!first || !other) throw new Error("there are two processes");
    const base = "/api/facilitator";
    const body = bodyOn(devnet);
    for (let exchange = 0; exchange < 2; exchange++) await first.post(`${base}/verify`, body);
    await automine(false);
    // Longer than a poll may take to begin, counted from the claim.
    const { body: pending } = await first.post(`${base}/settle`, body, { prefer: "wait=2" });
    clock.frozenMs = Date.now();
    await devnet.mine();
    const repeat = other.post(`${base}/settle`, body);
    const look = async (headers = {}) =>
      (await first.get(`${base}/settlements/${String(pending["id"])}?wait=5`, headers)).body;
    await expect.poll(async () => (await look(thirdParty))["status"]).toBe("confirmed");
    expect(await look()).toMatchObject({ status: "confirmed" });
    clock.frozenMs = undefined;
    expect((await repeat).body).toMatchObject({ success: false, errorReason: "already_settled" });
  },
);
