/** A facilitator inside another process: asked without a socket, and otherwise the same. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  bodyOn,
  serveOn,
  startChain,
  usesOf,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
beforeAll(async () => {
  devnet = await startChain();
  // The limits of a facilitator that strangers call: the only caller here is its own seller.
  const env = {
    FARTHING_RATE_LIMIT: "1",
    FARTHING_PAYER_CAP: "0.001",
    FARTHING_MIN_AMOUNT: "1",
    FARTHING_PAYER_COUNT: "1",
    FARTHING_KEYLESS_GAS_PER_DAY: "0.000001",
  };
  served = await serveOn(devnet, { listen: false, env });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

async function ask(path: string, body?: unknown): Promise<unknown> {
  const post = { method: "POST", headers: { "Content-Type": "application/json" } };
  const init = body === undefined ? {} : { ...post, body: JSON.stringify(body) };
  return (await served.fetch(`${served.url}${path}`, init)).json();
}

test("verifies and settles, without the limits for third parties", async () => {
  for (let time = 0; time < 3; time++) {
    const body = bodyOn(devnet);
    expect(await ask("/verify", body)).toMatchObject({ isValid: true });
    const settlement = await ask("/settle", body);
    expect(settlement).toMatchObject({ success: true });
    const [transaction, ...more] = await usesOf(devnet, body);
    expect(more).toEqual([]);
    expect(settlement).toMatchObject({ transaction });
  }
});

test("cannot be reached from outside", async () => {
  await expect(fetch(`${served.url}/supported`)).rejects.toThrow();
});

test("answers with status, headers and body, also what it refuses", async () => {
  const unknown = await served.fetch(`${served.url}/nothing?x=1`);
  expect([unknown.status, unknown.headers.get("content-type")]).toEqual([
    404,
    expect.stringContaining("application/json"),
  ]);
  const broken = await served.fetch(`${served.url}/settle`, { method: "POST", body: "{" });
  expect(broken.status).toBe(415);
});

test("is not waited for longer than the caller's patience lasts", async () => {
  const leaving = new AbortController();
  const body = JSON.stringify(bodyOn(devnet));
  const headers = { "Content-Type": "application/json" };
  const asked = served.fetch(`${served.url}/settle`, {
    method: "POST",
    headers,
    body,
    signal: leaving.signal,
  });
  leaving.abort();
  await expect(asked).rejects.toThrow(/abort/);
});
