/** An engine without the service's participants keeps off the service's database. */
import type { Devnet } from "@farthing/devnet";
import { createEngine, createSigners } from "@farthing/engine";
import { Secret } from "@farthing/engine/base";
import { networkOfChain } from "@farthing/protocol";
import { afterAll, beforeAll, expect, test } from "vitest";
import { serveOn, startChain, walletAt } from "../support/facilitator.testing.ts";

let devnet: Devnet;
beforeAll(async () => void (devnet = await startChain({ buyers: 1 })));
afterAll(() => devnet?.stop());

test("a bare engine refuses to start on the database of a service", async () => {
  const served = await serveOn(devnet);
  await served.stop();
  const key = walletAt(devnet.relayers, 0).privateKey;
  const engine = createEngine({
    networks: [{ network: networkOfChain(devnet.chainId), rpcUrls: [new Secret(devnet.rpcUrl)] }],
    signers: createSigners({ keys: [new Secret(key)] }),
    storage: { databaseUrl: served.databaseUrl },
  });
  await expect(engine.start()).rejects.toMatchObject({
    code: "configuration",
    message: expect.stringContaining("settles with"),
  });
  expect(engine.status().step).toBe("database");
  await engine.stop();
});
