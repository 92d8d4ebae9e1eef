/** How many calls wait for their turn. */
import type { Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createVirtualTime } from "../virtual-time.testing.ts";
import { createChannelTurns, maxWaitingCalls } from "./channel-turns.ts";

const idOf = (nth: number): Hex => `0x${nth.toString(16).padStart(64, "0")}`;

test("no more than 4,096 calls wait, whatever their channels", async () => {
  const turns = createChannelTurns(createVirtualTime().clock);
  const channels = 4_096 / maxWaitingCalls;
  for (let nth = 0; nth < channels; nth++) {
    expect(await turns.take(idOf(nth), 1_000)).toBeDefined();
    for (let waiting = 0; waiting < maxWaitingCalls; waiting++) void turns.take(idOf(nth), 1_000);
  }
  // Another channel that no call uses is free.
  expect(await turns.take(idOf(channels), 1_000)).toBeDefined();
  expect(await turns.take(idOf(channels), 1_000)).toBeUndefined();
});
