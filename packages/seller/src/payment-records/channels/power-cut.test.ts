/** What a power cut may undo of a channel, in a store that loses what does not have to last. */
import { expect, test } from "vitest";
import { createMemoryChannelStore } from "../memory/channel-store.ts";
import type { ChannelStore, StoredChannel } from "./channel-store.ts";
import { createChannels } from "./channels.ts";
import { opened } from "./new-channels.testing.ts";

const channel = opened();
const { id, voucher } = channel;

test("a charge and a refund under way outlast a power cut; a lease need not", async () => {
  const store = createMemoryChannelStore(
    10,
    () => 1_000,
    () => undefined,
  );
  let lasting: StoredChannel | undefined;
  const losing: ChannelStore = {
    ...store,
    async compareAndSet(version, channel, change) {
      const isSet = await store.compareAndSet(version, channel, change);
      if (isSet && change.isLasting) lasting = channel;
      return isSet;
    },
  };
  const channels = createChannels(losing, Infinity);
  const hold = async () => {
    const holding = await channels.hold(id, channel);
    if (holding.kind !== "held") throw new Error(`The channel is ${holding.kind}.`);
    return holding.held;
  };
  await (await hold()).charge({ cost: 400n, voucher });
  expect(lasting).toMatchObject({ charged: 400n });
  const holder = await hold();
  expect(lasting).toMatchObject({ holder: "" });
  // It is about to be sent, and may be made whatever becomes of this process.
  const refund = { nonce: 0n, amount: 9_000n };
  await holder.refunding(refund);
  expect(lasting).toMatchObject({ charged: 400n, openRefund: refund });
  await holder.refunding(undefined);
  expect(lasting?.openRefund).toBeUndefined();
});
