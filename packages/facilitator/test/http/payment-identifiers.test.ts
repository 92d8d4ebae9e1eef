/** The extension `payment-identifier` over HTTP: it refuses another payment, and opens nothing. */
import type { Devnet } from "@farthing/devnet";
import type { JsonObject } from "@farthing/protocol";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  bodyOn,
  createSteeredClock,
  newDatabaseUrl,
  secondsFromNow,
  serveOn,
  startChain,
  textAt,
  usesOf,
  walletAt,
  withMember,
  type Served,
  type PaymentInput,
} from "../support/facilitator.testing.ts";
import { startPostgres, type TestPostgres } from "@farthing/engine/source/storage/postgres.testing";

let devnet: Devnet;
let server: TestPostgres;
const stack = new AsyncDisposableStack();
const clock = createSteeredClock();
const databases = ["SQLite", "PostgreSQL"] as const;
/** Two processes on PostgreSQL, one on SQLite twice. */
const processes = new Map<string, readonly [Served, Served]>();

beforeAll(async () => {
  [devnet, server] = await Promise.all([startChain({ relayers: 3 }), startPostgres()]);
  stack.defer(() => server.stop());
  stack.defer(() => devnet.stop());
  const start = async (databaseUrl: string, wallet: number) => {
    const served = await serveOn(devnet, { databaseUrl, clock, wallets: [wallet] });
    stack.defer(() => served.stop());
    return served;
  };
  const one = await start(newDatabaseUrl(), 0);
  processes.set("SQLite", [one, one]);
  const url = await server.createDatabase();
  processes.set("PostgreSQL", [await start(url, 1), await start(url, 2)]);
});
afterAll(() => stack.disposeAsync());

let made = 0;
const newId = () => `pay_${String(++made).padStart(20, "0")}`;

function paying(id: unknown, input: PaymentInput = {}): JsonObject {
  const info = { required: false, id };
  return withMember(bodyOn(devnet, input), "paymentPayload.extensions", {
    "payment-identifier": { info, schema: {} },
  });
}

const post = async (served: Served, path: string, body: JsonObject) => {
  const { status, body: answer } = await served.post(path, body);
  return { status, answer };
};

const conflict = "payment_identifier_conflict";

describe.each(databases)("%s", (database) => {
  function at(): readonly [Served, Served] {
    const pair = processes.get(database);
    if (!pair) throw new Error("it was started");
    return pair;
  }
  test("the same id with another payment is refused, and the payment itself is repeated", async () => {
    const [first, second] = at();
    const id = newId();
    const [body, other] = [paying(id), paying(id)];
    const { answer: settled } = await post(first, "/settle", body);
    expect(settled).toMatchObject({ success: true });
    for (const served of [first, second]) {
      const verified = await post(served, "/verify", other);
      expect(verified).toMatchObject({
        status: 409,
        answer: { isValid: false, invalidReason: conflict, extra: { x402Reason: conflict } },
      });
      const { status, answer } = await post(served, "/settle", other);
      expect([status, answer["errorReason"], answer["transaction"]]).toEqual([409, conflict, ""]);
      expect(JSON.stringify(answer)).not.toContain(textAt(settled, "extra.settlementId"));
    }
    expect(await usesOf(devnet, other)).toEqual([]);
    const again = await post(second, "/settle", body);
    expect(again).toMatchObject({ status: 200, answer: { success: true, id: settled["id"] } });
  });

  test("of twelve payments with one id that are settled at once, one is charged", async () => {
    const id = newId();
    const bodies = Array.from({ length: 12 }, () => paying(id));
    const answers = await Promise.all(
      bodies.map((body, index) => post(at()[index % 2] ?? at()[0], "/settle", body)),
    );
    expect(answers.filter(({ answer }) => answer["success"] === true)).toHaveLength(1);
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(11);
    const uses = await Promise.all(bodies.map((body) => usesOf(devnet, body)));
    expect(uses.flat()).toHaveLength(1);
  });

  test("another payer, and another payee, may use the same id", async () => {
    const [first, second] = at();
    const id = newId();
    const payer = walletAt(devnet.buyers, 1);
    const to = walletAt(devnet.buyers, 2).address;
    // A stranger is the first to use it, for the same payee.
    for (const body of [paying(id, { payer }), paying(id), paying(id, { authorization: { to } })]) {
      expect((await post(first, "/verify", body)).answer).toMatchObject({ isValid: true });
      expect((await post(second, "/settle", body)).answer).toMatchObject({ success: true });
    }
  });

  test("a forged payment takes no id, nor does one that was only verified", async () => {
    const [first, second] = at();
    const id = newId();
    const forged = paying(id, { alter: () => `0x${"11".repeat(65)}` });
    expect((await post(first, "/settle", forged)).answer).toMatchObject({ success: false });
    expect((await post(first, "/verify", paying(id))).answer).toMatchObject({ isValid: true });
    expect((await post(second, "/settle", paying(id))).answer).toMatchObject({ success: true });
  });

  test("an id is free again when its payment's authorization has ended", async () => {
    const [first, second] = at();
    const id = newId();
    const authorization = { validBefore: secondsFromNow(120 + clock.aheadMs / 1000) };
    const ended = paying(id, { authorization });
    expect((await post(first, "/settle", ended)).answer).toMatchObject({ success: true });
    const next = paying(id);
    expect((await post(second, "/verify", next)).status).toBe(409);
    // Never back again: what waits for a time would wait as long.
    clock.aheadMs += 121_000;
    const verdict = await post(second, "/verify", next);
    expect(verdict).toMatchObject({ status: 200, answer: { isValid: true } });
    // What was refused is no exchange beside this one, so its success is told again.
    for (const served of [first, second]) {
      expect((await post(served, "/settle", next)).answer).toMatchObject({ success: true });
    }
  });

  test.each(["short", "with a space inside it", 7])("the id %j is refused", async (id) => {
    for (const path of ["/verify", "/settle"]) {
      const { status, answer } = await post(at()[0], path, paying(id));
      expect([status, answer["invalidReason"] ?? answer["errorReason"]]).toEqual([
        200,
        "invalid_payload",
      ]);
    }
  });

  test("an extension without an id is echoed by stock buyers, and ignored", async () => {
    expect((await post(at()[0], "/settle", paying(undefined))).answer).toMatchObject({
      success: true,
    });
  });
});
