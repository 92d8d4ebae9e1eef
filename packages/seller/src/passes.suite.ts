/** The promises about passes: one payment opens as many requests as it says, the same for every adapter. */
import {
  decodeHeader,
  headerNames,
  isObject,
  parsePassTerms,
  readReceipt,
} from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { pay, payBound, payFor, payer, rebuildFromChain } from "./buyer.testing.ts";
import { createMemoryGrants, type RouteOptions } from "./index.ts";
import {
  bodyOf,
  expectLater,
  reasonOf,
  shortMs,
  useScene,
  type App,
  type Listen,
} from "./scene.testing.ts";
import { confirmedReply, pendingReply, transferHash } from "./scripted-facilitator.testing.ts";

const pass = { uses: 3, validFor: "30d" };
const route: RouteOptions = { price: "1.00", pass };

/** Returns the header that shows the pass of a response. */
function passOf({ headers }: Response): Record<string, string> {
  const token = headers.get("PAYMENT-PASS");
  if (token === null) throw new Error("The response has no pass.");
  return { "PAYMENT-PASS": token };
}

const leftOf = ({ headers }: Response) => headers.get("X-Pass-Remaining");

async function buy(url: string, init: RequestInit = {}) {
  const headers = await payBound(url, init);
  return { headers, response: await fetch(url, { ...init, headers }) };
}

const settled = (finalized: boolean) => confirmedReply({ id: "s", status: "confirmed", finalized });

const failing =
  (ways: ReturnType<App>[]): App =>
  () =>
    ways.shift() ?? { body: "content" };

/** Runs these promises against one adapter. */
export function passSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("a pass", () => {
    test("is bought by one payment and opens requests to its end", async () => {
      const url = await at.start(undefined, {}, route);
      const challenge = await fetch(url);
      const required = decodeHeader(challenge.headers.get(headerNames.paymentRequired))?.value;
      const body = await bodyOf(challenge);
      const entries = [required, body].flatMap((one) => (isObject(one) ? one["accepts"] : []));
      expect(entries).toHaveLength(3);
      for (const entry of entries) {
        expect(parsePassTerms(entry)).toEqual({ uses: 3, validForSeconds: 30 * 24 * 60 * 60 });
      }
      const { response } = await buy(url);
      expect([response.status, await response.text(), leftOf(response)]).toEqual([
        200,
        "report 1",
        "2",
      ]);
      const days =
        (Date.parse(response.headers.get("X-Pass-Expires") ?? "") - Date.now()) / 86_400_000;
      expect(Math.round(days)).toBe(30);
      const headers = passOf(response);
      const passId = headers["PAYMENT-PASS"]?.split(".")[0];
      expect(readReceipt(response.headers)).toMatchObject({ success: true, extra: { passId } });
      for (const left of ["1", "0"]) {
        const used = await fetch(url, { headers });
        expect([used.status, leftOf(used)]).toEqual([200, left]);
        expect(used.headers.get("Cache-Control")).toBe("private, no-store");
        expect(used.headers.get("Vary")).toContain("PAYMENT-PASS");
        expect(used.headers.get("PAYMENT-PASS")).toBeNull();
        expect(readReceipt(used.headers)).toBeUndefined();
        await used.text();
      }
      const over = await fetch(url, { headers });
      expect([leftOf(over), await reasonOf(over)]).toEqual(["0", "pass_exhausted"]);
      expect(at.facilitator.transfers()).toBe(1);
      expect(at.served).toMatchObject([
        { payer, amount: "1000000" },
        { payer, amount: "1000000", transaction: transferHash, pass: { id: passId, usesLeft: 1 } },
        { payer, pass: { id: passId, usesLeft: 0 } },
      ]);
      expect(at.events.map(({ type }) => type)).toEqual(["delivered", "used", "used"]);
      // The next payment buys the next one.
      const next = await fetch(url, { headers: { ...headers, ...(await payFor(url)) } });
      expect([next.status, leftOf(next)]).toEqual([200, "2"]);
    });

    test("of a hundred uses serves a hundred of many requests at once", async () => {
      const url = await at.start(undefined, {}, { ...route, pass: { uses: 101, validFor: "1h" } });
      const headers = passOf((await buy(url)).response);
      const statuses = await Promise.all(
        Array.from({ length: 150 }, async () => {
          const response = await fetch(url, { headers });
          await response.text();
          return response.status;
        }),
      );
      expect(statuses.filter((status) => status === 200)).toHaveLength(100);
      expect(statuses.filter((status) => status === 402)).toHaveLength(50);
      expect(at.served).toHaveLength(101);
    });

    test("opens its path alone, with any query; a named one all routes of the name", async () => {
      const url = await at.start(undefined, {}, route);
      const headers = passOf((await buy(url)).response);
      expect((await fetch(url.replace("Paris", "Rome"), { headers })).status).toBe(200);
      const elsewhere = await fetch(url.replace("/report", "/other"), { headers });
      expect([leftOf(elsewhere), await reasonOf(elsewhere)]).toEqual([null, "pass_elsewhere"]);
      await at.stop();
      const shared = await at.start(undefined, {}, { ...route, pass: { ...pass, scope: "all" } });
      const forAll = passOf((await buy(shared)).response);
      expect((await fetch(shared.replace("/report", "/other"), { headers: forAll })).status).toBe(
        200,
      );
    });

    test("opens nothing where its network is not taken any more", async () => {
      const own = { grants: createMemoryGrants() };
      const headers = passOf((await buy(await at.start(undefined, own, route))).response);
      await at.stop();
      const moved = await at.start(undefined, { ...own, network: "eip155:51" }, route);
      const refused = await fetch(moved, { headers });
      expect([leftOf(refused), await reasonOf(refused)]).toEqual([null, "pass_elsewhere"]);
      expect(at.served).toHaveLength(1);
    });

    test.each(["", "a", "a.b", `${"0".repeat(32)}.${"0".repeat(64)}`, "x".repeat(5_000)])(
      "that does not exist is a challenge: %#",
      async (token) => {
        const url = await at.start(undefined, {}, route);
        const response = await fetch(url, { headers: { "PAYMENT-PASS": token } });
        expect(await reasonOf(response)).toBe("pass_unknown");
        expect(at.served).toEqual([]);
      },
    );

    test("means nothing where none is sold, and a seller's code cannot make one", async () => {
      const forged = { "PAYMENT-PASS": "forged", "X-Pass-Remaining": "9", "X-Pass-Expires": "9" };
      const url = await at.start(() => ({ headers: forged }));
      expect(await reasonOf(await fetch(url, { headers: forged }))).toBe("Payment required");
      const paid = await fetch(url, { headers: await payFor(url) });
      for (const name of Object.keys(forged))
        expect([name, paid.headers.get(name)]).toEqual([name, null]);
    });

    test("a repeat that proves its buyer gets a new token, anybody else none", async () => {
      const grants = createMemoryGrants();
      const options = { grants, redeliver: "anyone" as const };
      const url = await at.start(undefined, options, route);
      const { headers, response } = await buy(url);
      const first = passOf(response);
      const stranger = await fetch(url, { headers: await rebuildFromChain(headers, url) });
      expect(await stranger.text()).toBe("report 1");
      expect([leftOf(stranger), stranger.headers.get("PAYMENT-PASS")]).toEqual([null, null]);
      const again = await fetch(url, { headers });
      expect([await again.text(), again.headers.get("X-Payment-Replayed")]).toEqual([
        "report 1",
        "true",
      ]);
      const second = passOf(again);
      expect(second).not.toEqual(first);
      expect(await reasonOf(await fetch(url, { headers: first }))).toBe("pass_unknown");
      const used = await fetch(url, { headers: second });
      expect([used.status, leftOf(used)]).toEqual([200, "1"]);
    });

    test("that is void opens nothing, also not for a repeat of its payment", async () => {
      const grants = createMemoryGrants();
      const url = await at.start(undefined, { grants }, route);
      const { headers, response } = await buy(url);
      const shown = passOf(response);
      await grants.passes?.voidPass(shown["PAYMENT-PASS"]?.split(".")[0] ?? "");
      expect(await reasonOf(await fetch(url, { headers: shown }))).toBe("pass_void");
      expect((await fetch(url, { headers })).headers.get("PAYMENT-PASS")).toBeNull();
    });

    test("that has expired is a challenge that says what one payment buys", async () => {
      let nowMs = Date.now();
      const grants = createMemoryGrants({ now: () => nowMs });
      const url = await at.start(undefined, { grants }, route);
      const headers = passOf((await buy(url)).response);
      nowMs += 30 * 86_400_000;
      const over = await fetch(url, { headers });
      const required = decodeHeader(over.headers.get(headerNames.paymentRequired))?.value;
      const [entry] =
        isObject(required) && Array.isArray(required["accepts"]) ? required["accepts"] : [];
      expect(parsePassTerms(entry)).toMatchObject({ uses: 3 });
      expect([leftOf(over), await reasonOf(over)]).toEqual(["2", "pass_expired"]);
      expect(at.served).toHaveLength(1);
    });

    test("is not sold where there is no room for it", async () => {
      const grants = createMemoryGrants({ entriesMax: 1 });
      const url = await at.start(undefined, { grants }, route);
      await buy(url);
      await expectLater((await buy(url)).response, "busy");
      expect(at.facilitator.transfers()).toBe(1);
    });

    test("that cannot be stored costs no buyer the content", async () => {
      const grants = createMemoryGrants();
      const { passes } = grants;
      if (!passes) throw new Error("The store keeps no passes.");
      let isBroken = true;
      const open: typeof passes.open = (...values) =>
        isBroken ? Promise.reject(new Error("disk full")) : passes.open(...values);
      const url = await at.start(
        undefined,
        { grants: { ...grants, passes: { ...passes, open } } },
        route,
      );
      const { headers, response } = await buy(url);
      expect([await response.text(), response.headers.get("PAYMENT-PASS")]).toEqual([
        "report 1",
        null,
      ]);
      isBroken = false;
      expect(leftOf(await fetch(url, { headers }))).toBe("2");
      expect(at.events.map(({ type }) => type)).toEqual(["broken", "delivered", "repeated"]);
    });
  });

  describe("a pass above the price that has to be final", () => {
    const final: RouteOptions = { price: "1.00", pass: { ...pass, finalAbove: "0.99" } };

    test("opens once the facilitator calls its payment final, and is not asked about again", async () => {
      const url = await at.start(undefined, {}, final);
      const headers = passOf((await buy(url)).response);
      at.facilitator.script.settlement.push(pendingReply("s"), settled(false), settled(true));
      expect(leftOf(await fetch(url, { headers }))).toBe("1");
      expect((await fetch(url, { headers })).status).toBe(200);
      const asked = at.facilitator.operations().filter((name) => name === "settlement");
      expect(asked).toHaveLength(3);
    });

    test("opens nothing before that, and nothing is taken", async () => {
      const grants = createMemoryGrants();
      const url = await at.start(undefined, { grants }, final);
      const headers = passOf((await buy(url)).response);
      await at.stop();
      // Every end of the wait is a 503, also one before the facilitator was asked.
      const hasty = await at.start(undefined, { grants, waitMs: shortMs }, final);
      await expectLater(await fetch(hasty, { headers }), "settlement_pending");
      await at.stop();
      const patient = await at.start(undefined, { grants }, final);
      at.facilitator.script.settlement.length = 0;
      at.facilitator.script.settlement.push(settled(true));
      expect(leftOf(await fetch(patient, { headers }))).toBe("1");
    });

    test("is void when its settlement fails after all", async () => {
      const url = await at.start(undefined, {}, final);
      const headers = passOf((await buy(url)).response);
      const json = { success: false, status: "failed", errorReason: "transaction_reverted" };
      at.facilitator.script.settlement.push({
        json: { ...json, transaction: "", network: "eip155:50" },
      });
      for (let nth = 0; nth < 2; nth++) {
        expect(await reasonOf(await fetch(url, { headers }))).toBe("pass_void");
      }
      expect(at.served).toHaveLength(1);
    });
  });

  describe.each(["v1", "flat-v2"] as const)("a payment of shape %s", (shape) => {
    test("buys a pass as well", async () => {
      const url = await at.start(undefined, {}, route);
      const response = await fetch(url, { headers: await pay(await fetch(url), shape) });
      expect(leftOf(response)).toBe("2");
      expect((await fetch(url, { headers: passOf(response) })).status).toBe(200);
    });
  });

  describe("a use of a pass that brings nothing", () => {
    test("settling before work is spent, unless an Idempotency-Key repeats it", async () => {
      const ways = [{ body: "content" }, { status: 503 }, { status: 500 }];
      const url = await at.start(failing(ways), {}, route);
      const headers = passOf((await buy(url)).response);
      const lost = await fetch(url, { headers });
      expect([lost.status, leftOf(lost)]).toEqual([503, "1"]);
      expect(await bodyOf(lost)).toMatchObject({ error: "paid_undelivered", retryable: false });
      const once = { headers: { ...headers, "Idempotency-Key": "one" } };
      const failed = await fetch(url, once);
      expect([failed.status, leftOf(failed)]).toEqual([500, "0"]);
      expect(await bodyOf(failed)).toMatchObject({ error: "paid_undelivered", retryable: true });
      const again = await fetch(url, once);
      expect([await again.text(), leftOf(again)]).toEqual(["content", "0"]);
      const types = at.events.map(({ type }) => type);
      expect(types).toEqual(["delivered", "undelivered", "undelivered", "used"]);
    });

    test("settling after success is given back", async () => {
      const ways = [{ body: "content" }, { status: 500 }, { status: 404, body: "no such city" }];
      const url = await at.start(failing(ways), {}, { ...route, settle: "after-success" });
      const headers = passOf((await buy(url)).response);
      for (const status of [500, 404]) {
        const response = await fetch(url, { headers });
        expect([response.status, leftOf(response)]).toEqual([status, "2"]);
        expect(response.headers.get(headerNames.paymentCharged)).toBe("no");
        await response.text();
      }
      const used = await fetch(url, { headers });
      expect([await used.text(), leftOf(used)]).toEqual(["content", "1"]);
    });
  });

  describe("an Idempotency-Key", () => {
    const key = { "Idempotency-Key": "order-7" };

    test("takes one use, however often and however many at once", async () => {
      const url = await at.start(undefined, {}, route);
      const headers = { ...passOf((await buy(url)).response), ...key };
      const answers = await Promise.all(
        Array.from({ length: 20 }, async () => (await fetch(url, { headers })).text()),
      );
      expect(new Set(answers)).toEqual(new Set(["report 2"]));
      expect(at.served).toHaveLength(2);
      const again = await fetch(url, { headers });
      expect([leftOf(again), again.headers.get("X-Payment-Replayed")]).toEqual(["1", "true"]);
      // The last use can be repeated as well, and takes no other.
      const last = { ...headers, "Idempotency-Key": "order-8" };
      await fetch(url, { headers: last });
      expect(await (await fetch(url, { headers: last })).text()).toBe("report 3");
      const over = { ...headers, "Idempotency-Key": "order-9" };
      expect(await reasonOf(await fetch(url, { headers: over }))).toBe("pass_exhausted");
    });

    test("belongs to one request and one pass", async () => {
      const url = await at.start(({ body }) => ({ body: `about ${body}` }), {}, route);
      const { response } = await buy(url);
      const headers = { ...passOf(response), ...key };
      const post = (body: string) => fetch(url, { method: "POST", headers, body });
      expect(await (await post("Paris")).text()).toBe("about Paris");
      const other = await post("Rome");
      expect([other.status, (await bodyOf(other))["error"]]).toEqual([
        409,
        "idempotency_key_reused",
      ]);
      const another = { ...passOf((await buy(url)).response), ...key };
      const second = await fetch(url, { method: "POST", headers: another, body: "Rome" });
      expect(await second.text()).toBe("about Rome");
      const long = await fetch(url, {
        headers: { ...headers, "Idempotency-Key": "k".repeat(256) },
      });
      expect(long.status).toBe(400);
    });
  });
}
