/** /ready, where this machine's clock and the chain disagree. */
import type { Devnet } from "@farthing/devnet";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  createSteeredClock,
  serveOn,
  startChain,
  type Served,
} from "../support/facilitator.testing.ts";

let devnet: Devnet;
let served: Served;
const clock = createSteeredClock();
beforeAll(async () => {
  devnet = await startChain();
  served = await serveOn(devnet, { clock });
});
afterAll(async () => {
  await served?.stop();
  await devnet?.stop();
});

const hourMs = 3_600_000;

test.each([
  ["an hour behind", -hourMs, 503, /clock is 3\d{3} s behind the newest block; set it by NTP/],
  ["an hour ahead", hourMs, 503, /the newest block is 3\d{3} s old/],
  ["a few seconds behind", -10_000, 200, /"status":"ready"/],
  ["right", 0, 200, /"status":"ready"/],
])("a clock that is %s", async (_, aheadMs, status, says) => {
  clock.aheadMs = aheadMs;
  await devnet.mine();
  const answer = await served.get("/ready");
  expect(answer.status).toBe(status);
  expect(JSON.stringify(answer.body)).toMatch(says);
});
