/** The promises about prices and payees that are computed for each request: the same for all. */
import { decodeHeader, headerNames, isObject, member } from "@farthing/protocol";
import { describe, expect, test } from "vitest";
import { payer, payFor } from "./buyer.testing.ts";
import { createMemoryGrants } from "./payment-records/memory/memory.ts";
import { payTo, reasonOf, useScene, type Listen } from "./scene.testing.ts";

async function offerOf(url: string): Promise<unknown> {
  const response = await fetch(url);
  const header = decodeHeader(response.headers.get(headerNames.paymentRequired) ?? "")?.value;
  const accepts = isObject(header) ? member(header, "accepts") : undefined;
  return Array.isArray(accepts) ? accepts[0] : undefined;
}

const byCity = (request: Request) =>
  new URL(request.url).searchParams.get("city") === "Paris" ? "0.02" : 10_000n;

const payee = (request: Request) => Promise.resolve(request.headers.get("x-payee") ?? payTo);

/** Runs these promises against one adapter. */
export function termsSuite(listen: Listen): void {
  const at = useScene(listen);

  describe("terms computed for each request", () => {
    test("are quoted, matched and settled", async () => {
      const url = await at.start(undefined, {}, { price: byCity, payTo: payee });
      const other = url.replace("Paris", "Rome");
      expect(await offerOf(url)).toMatchObject({ amount: "20000", payTo });
      expect(await offerOf(other)).toMatchObject({ amount: "10000" });
      const cheap = await payFor(other);
      expect(await reasonOf(await fetch(url, { headers: cheap }))).toBe("amount_mismatch");
      const toPayer = { "x-payee": payer };
      const theirs = await payFor(url, { headers: toPayer });
      expect(await reasonOf(await fetch(url, { headers: theirs }))).toBe("pay_to_mismatch");
      expect(at.facilitator.calls).toEqual([]);
      const response = await fetch(url, { headers: { ...theirs, ...toPayer } });
      expect(response.status).toBe(200);
      expect(at.facilitator.calls[1]?.body).toMatchObject({
        paymentRequirements: { amount: "20000", payTo: payer },
      });
      expect(at.served[0]?.amount).toBe("20000");
    });

    test("that have changed since do not cost a paid buyer his answer", async () => {
      let price = "0.01";
      const url = await at.start(undefined, {}, { price: () => price });
      const headers = await payFor(url);
      const unused = await payFor(url);
      expect((await fetch(url, { headers })).status).toBe(200);
      price = "0.03";
      const again = await fetch(url, { headers });
      expect([again.status, again.headers.get("X-Payment-Replayed")]).toEqual([200, "true"]);
      expect(await reasonOf(await fetch(url, { headers: unused }))).toBe("amount_mismatch");
      expect([at.served.length, at.facilitator.transfers()]).toEqual([1, 1]);
    });

    test("on another network neither", async () => {
      const own = { grants: createMemoryGrants(), publicUrl: "https://shop.example" };
      const before = await at.start(undefined, own);
      const headers = await payFor(before);
      expect((await fetch(before, { headers })).status).toBe(200);
      await at.stop();
      const after = await at.start(undefined, { ...own, network: "eip155:51" });
      const again = await fetch(after, { headers });
      expect([again.status, again.headers.get("X-Payment-Replayed")]).toEqual([200, "true"]);
      expect(at.facilitator.transfers()).toBe(1);
    });

    test.each(["price", "payTo"])("a %s that fails with any value opens nothing", async (name) => {
      // Express takes the first two for success, and the next two for "skip this middleware".
      const thrown = [undefined, null, "route", "router", "", 0, false, Symbol("no"), {}];
      const fail = ({ headers }: Request) => Promise.reject(thrown[Number(headers.get("x-at"))]);
      const url = await at.start(undefined, {}, { [name]: fail });
      for (const index of thrown.keys()) {
        const response = await fetch(url, { headers: { "x-at": `${index}` } });
        expect([index, response.status]).toEqual([index, 500]);
      }
      expect(at.served).toEqual([]);
      expect(at.events.map(({ type }) => type)).toEqual(thrown.map(() => "broken"));
    });

    test("that are none are the seller's mistake, and cost nothing", async () => {
      const url = await at.start(undefined, {}, { price: () => "free" });
      expect((await fetch(url)).status).toBe(500);
      expect(at.events.map(({ type }) => type)).toEqual(["broken"]);
      expect(at.facilitator.calls).toEqual([]);
    });
  });
}
