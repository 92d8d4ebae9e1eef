/** Vouchers are checked for each call, so a shop that sells by channels alone compiles that as well. */
import * as Engine from "ox/Engine";
import { expect, test, vi } from "vitest";
import { payTo } from "../scene.testing.ts";

test("a seller by channels recovers signers by WebAssembly from its first calls on", async () => {
  // The process may have run other tests, and a seller compiles once.
  vi.resetModules();
  Engine.reset();
  const { createSeller } = await import("../seller.ts");
  const facilitator = { url: "http://facilitator.invalid" };
  const channels = { authorizerKey: `0x${"33".repeat(32)}` };
  const seller = createSeller({ facilitator, payTo, price: "0.01", channels });
  expect(Engine.get().Secp256k1).toBeUndefined();
  seller.route({ channel: { only: true } });
  await expect.poll(() => Engine.get().Secp256k1).toBeDefined();
});
