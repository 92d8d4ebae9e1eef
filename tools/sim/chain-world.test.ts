/** The simulated chain. */
import { startDevnet } from "@farthing/devnet";
import { channelContract } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createWorld } from "./chain-world.ts";
import { createObservedFaults } from "./observed-faults.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createTrace } from "./trace.ts";

test("a reorganisation at the beginning leaves the contracts where they are", async () => {
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 1, relayers: 1 });
  await using stack = new AsyncDisposableStack();
  stack.defer(() => devnet.stop());
  const clock = { nowMs: () => Date.now(), sleep: () => Promise.resolve() };
  const observedFaults = createObservedFaults();
  const world = await createWorld({ devnet, clock, trace: createTrace(clock), observedFaults });
  await world.mine();
  const replaced = await world.reorganise({
    depth: 3,
    keep: "all",
    random: createSeededRandom(1, "blocks"),
  });
  expect(replaced).toHaveLength(1);
  expect(await devnet.rpc("eth_getCode", [channelContract, "latest"])).not.toBe("0x");
});
