/** The promises about balances: payments top up, requests cost what they cost, the same for every adapter. */
import {
  decodeHeader,
  headerNames,
  isObject,
  parseBalanceTerms,
  readReceipt,
} from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { pay, payBound, payer, rebuildFromChain } from "./buyer.testing.ts";
import { createMemoryGrants, type CostOf, type RouteOptions } from "./index.ts";
import { confirmedReply } from "./scripted-facilitator.testing.ts";
import {
  bodyOf,
  expectLater,
  reasonOf,
  shortMs,
  useScene,
  type App,
  type Listen,
} from "./scene.testing.ts";

const balance = { topUp: "5.00", reserve: "0.05" };
const route: RouteOptions = { balance };

const settled = (finalized: boolean) => confirmedReply({ id: "s", status: "confirmed", finalized });

/** Returns the header that shows the token of a response. */
function tokenOf({ headers }: Response): Record<string, string> {
  const token = headers.get("PAYMENT-PASS");
  if (token === null) throw new Error("The response has no token.");
  return { "PAYMENT-PASS": token };
}

/** Returns what a response says is left, and what it has cost. */
const moneyOf = ({ headers }: Response) => [
  headers.get("X-Balance-Remaining"),
  headers.get("X-Request-Cost"),
];

async function topUp(url: string, more: Record<string, string> = {}) {
  const headers = { ...(await payBound(url)), ...more };
  return { headers, response: await fetch(url, { headers }) };
}

/** An app whose upstream names its costs, one after the other. */
function costing(...costs: (string | undefined)[]): App {
  return () => {
    const cost = costs.shift();
    return { body: "content", ...(cost === undefined ? {} : { headers: { "X-Cost": cost } }) };
  };
}

const cheap: App = () => ({ headers: { "X-Cost": "0.01" } });

/** Costs a hundred base units for each character, and what was counted; nothing of three has a price. */
const byLength: CostOf = async (response, { metered, end }) => {
  const units = BigInt((await response.text()).length);
  if (units === 3n) throw new Error("no price for it");
  return end === "complete" ? metered + units * 100n : undefined;
};

/** An app that counts its cost, in parts. */
const counting: App = ({ payment }) => {
  payment.meter?.add("0.002");
  payment.meter?.add(5n);
  return { body: "content" };
};

/** An app that counts the costs one after the other, and fails for those below zero. */
const failing =
  (costs: bigint[]): App =>
  ({ payment }) => {
    const cost = costs.shift() ?? 0n;
    payment.meter?.add(cost < 0n ? -cost : cost);
    if (cost < 0n) throw new Error("out of memory");
    return { body: "content" };
  };

/** Runs these promises against one adapter. */
export function balanceSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("a balance", () => {
    test("is topped up by a payment and charged what each request has cost", async () => {
      const url = await at.start(costing("0.0123", "0.000001", "0"), {}, route);
      const challenge = await fetch(url);
      const required = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
      const body = await bodyOf(challenge);
      const entries = [required, body].flatMap((one) => (isObject(one) ? one["accepts"] : []));
      expect(entries).toHaveLength(3);
      for (const entry of entries) expect(parseBalanceTerms(entry)).toEqual({ reserve: 50_000n });
      const { response } = await topUp(url);
      expect([response.status, await response.text()]).toEqual([200, "content"]);
      expect(moneyOf(response)).toEqual(["4987700", "12300"]);
      expect(response.headers.get("X-Cost")).toBeNull();
      const headers = tokenOf(response);
      const balanceId = headers["PAYMENT-PASS"]?.split(".")[0];
      expect(readReceipt(response.headers)).toMatchObject({ success: true, extra: { balanceId } });
      for (const money of [
        ["4987699", "1"],
        ["4987699", "0"],
      ]) {
        const used = await fetch(url, { headers });
        expect([used.status, moneyOf(used), await used.text()]).toEqual([200, money, "content"]);
        expect(used.headers.get("X-Cost")).toBeNull();
        expect(used.headers.get("PAYMENT-PASS")).toBeNull();
        expect(used.headers.get("Vary")).toContain("PAYMENT-PASS");
        expect(used.headers.get("Access-Control-Expose-Headers")).toContain("X-Request-Cost");
        expect(readReceipt(used.headers)).toBeUndefined();
      }
      expect(at.facilitator.transfers()).toBe(1);
      const facts = { payer, amount: "5000000" };
      expect(at.served).toMatchObject([
        { ...facts, balance: { id: balanceId, reserve: "50000", remaining: "4950000" } },
        { ...facts, balance: { remaining: "4937700" } },
        facts,
      ]);
      expect(at.events).toMatchObject([
        { type: "delivered" },
        { type: "used", payment: { balance: { cost: "1", remaining: "4987699" } } },
        { type: "used", payment: { balance: { cost: "0" } } },
      ]);
    });

    test("costs nothing below zero and nothing above the reserve; what cannot be read costs the reserve", async () => {
      const costs = ["0.01", "-3", "17", "a lot", undefined, "1.2e-5", "0.0000001"];
      const url = await at.start(costing(...costs), {}, route);
      const headers = tokenOf((await topUp(url)).response);
      const charged: (string | null | undefined)[] = [];
      for (let nth = 1; nth < costs.length; nth++) {
        charged.push(moneyOf(await fetch(url, { headers }))[1]);
      }
      expect(charged).toEqual(["0", "50000", "50000", "50000", "12", "1"]);
      const unreadable = at.events.filter(({ type }) => type === "cost_unreadable");
      expect(unreadable).toMatchObject([
        { payment: { payer, balance: { reserve: "50000" } } },
        { payment: { payer } },
      ]);
    });

    test("asks a function for the cost, with the response and what the handler has counted", async () => {
      const bodies = ["a report", "abc", "four"];
      const app: App = ({ payment }) => {
        expect(payment.meter?.add("0.001")).toBe(true);
        return { body: bodies.shift() ?? "", headers: { "X-Cost": "0.04" } };
      };
      const url = await at.start(app, {}, { ...route, cost: byLength });
      const { response } = await topUp(url);
      expect([await response.text(), moneyOf(response)]).toEqual(["a report", ["4998200", "1800"]]);
      const headers = tokenOf(response);
      expect(moneyOf(await fetch(url, { headers }))).toEqual(["4948200", "50000"]);
      expect(moneyOf(await fetch(url, { headers }))).toEqual(["4946800", "1400"]);
      expect(at.events.map(({ type }) => type)).toEqual([
        "delivered",
        "cost_unreadable",
        "used",
        "used",
      ]);
    });

    test("costs what the handler has counted where there is no function", async () => {
      const url = await at.start(counting, {}, route);
      expect(moneyOf((await topUp(url)).response)).toEqual(["4997995", "2005"]);
    });

    test("serves no more requests at once than it can pay", async () => {
      const sold = { balance: { topUp: "0.40", reserve: "0.05" } };
      const url = await at.start(() => ({ headers: { "X-Cost": "0.05" } }), {}, sold);
      const { response } = await topUp(url);
      const headers = tokenOf(response);
      const statuses = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const one = await fetch(url, { headers });
          await one.text();
          return one.status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(7);
      expect(statuses.filter((status) => status === 402)).toHaveLength(33);
      expect(at.served).toHaveLength(8);
    });

    test("with too little left is a challenge, and the next payment adds to it", async () => {
      const sold = { balance: { topUp: "0.08", reserve: "0.05" } };
      const url = await at.start(() => ({ headers: { "X-Cost": "0.035" } }), {}, sold);
      const headers = tokenOf((await topUp(url)).response);
      const over = await fetch(url, { headers });
      expect([moneyOf(over), await reasonOf(over)]).toEqual([["45000", null], "balance_exhausted"]);
      const { response } = await topUp(url, headers);
      expect(moneyOf(response)).toEqual(["90000", "35000"]);
      // Each program keeps the token of its own payment.
      expect(tokenOf(response)).not.toEqual(headers);
      expect((await fetch(url, { headers })).status).toBe(200);
      expect((await fetch(url, { headers: tokenOf(response) })).status).toBe(200);
    });

    test("above the price that has to be final pays for its first request, and for others once it is final", async () => {
      const grants = createMemoryGrants();
      const sold = { balance: { topUp: "0.08", reserve: "0.05", finalAbove: "0.07" } };
      const url = await at.start(cheap, { grants }, sold);
      const { headers: paid, response } = await topUp(url);
      expect(moneyOf(response)).toEqual(["70000", "10000"]);
      const headers = tokenOf(response);
      // A repeat of the payment opens nothing more.
      expect(moneyOf(await fetch(url, { headers: paid }))).toEqual(["70000", "0"]);
      await at.stop();
      const hasty = await at.start(cheap, { grants, waitMs: shortMs }, sold);
      await expectLater(await fetch(hasty, { headers }), "settlement_pending");
      await at.stop();
      const patient = await at.start(cheap, { grants }, sold);
      at.facilitator.script.settlement.length = 0;
      at.facilitator.script.settlement.push(settled(false), settled(true));
      for (const left of ["60000", "50000"]) {
        expect(moneyOf(await fetch(patient, { headers }))).toEqual([left, "10000"]);
      }
      const json = { success: false, status: "failed", errorReason: "transaction_reverted" };
      at.facilitator.script.settlement.push({
        json: { ...json, transaction: "", network: "eip155:50" },
      });
      await topUp(patient, headers);
      for (const left of ["110000", "100000", "90000", "80000", "70000"]) {
        expect(moneyOf(await fetch(patient, { headers }))).toEqual([left, "10000"]);
      }
      // The payment has paid for its own request alone.
      const over = await fetch(patient, { headers });
      expect([moneyOf(over)[0], await reasonOf(over)]).toEqual(["0", "balance_exhausted"]);
    });

    test("is not topped up twice by one payment, and a stranger's repeat gets no token", async () => {
      const url = await at.start(costing("0.01"), {}, { ...route, redeliver: "anyone" });
      const { headers, response } = await topUp(url);
      const first = tokenOf(response);
      const stolen = await rebuildFromChain(headers, url);
      expect((await fetch(url, { headers: stolen })).headers.get("PAYMENT-PASS")).toBeNull();
      const again = await fetch(url, { headers });
      expect([await again.text(), moneyOf(again)]).toEqual(["content", ["4990000", "0"]]);
      expect(tokenOf(again)).not.toEqual(first);
    });

    test("pays for its path alone, or for all routes of its name", async () => {
      const url = await at.start(costing("0", "0", "0", "0"), {}, route);
      const headers = tokenOf((await topUp(url)).response);
      expect((await fetch(url.replace("Paris", "Rome"), { headers })).status).toBe(200);
      const other = await fetch(url.replace("/report", "/other"), { headers });
      expect([moneyOf(other), await reasonOf(other)]).toEqual([[null, null], "balance_elsewhere"]);
      for (const token of ["", "a.b", `${"0".repeat(32)}.${"0".repeat(64)}`]) {
        const unknown = await fetch(url, { headers: { "PAYMENT-PASS": token } });
        expect(await reasonOf(unknown)).toBe("balance_unknown");
      }
    });

    test("pays nothing where its network is not taken any more", async () => {
      const own = { grants: createMemoryGrants() };
      const headers = tokenOf((await topUp(await at.start(costing("0"), own, route))).response);
      await at.stop();
      const moved = await at.start(costing("0"), { ...own, network: "eip155:51" }, route);
      expect(await reasonOf(await fetch(moved, { headers }))).toBe("balance_elsewhere");
      expect(at.served).toHaveLength(1);
    });

    test("cannot be made by a seller's code, and is not sold without room", async () => {
      const forged = { "X-Balance-Remaining": "9", "X-Request-Cost": "9", "PAYMENT-PASS": "x" };
      const url = await at.start(() => ({ headers: forged }), { grants: createMemoryGrants() });
      const { response } = await topUp(url);
      for (const name of Object.keys(forged)) expect(response.headers.get(name)).toBeNull();
      await at.stop();
      const grants = createMemoryGrants({ entriesMax: 1 });
      const full = await at.start(undefined, { grants }, route);
      await grants.balances?.topUp("a", "other", {
        payer,
        amount: "1",
        network: "eip155:50",
        transaction: "0x1",
      });
      await expectLater((await topUp(full)).response, "busy");
      expect(at.facilitator.transfers()).toBe(1);
    });
  });

  describe.each(["v1", "flat-v2"] as const)("a payment of shape %s", (shape) => {
    test("tops up a balance as well", async () => {
      const url = await at.start(costing("0.01"), {}, route);
      const response = await fetch(url, { headers: await pay(await fetch(url), shape) });
      expect(moneyOf(response)).toEqual(["4990000", "10000"]);
    });
  });

  describe("work that fails", () => {
    test("costs nothing but what was counted", async () => {
      const ways: ReturnType<App>[] = [
        { headers: { "X-Cost": "0.01" }, body: "content" },
        { status: 500, headers: { "X-Cost": "0.01" } },
        { status: 404, body: "no such city" },
        { status: 404, headers: { "X-Cost": "0.003" } },
      ];
      const app: App = ({ payment }) => {
        const way = ways.shift();
        if (way) return way;
        payment.meter?.add("0.02");
        throw new Error("out of memory");
      };
      const url = await at.start(app, {}, route);
      const headers = tokenOf((await topUp(url)).response);
      const ends = [
        [500, ["4990000", "0"]],
        [404, ["4990000", "0"]],
        [404, ["4987000", "3000"]],
        [500, ["4967000", "20000"]],
      ] as const;
      for (const [status, money] of ends) {
        const response = await fetch(url, { headers });
        expect([response.status, moneyOf(response)]).toEqual([status, money]);
        await response.text();
      }
      expect(at.events.map(({ type }) => type)).toEqual([
        "delivered",
        "uncharged",
        "used",
        "used",
        "undelivered",
      ]);
    });

    test.each([
      ["the last", [-100n, 9_100n], 9_100n],
      ["an earlier one", [-9_000n, -100n, 200n], 9_000n],
      ["one above the reserve", [-60_000n, -1n, 400n], 50_000n],
    ])(
      "is charged once together with its repeats: %s is the dearest",
      async (_what, costs, cost) => {
        const url = await at.start(failing([0n, ...costs]), {}, route);
        const headers = tokenOf((await topUp(url)).response);
        const keyed = { ...headers, "Idempotency-Key": "order 7" };
        for (const _failed of costs.slice(1)) {
          const one = await fetch(url, { headers: keyed });
          const body = { error: "paid_undelivered", retryable: true };
          expect([one.status, await one.json()]).toMatchObject([500, body]);
        }
        const last = await fetch(url, { headers: keyed });
        expect([last.status, await last.text()]).toEqual([200, "content"]);
        expect(moneyOf(await fetch(url, { headers }))).toEqual([`${5_000_000n - cost}`, "0"]);
      },
    );

    test("and came with a payment is charged once together with its repeat", async () => {
      const url = await at.start(failing([-100n, 9_100n]), {}, route);
      const { headers, response } = await topUp(url);
      expect([response.status, moneyOf(response)]).toEqual([500, ["4950000", null]]);
      const again = await fetch(url, { headers });
      expect([again.status, moneyOf(again)]).toEqual([200, ["4990900", "9100"]]);
    });

    test("with a payment leaves the money in the balance, and the repeat costs what it costs", async () => {
      const ways: ReturnType<App>[] = [{ status: 503 }];
      const url = await at.start(
        () => ways.shift() ?? { headers: { "X-Cost": "0.01" } },
        {},
        route,
      );
      const { headers, response } = await topUp(url);
      expect([response.status, moneyOf(response)]).toEqual([503, ["5000000", "0"]]);
      const again = await fetch(url, { headers });
      expect([again.status, moneyOf(again)]).toEqual([200, ["4990000", "10000"]]);
    });
  });

  test("an Idempotency-Key is charged once, however often and however many at once", async () => {
    const url = await at.start(() => ({ body: "x", headers: { "X-Cost": "0.01" } }), {}, route);
    const headers = {
      ...tokenOf((await topUp(url)).response),
      "Idempotency-Key": "order-7",
    };
    const all = await Promise.all(Array.from({ length: 10 }, () => fetch(url, { headers })));
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set([200]));
    // Nor does a kept response tell what the upstream called its cost.
    expect(all.map((one) => one.headers.get("X-Cost"))).toEqual(all.map(() => null));
    const costs = all.map((one) => moneyOf(one)[1]);
    expect(costs.filter((cost) => cost === "10000")).toHaveLength(1);
    expect(costs.filter((cost) => cost === "0")).toHaveLength(9);
    expect(at.served).toHaveLength(2);
    const other = await fetch(url, { headers: { ...headers, "Idempotency-Key": "order-8" } });
    expect(moneyOf(other)).toEqual(["4970000", "10000"]);
  });
}
