/**
 * A database that loses its last commits, as an asynchronous standby does that takes over: what the
 * relayer wallets sent is on the chain, and the database knows nothing of it.
 */
import type { Devnet } from "@farthing/devnet";
import { createLog } from "@farthing/engine/base";
import { startSilentWire } from "@farthing/engine/source/storage/silent-wire.testing";
import { startRpcProxy, type RpcProxy } from "@farthing/lab/rpc-proxy";
import type { JsonObject } from "@farthing/protocol";
import { startPostgres } from "@farthing/engine/testing";
import { Client } from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import {
  bodyOn,
  newDatabaseUrl,
  payerAndNonceOf,
  serveOn,
  startChain,
  usesOf,
  walletAt,
  type ServeOptions,
  type Served,
} from "../support/facilitator.testing.ts";
import {
  refundOf,
  rememberIn,
  settleEvaluated,
  settlementTables as tables,
} from "../support/lost-rows.testing.ts";

const idSecret = "0f".repeat(32);

let devnet: Devnet;
let served: Served;
let databaseUrl: string;
/** Of what the service uses beyond one test. */
const ends: (() => Promise<void>)[] = [];
const lines: string[] = [];
const log = createLog("info", { write: (line) => void lines.push(line) });
const options = () => ({ databaseUrl, log, env: { FARTHING_ID_SECRET: idSecret } });
beforeAll(async () => {
  devnet = await startChain({ buyers: 6 });
  databaseUrl = newDatabaseUrl();
  served = await serveOn(devnet, options());
});
afterAll(async () => {
  await served?.stop();
  for (const end of ends) await end();
  await devnet?.stop();
});

const paymentOf = (buyer: number) => bodyOn(devnet, { payer: walletAt(devnet.buyers, buyer) });

const settle = (body: JsonObject) => settleEvaluated(served, body);
const remember = () => rememberIn(databaseUrl);
/** What the next look at the leases does not find: a repeat has to recover it by itself. */
const rememberAllButNonces = () => rememberIn(databaseUrl, { isHidden: true });

test("nonces and ids that are given again: later payments are settled, and none is taken for another", async () => {
  expect(await settle(paymentOf(0))).toMatchObject({ success: true });
  const loseSince = remember();
  const lost = [paymentOf(1), paymentOf(2)];
  for (const body of lost) expect(await settle(body)).toMatchObject({ success: true });
  loseSince();
  const later = [paymentOf(3), paymentOf(4)];
  const told = await Promise.all(later.map(settle));
  expect(told.map(({ success }) => success)).toEqual([true, true]);
  for (const body of [...lost, ...later]) expect(await usesOf(devnet, body)).toHaveLength(1);
  const pages = await Promise.all(
    told.map(async ({ id }) => (await served.get(`/settlements/${String(id)}`)).body),
  );
  for (const [index, page] of pages.entries()) {
    expect([page["transaction"]]).toEqual(await usesOf(devnet, later[index] ?? {}));
  }
});

test("a payment that was lost is recovered by its repeat: nobody is told to pay again, and it is told once", async () => {
  const loseSince = rememberAllButNonces();
  const body = paymentOf(5);
  const first = await settle(body);
  expect(first).toMatchObject({ success: true });
  loseSince();
  expect((await served.get(`/settlements/${String(first["id"])}`)).status).toBe(404);
  const verified = (await served.post("/verify", body)).body;
  expect(verified).toMatchObject({ isValid: false, invalidReason: "already_settled" });
  expect(verified["invalidMessage"]).toMatch(/has paid the payee in transaction 0x.*Do not sign/);
  const repeated = await settle(body);
  const { transaction } = first;
  expect(repeated).toMatchObject({ success: true, status: "confirmed", transaction });
  // Whoever was told the id before the loss finds the payment under it.
  expect((await served.get(`/settlements/${String(first["id"])}`)).body).toMatchObject({
    state: "confirmed",
    transaction,
  });
  // Other exchanges of before the loss may exist, so the success is told once.
  expect(await settle(body)).toMatchObject({ success: false, transaction });
  expect(await usesOf(devnet, body)).toEqual([transaction]);
});

test("a call that waited while its payment was lost is told the success, no later call is, and nothing is refused meanwhile", async () => {
  const loseSince = remember();
  const body = paymentOf(2);
  await devnet.rpc("evm_setIntervalMining", [0]);
  const waiting = served.post("/settle", body, { prefer: "wait=20" });
  await expect.poll(() => devnet.rpc("txpool_status", [])).toMatchObject({ pending: "0x1" });
  loseSince();
  const unpayable = bodyOn(devnet, { authorization: { value: 10n ** 30n } });
  expect((await served.post("/verify", unpayable)).status).toBe(503);
  await devnet.rpc("evm_setIntervalMining", [1]);
  expect(await settle(paymentOf(3))).toMatchObject({ success: true });
  const told = (await waiting).body;
  expect(told).toMatchObject({ success: true, status: "confirmed" });
  expect(await settle(body)).toMatchObject({ success: false, transaction: told["transaction"] });
});

test("without the payer's signature nothing is recovered", async () => {
  const loseSince = rememberAllButNonces();
  const body = paymentOf(0);
  expect(await settle(body)).toMatchObject({ success: true });
  loseSince();
  const payload = Object(body["paymentPayload"]);
  const forged = { ...payload.payload, signature: `0x${"22".repeat(65)}` };
  const asked = { ...body, paymentPayload: { ...payload, payload: forged } };
  expect(await settle(asked)).toMatchObject({ success: false });
  expect(await settle(body)).toMatchObject({ success: true });
});

test.each([
  ["its payment is known", false],
  ["its payment is lost as well", true],
])("a lost refund buys nothing: %s", async (_name, isPaymentLost) => {
  const paid = paymentOf(1);
  const beforePayment = rememberAllButNonces();
  expect(await settle(paid)).toMatchObject({ success: true });
  const beforeRefund = rememberAllButNonces();
  const refund = refundOf(devnet, paid);
  const { transaction } = await settle(refund);
  expect(transaction).toMatch(/^0x/);
  if (isPaymentLost) beforePayment();
  else beforeRefund();
  const refused = { success: false, errorReason: "already_settled", transaction };
  expect(await settle(refund)).toMatchObject(refused);
  expect(await settle(refund)).toMatchObject(refused);
});

const pageOf = async (id: unknown) => (await served.get(`/settlements/${String(id)}`)).body;

/** The fields of the last line of an event. */
const logged = (event: string): unknown =>
  lines.map((line) => JSON.parse(line)).findLast((line) => line.event === event);

test("a loss that breaks no connection is found although nobody pays any more", async () => {
  const loseSince = remember();
  const { id, transaction } = await settle(paymentOf(4));
  loseSince();
  await expect.poll(() => pageOf(id), soon).toMatchObject({ state: "confirmed", transaction });
});

describe("a database that is restored", () => {
  test("what the wallets sent since is found at the start, under its ids, and told once", async () => {
    expect(await settle(paymentOf(0))).toMatchObject({ success: true });
    const loseSince = remember();
    // Several at once, which share transactions.
    const bodies = [0, 1, 2, 3, 4, 5].map(paymentOf);
    const told = await Promise.all(bodies.map(settle));
    await served.stop();
    loseSince();
    served = await serveOn(devnet, options());
    for (const { id, transaction } of told) {
      expect(await pageOf(id)).toMatchObject({
        state: "confirmed",
        transaction,
        settledBy: "relayer",
        credits: 0,
      });
    }
    expect(logged("store_behind_chain")).toMatchObject({
      relayers: [served.relayer.toLowerCase()],
    });
    expect(logged("settlements_recovered")).toMatchObject({ settlements: bodies.length });
    // Another authorization with the nonce of a lost one has not been paid.
    const { nonce } = payerAndNonceOf(bodies[0] ?? {});
    const other = bodyOn(devnet, { authorization: { nonce, value: 20_000n } });
    expect(await settle(other)).toMatchObject({ errorReason: "nonce_already_used" });
    for (const [index, body] of bodies.entries()) {
      const { id, transaction } = told[index] ?? {};
      expect(await settle(body)).toMatchObject({ success: true, id, transaction });
      expect(await settle(body)).toMatchObject({ success: false, transaction });
      expect(await usesOf(devnet, body)).toEqual([transaction]);
    }
    // It goes on, and a later start has nothing to find.
    expect(await settle(paymentOf(0))).toMatchObject({ success: true });
    lines.length = 0;
    await serveAnew(options());
    expect(logged("store_behind_chain")).toBe(undefined);
  });

  test("while it is read nothing is claimed, nothing is unknown, and readiness says so", async () => {
    const loseSince = remember();
    const lost = paymentOf(1);
    const { id, transaction } = await settle(lost);
    await served.stop();
    loseSince();
    const proxy = await startRpcProxy(devnet.rpcUrl);
    ends.push(proxy.stop);
    let isReleased = false;
    const failing = { error: { code: -32_000, message: "header not found" } };
    // The search for what wallets have sent, and no other read of logs.
    proxy.react = ({ method, params }) =>
      method === "eth_getLogs" && typeof Object(params[0]).topics[0] === "string" && !isReleased
        ? failing
        : undefined;
    let listensAt = "";
    const onListening = (url: string) => (listensAt = url);
    const starting = serveOn(devnet, { ...options(), rpcUrl: proxy.url, onListening });
    const ask = async (path: string, body?: JsonObject) => {
      const init = body && {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body),
      };
      const response = await fetch(`${listensAt}${path}`, init);
      return { status: response.status, body: await response.json() };
    };
    const soon = { timeout: 60_000, interval: 50 };
    const behind = [
      expect.objectContaining({ name: "database", ok: true }),
      expect.objectContaining({ ok: false, text: expect.stringMatching(/has lost payments/) }),
    ];
    await expect.poll(async () => (await ask("/ready")).body.checks, soon).toEqual(behind);
    const fresh = paymentOf(2);
    const message = expect.stringMatching(/reading payments .* that its database has lost/);
    const error = "service_unavailable";
    const refused = { status: 503, body: { error, message, retryable: true } };
    expect(await ask("/verify", fresh)).toMatchObject(refused);
    expect(await ask("/settle", fresh)).toMatchObject(refused);
    expect(await ask("/settle", lost)).toMatchObject(refused);
    expect(await ask(`/settlements/${String(id)}`)).toMatchObject(refused);
    isReleased = true;
    served = await starting;
    expect(await ask("/ready")).toMatchObject({ status: 200 });
    expect(await pageOf(id)).toMatchObject({ state: "confirmed", transaction });
    expect(await usesOf(devnet, fresh)).toEqual([]);
    expect(await settle(fresh)).toMatchObject({ success: true });
  });

  test("a lost refund is no payment to its recipient, also when no one repeats it", async () => {
    const paid = paymentOf(1);
    expect(await settle(paid)).toMatchObject({ success: true });
    const loseSince = remember();
    const refund = refundOf(devnet, paid);
    const { id, transaction } = await settle(refund);
    await served.stop();
    loseSince();
    served = await serveOn(devnet, options());
    expect(await pageOf(id)).toMatchObject({ state: "confirmed", transaction });
    expect((await pageOf(id))["refundOf"]).toMatch(/^stl_/);
    expect(await settle(refund)).toMatchObject({ success: false });
  });
});

const copyOf = (name: string) => `create table kept_${name} as select * from ${name}`;
const backOf = (name: string) => `insert into ${name} select * from kept_${name}`;

/** As the end of a primary does. */
const cutConnections = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

const soon = { timeout: 60_000, interval: 100 };

async function ask(url: string, statement: string): Promise<void> {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(statement);
  await client.end();
}

async function serveAnew(shared: ServeOptions): Promise<void> {
  await served.stop();
  served = await serveOn(devnet, shared);
}

/** Holds comparisons of the wallets with the chain, which ask at a block; counts those that were asked. */
function holdComparisons(proxy: RpcProxy) {
  const held = { isReleased: false, asked: 0 };
  proxy.react = ({ method, params }) => {
    if (held.isReleased || method !== "eth_getTransactionCount") return undefined;
    if (String(params[1]).startsWith("0x")) held.asked++;
    return { error: { code: -32_000, message: "header not found" } };
  };
  return held;
}

/** The service on a database of its own in PostgreSQL, and a connection beside it. */
async function serveOnPostgres(rpcUrl = devnet.rpcUrl) {
  const postgres = await startPostgres();
  onTestFinished(postgres.stop);
  const shared = { ...options(), databaseUrl: postgres.databaseUrl, rpcUrl };
  await serveAnew(shared);
  const client = new Client({ connectionString: postgres.databaseUrl });
  await client.connect();
  onTestFinished(() => client.end());
  return { client, shared };
}

describe("a standby that takes over", () => {
  test("what it lacks is found as soon as the processes are connected to it", async () => {
    const { client, shared } = await serveOnPostgres();
    const peer = await serveOn(devnet, { ...shared, wallets: [1] });
    onTestFinished(peer.stop);
    expect(await settle(paymentOf(0))).toMatchObject({ success: true });
    await client.query(tables.map(copyOf).join("; "));
    const { id, transaction } = await settle(paymentOf(1));
    await client.query(
      `begin; truncate ${tables.join(", ")} cascade; ${tables.toReversed().map(backOf).join("; ")};
       ${cutConnections}; commit`,
    );
    await expect
      .poll(() => pageOf(id), soon)
      .toMatchObject({ state: "confirmed", transaction, settledBy: "relayer" });
    expect((await peer.get(`/settlements/${String(id)}`)).body).toMatchObject({ transaction });
    expect(await settle(paymentOf(2))).toMatchObject({ success: true });
  });

  test("from the new connection until the wallets are compared nothing is claimed", async () => {
    const proxy = await startRpcProxy(devnet.rpcUrl);
    ends.push(proxy.stop);
    const { client } = await serveOnPostgres(proxy.url);
    expect(await settle(paymentOf(0))).toMatchObject({ success: true });
    const held = holdComparisons(proxy);
    await client.query(cutConnections);
    await expect.poll(() => held.asked, soon).toBeGreaterThan(0);
    const fresh = paymentOf(1);
    const refused = { status: 503, body: { error: "service_unavailable", retryable: true } };
    expect(await served.post("/settle", fresh)).toMatchObject(refused);
    expect(await served.post("/verify", fresh)).toMatchObject(refused);
    expect((await served.get("/ready")).status).toBe(503);
    const { rows } = await client.query("select count(*) from settlements");
    expect(rows).toEqual([{ count: "1" }]);
    held.isReleased = true;
    expect(await settle(fresh)).toMatchObject({ success: true });
    expect((await served.get("/ready")).status).toBe(200);
  });

  test("an id that it lacks is not unknown, also while the connection to the old primary is silent", async (context) => {
    const postgres = await startPostgres();
    onTestFinished(postgres.stop);
    // An external server has no standby of ours.
    context.skip(!postgres.isOwn);
    const wire = await startSilentWire(postgres.databaseUrl);
    onTestFinished(wire.stop);
    const proxy = await startRpcProxy(devnet.rpcUrl);
    ends.push(proxy.stop);
    await serveAnew({ ...options(), databaseUrl: wire.databaseUrl, rpcUrl: proxy.url });
    expect(await settle(paymentOf(0))).toMatchObject({ success: true });
    const standby = await postgres.startStandby();
    // From here on, what is settled is not on the standby.
    await ask(standby, "select pg_promote()");
    const { id, transaction } = await settle(paymentOf(1));
    expect(transaction).toMatch(/^0x/);
    const held = holdComparisons(proxy);
    wire.moveTo(standby);

    const look = async () => {
      const { status, body } = await served.get(`/settlements/${String(id)}`);
      return { status, message: body["message"] };
    };
    const told: number[] = [];
    await expect
      .poll(async () => {
        const one = await look();
        told.push(one.status);
        return one;
      }, soon)
      .toEqual({ status: 503, message: expect.stringMatching(/that its database has lost/) });
    expect(told).not.toContain(404);

    held.isReleased = true;
    await expect.poll(() => pageOf(id), soon).toMatchObject({ state: "confirmed", transaction });
    // What was never there is unknown again, once all wallets are compared.
    const never = `/settlements/stl_${"0".repeat(32)}`;
    await expect.poll(async () => (await served.get(never)).status, soon).toBe(404);
  });

  test("what it has open is followed to its outcome again, also where that was recorded before", async () => {
    const { client } = await serveOnPostgres();
    const { id, transaction } = await settle(paymentOf(3));
    expect(await pageOf(id)).toMatchObject({ state: "confirmed", transaction });
    await client.query(
      `begin;
       update settlements set state = 'submitted', block_number = null, block_hash = null,
         log_index = null, settled_by = null, confirmed_at = null, finalized_at = null;
       update relayer_transactions set state = 'sent', block_number = null;
       ${cutConnections}; commit`,
    );
    await expect
      .poll(() => pageOf(id), soon)
      .toMatchObject({ state: "confirmed", transaction, settledBy: "relayer" });
  });
});
