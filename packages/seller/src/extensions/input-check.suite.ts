/** Input before money: a wrong request gets its response before the 402, and takes no payment. */
import { parseJson } from "@farthing/protocol";
import { beforeEach, describe, expect, test } from "vitest";
import { payFor } from "../buyer.testing.ts";
import type { RouteOptions } from "../index.ts";
import { useScene, type Listen } from "../scene.testing.ts";

const post = { method: "POST", body: '{"city":"Oslo"}' };
const withoutQuery = (url: string) => url.replace("?city=Paris", "");
const report = ({ body }: { readonly body: string }) => ({ body: `report on ${body}` });

export function inputCheckSuite(listen: Listen): void {
  describe("input before money", () => {
    const scene = useScene(listen);
    let isOpen = true;
    beforeEach(() => {
      isOpen = true;
    });

    /** Requests must name a city, in their query or their JSON body. */
    const check: RouteOptions["check"] = async (request) => {
      const inQuery = new URL(request.url).searchParams.has("city");
      const inBody = parseJson(await request.text())?.value !== undefined;
      if (isOpen && (inQuery || inBody)) return undefined;
      return new Response("name a city", {
        status: 422,
        headers: { "PAYMENT-RESPONSE": "forged" },
      });
    };
    test("a wrong request is refused before the 402, a right one is sold with its body", async () => {
      const url = withoutQuery(await scene.start(report, {}, { check }));
      const wrong = await fetch(url);
      expect([wrong.status, await wrong.text()]).toEqual([422, "name a city"]);
      expect(wrong.headers.get("PAYMENT-REQUIRED")).toBeNull();
      expect(wrong.headers.get("PAYMENT-RESPONSE")).toBeNull();
      const headers = await payFor(url, post);
      const sold = await fetch(url, { ...post, headers });
      expect([sold.status, await sold.text()]).toEqual([200, 'report on {"city":"Oslo"}']);
    });

    test("it is checked again before a payment is taken; what was paid is served all the same", async () => {
      const url = await scene.start(undefined, {}, { check });
      const headers = await payFor(url);
      isOpen = false;
      const refused = await fetch(url, { headers });
      expect([refused.status, refused.headers.get("X-Payment-Charged")]).toEqual([422, "no"]);
      expect([scene.facilitator.calls, scene.served]).toEqual([[], []]);
      isOpen = true;
      expect((await fetch(url, { headers })).status).toBe(200);
      isOpen = false;
      const repeated = await fetch(url, { headers });
      expect([repeated.status, scene.served.length]).toEqual([200, 1]);
    });

    test("a wrong request takes no use of a pass", async () => {
      const pass = { uses: 2, validFor: "1h" };
      const url = withoutQuery(await scene.start(report, {}, { check, pass }));
      const first = await fetch(url, { ...post, headers: await payFor(url, post) });
      const token = first.headers.get("PAYMENT-PASS") ?? "";
      const headers = { "PAYMENT-PASS": token };
      isOpen = false;
      expect((await fetch(url, { ...post, headers })).status).toBe(422);
      isOpen = true;
      const second = await fetch(url, { ...post, headers });
      expect([second.status, await second.text()]).toEqual([200, 'report on {"city":"Oslo"}']);
      expect((await fetch(url, { ...post, headers })).status).toBe(402);
    });

    test("a check that responds with content gives none away", async () => {
      const url = await scene.start(undefined, {}, { check: () => new Response("free") });
      const response = await fetch(url).catch(() => undefined);
      expect(response?.ok ?? false).toBe(false);
      expect(scene.events).toContainEqual(expect.objectContaining({ type: "broken" }));
    });
  });
}
