/** A stream is charged exactly what it has used, also when the buyer or a failure ends it. */
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listenFetch, type Listening } from "../adapters/listen.testing.ts";
import { payBound } from "../buyer.testing.ts";
import {
  createMemoryGrants,
  createSeller,
  type Balances,
  type PaidRequest,
  type PaymentRecords,
  type RouteOptions,
  type SellerEvent,
} from "../index.ts";
import { availableOf } from "../payment-records/balances/balances.ts";
import { maxReserveMs, maxStreamHoldMs } from "../payment-records/retention.ts";
import { payTo, reasonOf } from "../scene.testing.ts";
import {
  startScriptedFacilitator,
  type ScriptedFacilitator,
} from "../scripted-facilitator.testing.ts";
import { createVirtualTime } from "../virtual-time.testing.ts";

let facilitator: ScriptedFacilitator;
let time: ReturnType<typeof createVirtualTime>;
let records: PaymentRecords;
let events: SellerEvent[];
const shops: Listening[] = [];
beforeEach(async () => {
  facilitator = await startScriptedFacilitator();
  time = createVirtualTime();
  records = createMemoryGrants({ now: time.clock.now });
  events = [];
});
afterEach(async () => {
  for (const shop of shops.splice(0)) await shop.close();
  await facilitator.close();
});

function balancesOf(): Balances {
  if (!records.balances) throw new Error("The store keeps no balances.");
  return records.balances;
}

/** What a handler writes into its stream, step by step. */
type Source = (
  payment: PaidRequest,
  send: (text: string) => Promise<void>,
  signal: AbortSignal,
) => Promise<void>;

function streamOf(source: Source, payment: PaidRequest, headers: object): Response {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const gone = new AbortController();
  writer.closed.catch(() => gone.abort());
  const send = (text: string) => writer.write(new TextEncoder().encode(text));
  source(payment, send, gone.signal)
    .then(() => writer.close())
    .catch((error: unknown) => writer.abort(error))
    .catch(() => undefined);
  return new Response(readable, { headers: { "Content-Type": "text/event-stream", ...headers } });
}

async function openShop(
  source: Source,
  route: RouteOptions = {},
  grants = records,
  responseHeaders = {},
) {
  const balance = { topUp: "5.00", reserve: "0.05", scope: "model" };
  const options = { facilitator: { url: facilitator.url }, payTo, balance, ...route };
  const seller = createSeller(
    { ...options, grants, onEvent: (event) => void events.push(event) },
    time.clock,
  );
  const shop = await listenFetch((request) =>
    seller
      .charge(request, (payment) => streamOf(source, payment, responseHeaders))
      .then(({ response }) => response),
  );
  shops.push(shop);
  return shop;
}

/** Tops up with a request whose stream costs nothing, and returns the token. */
async function toppedUp(): Promise<{ "PAYMENT-PASS": string }> {
  const shop = await openShop(async () => undefined, { cost: () => 0n });
  const response = await fetch(shop.url, { headers: await payBound(shop.url) });
  await response.text();
  return { "PAYMENT-PASS": response.headers.get("PAYMENT-PASS") ?? "" };
}

/** Returns the entries of all charges but that of the top-up. */
async function chargesOf(headers: { "PAYMENT-PASS": string }) {
  const id = headers["PAYMENT-PASS"].split(".")[0] ?? "";
  const entries = await balancesOf().ledger(id);
  return entries
    .filter(({ kind }) => kind === "charge")
    .map(({ amount }) => -amount)
    .slice(1);
}

async function leftOf(headers: { "PAYMENT-PASS": string }) {
  const found = await balancesOf().find(headers["PAYMENT-PASS"]);
  return found && [found.amount, availableOf(found)];
}

/** Resolves once a charge is in the ledger. */
async function charged(headers: { "PAYMENT-PASS": string }): Promise<readonly bigint[]> {
  for (;;) {
    const charges = await chargesOf(headers);
    if (charges.length > 0) return charges;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Sends three parts, each of which costs 7 base units. */
const threeParts: Source = async ({ meter }, send) => {
  for (const part of ["one ", "two ", "three"]) {
    meter?.add(7n);
    await send(part);
  }
};

describe("a stream", () => {
  test("is charged what was counted until its end, before the end leaves", async () => {
    const headers = await toppedUp();
    const shop = await openShop(threeParts);
    const response = await fetch(shop.url, { headers });
    expect(response.headers.get("X-Balance-Remaining")).toBe("4950000");
    expect(response.headers.get("X-Request-Cost")).toBeNull();
    expect(await response.text()).toBe("one two three");
    expect(await chargesOf(headers)).toEqual([21n]);
    expect(await leftOf(headers)).toEqual([4_999_979n, 4_999_979n]);
  });

  test("is charged by the function, which learns how it has ended", async () => {
    const headers = await toppedUp();
    const ends: string[] = [];
    const shop = await openShop(threeParts, {
      cost: (_response, { metered, end }) => {
        ends.push(end);
        return metered * 2n;
      },
    });
    await (await fetch(shop.url, { headers })).text();
    expect([ends, await chargesOf(headers)]).toEqual([["complete"], [42n]]);
  });

  test("without a count is charged what its header says, which the buyer does not see", async () => {
    const headers = await toppedUp();
    const shop = await openShop((_payment, send) => send("one "), {}, records, {
      "X-Cost": "0.0123",
    });
    const response = await fetch(shop.url, { headers });
    expect([response.headers.get("X-Cost"), await response.text()]).toEqual([null, "one "]);
    expect(await chargesOf(headers)).toEqual([12_300n]);
  });

  test("that its buyer leaves is charged what was counted until then", async () => {
    const headers = await toppedUp();
    const shop = await openShop(async ({ meter }, send, signal) => {
      meter?.add(7n);
      await send("one ");
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
    });
    const leaving = new AbortController();
    const response = await fetch(shop.url, { headers, signal: leaving.signal });
    const reader = response.body?.getReader();
    await reader?.read();
    leaving.abort();
    expect(await charged(headers)).toEqual([7n]);
    expect(await leftOf(headers)).toEqual([4_999_993n, 4_999_993n]);
  });

  test("that its upstream breaks is charged what was counted until then", async () => {
    const headers = await toppedUp();
    const shop = await openShop(async ({ meter }, send) => {
      meter?.add(7n);
      await send("one ");
      throw new Error("The upstream has closed the connection.");
    });
    const response = await fetch(shop.url, { headers });
    await expect(response.text()).rejects.toThrow(TypeError);
    expect(await charged(headers)).toEqual([7n]);
  });

  test("that costs more than its reserve is cut there with an event, and charged the reserve", async () => {
    const headers = await toppedUp();
    const isCut = Promise.withResolvers<void>();
    const hasTwo = Promise.withResolvers<void>();
    const source: Source = async ({ meter }, send, signal) => {
      signal.addEventListener("abort", () => isCut.resolve());
      meter?.set("0.03");
      await send("data: one\r\n\r\ndata: t");
      meter?.set("0.05");
      await send("wo\n\ndata: thr");
      await hasTwo.promise;
      expect(meter?.add(1n)).toBe(false);
      await send("ee\n\n");
      await isCut.promise;
    };
    const cut = { topUp: "5.00", reserve: "0.05", scope: "model", overrun: "stop" } as const;
    const shop = await openShop(source, { balance: cut });
    const response = await fetch(shop.url, { headers });
    let text = "";
    for await (const part of response.body ?? []) {
      text += new TextDecoder().decode(part);
      if (text.includes("two\n\n")) hasTwo.resolve();
    }
    const [one, two, notice, ...more] = text.split(/(?<=\n\n|\r\n\r\n)/);
    expect([one, two, more]).toEqual(["data: one\r\n\r\n", "data: two\n\n", []]);
    const [type, data = ""] = notice?.split("\n") ?? [];
    expect(type).toBe("event: error");
    expect(JSON.parse(data.replace("data: ", ""))).toMatchObject({
      error: { code: "reserve_spent", message: expect.any(String) },
    });
    expect(await chargesOf(headers)).toEqual([50_000n]);
    expect(await leftOf(headers)).toEqual([4_950_000n, 4_950_000n]);
    await isCut.promise;
    const whole = await openShop(async ({ meter }, send) => {
      meter?.add("0.06");
      await send("data: three\n\n");
    });
    expect(await (await fetch(whole.url, { headers })).text()).toBe("data: three\n\n");
    expect(await chargesOf(headers)).toEqual([50_000n, 50_000n]);
  });

  test("of another type than events breaks off where its reserve is spent", async () => {
    const headers = await toppedUp();
    const cut = { topUp: "5.00", reserve: "0.05", scope: "model", overrun: "stop" } as const;
    const hasOne = Promise.withResolvers<void>();
    const source: Source = async ({ meter }, send) => {
      await send("one ");
      await hasOne.promise;
      meter?.add("0.06");
      await send("two ");
    };
    const shop = await openShop(source, { balance: cut, stream: true }, records, {
      "Content-Type": "text/plain",
    });
    const response = await fetch(shop.url, { headers });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one ");
    hasOne.resolve();
    await expect(reader?.read()).rejects.toThrow(TypeError);
    expect(await chargesOf(headers)).toEqual([50_000n]);
  });

  test("of which nothing can be read costs its reserve, and says so", async () => {
    const headers = await toppedUp();
    const shop = await openShop((_payment, send) => send("one "));
    await (await fetch(shop.url, { headers })).text();
    expect(await chargesOf(headers)).toEqual([50_000n]);
    expect(events.map(({ type }) => type)).toContain("cost_unreadable");
  });

  test("whose process dies is charged what had left, once its reserve is over", async () => {
    const headers = await toppedUp();
    let isDead = false;
    const balances = balancesOf();
    const grants: PaymentRecords = {
      ...records,
      balances: {
        ...balances,
        // A dead process charges nothing.
        charge: (...values) => (isDead ? new Promise(() => undefined) : balances.charge(...values)),
      },
    };
    const shop = await openShop(
      async ({ meter }, send) => {
        meter?.add(7n);
        await send("one ");
        meter?.add(7n);
        await send("two ");
        isDead = true;
        throw new Error("The process has died.");
      },
      {},
      grants,
    );
    const leaving = new AbortController();
    const response = await fetch(shop.url, { headers, signal: leaving.signal });
    const reader = response.body?.getReader();
    let text = "";
    while (text !== "one two ") text += new TextDecoder().decode((await reader?.read())?.value);
    leaving.abort();
    expect(await leftOf(headers)).toEqual([5_000_000n, 4_950_000n]);
    time.skip(maxReserveMs);
    const next = await openShop(async () => undefined, { cost: () => 0n });
    await (await fetch(next.url, { headers })).text();
    expect(await chargesOf(headers)).toEqual([14n, 0n]);
    expect(await leftOf(headers)).toEqual([4_999_986n, 4_999_986n]);
  });

  test("that outlasts its reserve breaks off before it sends what nobody would pay for", async () => {
    const headers = await toppedUp();
    const read = Promise.withResolvers<void>();
    const shop = await openShop(async ({ meter }, send) => {
      meter?.add(7n);
      await send("one ");
      await read.promise;
      meter?.add(7n);
      await send("two ");
    });
    const reader = (await fetch(shop.url, { headers })).body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toBe("one ");
    time.skip(maxReserveMs);
    read.resolve();
    await expect(reader?.read()).rejects.toThrow();
    expect(await charged(headers)).toEqual([7n]);
    expect(await leftOf(headers)).toEqual([4_999_993n, 4_999_993n]);
  });

  test("that outlasts its reserve costs no more than it", async () => {
    const headers = await toppedUp();
    const shop = await openShop(
      async (_payment, send) => {
        time.skip(maxReserveMs);
        await send("one ");
      },
      { cost: () => "1.00" },
    );
    expect(await (await fetch(shop.url, { headers })).text()).toBe("one ");
    expect(await chargesOf(headers)).toEqual([50_000n]);
  });
});

describe("a stream that pauses for longer than its reserve", () => {
  const balance = { topUp: "0.08", reserve: "0.05", scope: "model" };

  /** Begins a stream that pauses behind its first part, which costs `units` base units. */
  async function begin(units: bigint) {
    const tops = await openShop(async () => undefined, { balance, cost: () => 0n });
    const bought = await fetch(tops.url, { headers: await payBound(tops.url) });
    await bought.text();
    const headers = { "PAYMENT-PASS": bought.headers.get("PAYMENT-PASS") ?? "" };
    const goesOn = Promise.withResolvers<void>();
    const source: Source = async ({ meter }, send) => {
      if (units > 0n) meter?.add(units);
      await send("one ");
      await goesOn.promise;
      if (units > 0n) meter?.add(units);
      await send("two ");
    };
    const shop = await openShop(source, { balance });
    const reader = (await fetch(shop.url, { headers })).body?.getReader();
    const read = async () => new TextDecoder().decode((await reader?.read())?.value);
    expect(await read()).toBe("one ");
    const goOn = async () => {
      goesOn.resolve();
      expect([await read(), await read()]).toEqual(["two ", ""]);
    };
    return { headers, goOn, other: () => fetch(tops.url, { headers }) };
  }

  test("keeps it while it runs, so that no other request spends it", async () => {
    const { headers, goOn, other } = await begin(0n);
    await time.pass(3 * maxReserveMs);
    expect(await reasonOf(await other())).toBe("balance_exhausted");
    await goOn();
    expect(await chargesOf(headers)).toEqual([50_000n]);
    expect(await leftOf(headers)).toEqual([30_000n, 30_000n]);
    // Nothing waits for a stream that has ended.
    expect(time.sleeping()).toBe(0);
  });

  test("goes on, and is charged what it has counted", async () => {
    const { headers, goOn } = await begin(7n);
    await time.pass(3 * maxReserveMs);
    await goOn();
    expect(await chargesOf(headers)).toEqual([14n]);
    expect(await leftOf(headers)).toEqual([79_986n, 79_986n]);
  });

  test("keeps it within a bound", async () => {
    const { other } = await begin(0n);
    await time.pass(maxStreamHoldMs);
    expect(await reasonOf(await other())).toBe("balance_exhausted");
    await time.pass(2 * maxReserveMs);
    expect((await other()).status).toBe(200);
    expect(time.sleeping()).toBe(0);
  });
});
