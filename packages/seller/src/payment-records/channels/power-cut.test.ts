/** What a power cut may undo of a channel, in a store that loses what does not have to last. */
import { apothem, type Hex } from "@farthing/protocol";
import { expect, test } from "vitest";
import { createMemoryChannelStore } from "../memory/channel-store.ts";
import type { ChannelStore, StoredChannel } from "./channel-store.ts";
import { createChannels, type NewChannel } from "./channels.ts";

const id: Hex = `0x${"0a".repeat(32)}`;
const buyer = `0x${"11".repeat(20)}` as const;
const voucher = {
  channelId: id,
  maxClaimableAmount: 1_000n,
  signature: `0x${"ab".repeat(65)}`,
} as const;
const opened: NewChannel = {
  id,
  network: apothem.id,
  config: {
    payer: buyer,
    payerAuthorizer: buyer,
    receiver: buyer,
    receiverAuthorizer: buyer,
    token: apothem.usdc,
    withdrawDelay: 86_400,
    salt: id,
  },
  voucher,
  state: {
    balance: 10_000n,
    totalClaimed: 0n,
    withdrawing: 0n,
    withdrawRequestedAt: 0,
    refundNonce: 0n,
  },
};

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
    const holding = await channels.hold(id, opened);
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
