/** Which hash is told of a payment that is on its way, and when an id is unknown. */
import type { Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { queuedSettlement } from "../model/settlement.testing.ts";
import { createFindTold } from "./told-settlement.ts";

test.each([
  ["the wallet's process knows that nodes refused it", true, true, null],
  ["the wallet's process knows that a node has it", false, false, "shown"],
  ["another process's, which a node has taken", undefined, true, "shown"],
  ["another process's, which no node has taken", undefined, false, null],
] as const)("a hash is told: %s", async (_name, isUnknown, isSent, told) => {
  const transaction: Hex = `0x${"5e".repeat(32)}`;
  const findTold = createFindTold({
    store: {
      findSettlement: async () => queuedSettlement({ state: "submitted", transaction }),
      isTransactionSent: async () => isSent,
    },
    networkOf: () => ({ relayer: { isUnknownToNodes: () => isUnknown } }),
    refuseWhileBehind: async () => undefined,
  });
  expect((await findTold("stl_1"))?.transaction).toBe(told === null ? null : transaction);
});

test("an id is not unknown while the database may lack payments", async () => {
  const findTold = createFindTold({
    store: { findSettlement: async () => undefined, isTransactionSent: async () => false },
    networkOf: () => undefined,
    refuseWhileBehind: () => Promise.reject(new Error("behind")),
  });
  await expect(findTold("stl_1")).rejects.toThrow("behind");
});
