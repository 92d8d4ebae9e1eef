/** What the seller's books keep of a sale: told to the facilitator with the settlement. */
import { beforeEach, describe, expect, test } from "vitest";
import { payFor } from "./buyer.testing.ts";
import { useScene, type Listen } from "./scene.testing.ts";

export function saleBooksSuite(listen: Listen): void {
  describe("books", () => {
    const scene = useScene(listen);
    let order: string | undefined;
    beforeEach(() => {
      order = "order-1001";
    });
    const options = { route: "GET /report", reference: () => order };
    const settleCalls = () => scene.facilitator.calls.filter((call) => call.operation === "settle");

    test("the call of /settle names the resource, the route and the reference", async () => {
      const url = await scene.start(undefined, { publicUrl: "https://shop.example" }, options);
      expect((await fetch(url, { headers: await payFor(url) })).status).toBe(200);
      const [settled, ...others] = settleCalls();
      expect(settled).toMatchObject({
        books: { route: "GET /report", reference: "order-1001" },
        body: { paymentPayload: { resource: { url: "https://shop.example/report?city=Paris" } } },
      });
      expect(others).toEqual([]);
    });

    test("a reference that cannot be kept takes no payment; what was paid is served all the same", async () => {
      const url = await scene.start(undefined, {}, options);
      const headers = await payFor(url);
      order = "x".repeat(65);
      expect((await fetch(url, { headers })).status).toBe(503);
      expect([scene.facilitator.calls, scene.served]).toEqual([[], []]);
      expect(scene.events).toMatchObject([{ type: "broken", error: { field: "reference" } }]);
      order = undefined;
      expect((await fetch(url, { headers })).status).toBe(200);
      expect(settleCalls()).toMatchObject([{ books: { route: "GET /report" } }]);
      order = "caf\u00e9";
      const repeated = await fetch(url, { headers });
      expect([repeated.status, scene.served.length]).toEqual([200, 1]);
    });
  });
}
