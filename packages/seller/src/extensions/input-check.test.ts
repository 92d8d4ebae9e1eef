/** Input before money: a wrong request gets its answer before the 402, and takes no payment. */
import { parseJson } from "@farthing/protocol";
import { expect, test } from "vitest";
import { listenFetch } from "../adapters/listen.testing.ts";
import { payFor } from "../buyer.testing.ts";
import { createSeller, type RouteOptions } from "../index.ts";
import { useScene } from "../scene.testing.ts";

const scene = useScene((options, route, app) => {
  const paid = createSeller(options).route(route);
  return listenFetch(async (request) => {
    const { response } = await paid.charge(request, async (payment) => {
      const { body = "" } = await app({ body: await request.text(), payment });
      return new Response(body);
    });
    return response;
  });
});

/** Requests must name a city, in their query or their JSON body. */
let isOpen = true;
const check: RouteOptions["check"] = async (request) => {
  const inQuery = new URL(request.url).searchParams.has("city");
  const inBody = parseJson(await request.text())?.value !== undefined;
  if (isOpen && (inQuery || inBody)) return undefined;
  const headers = { "PAYMENT-RESPONSE": "forged" };
  return new Response("name a city", { status: 422, headers });
};

test("a wrong request is refused before the 402, a right one is sold with its body", async () => {
  const report = ({ body }: { readonly body: string }) => ({ body: `report on ${body}` });
  const url = await scene.start(report, {}, { check });
  const wrong = await fetch(url.replace("?city=Paris", ""));
  expect([wrong.status, await wrong.text()]).toEqual([422, "name a city"]);
  expect(wrong.headers.get("PAYMENT-REQUIRED")).toBeNull();
  expect(wrong.headers.get("PAYMENT-RESPONSE")).toBeNull();
  const post = { method: "POST", body: '{"city":"Oslo"}' };
  const headers = await payFor(url.replace("?city=Paris", ""), post);
  const sold = await fetch(url.replace("?city=Paris", ""), { ...post, headers });
  expect([sold.status, await sold.text()]).toEqual([200, 'report on {"city":"Oslo"}']);
});

test("it is checked again before the payment is taken; what was paid is served all the same", async () => {
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
  isOpen = true;
  expect([repeated.status, scene.served.length]).toEqual([200, 1]);
});

test("a check that responds with content gives none away", async () => {
  const url = await scene.start(undefined, {}, { check: () => new Response("free") });
  const response = await fetch(url).catch(() => undefined);
  expect(response?.ok ?? false).toBe(false);
  expect(scene.events).toContainEqual(expect.objectContaining({ type: "broken" }));
});
