/** New channels of accounts, and what webhooks are told of channels. */
import { networkOfChain, type Hex } from "@farthing/protocol";
import type { Database } from "@farthing/engine/storage";
import { timeText } from "@farthing/engine/base";
import type { AccountEventName } from "../webhooks/model.ts";
import { putIntoOutbox } from "../webhooks/participant.ts";
import { addChannelChanges, type ChannelChange } from "./sums-store.ts";
import {
  claimWithinOf,
  type ChannelEventKind,
  type KeptVoucher,
  type NewVoucher,
  type RecordedEvent,
} from "./model.ts";
import { voucherTable } from "./tables.ts";

/** A channel of an account, as its deposit or its first voucher shows it. */
export type NewChannel = Pick<NewVoucher, "chainId" | "channelId" | "account" | "config"> &
  Pick<NewVoucher, "balance" | "claimed" | "withdrawRequestedAt" | "readAt">;

/** Adds channels that are not known yet, in the order of their ids, and tells their accounts. */
export async function openChannels(
  inside: Database,
  channels: readonly NewChannel[],
  now: number,
  transactions: ReadonlyMap<Hex, Hex> = new Map(),
): Promise<void> {
  const opened: ChannelChange[] = [];
  const ordered = channels.toSorted((one, other) => (one.channelId < other.channelId ? -1 : 1));
  for (const channel of ordered) {
    const kept: KeptVoucher = {
      ...channel,
      maxClaimableAmount: 0n,
      signature: "0x",
      charged: 0n,
      claimSignature: null,
      unclaimedSince: null,
      claimWithinMs: claimWithinOf(channel.config),
      claimingUntil: 0,
      openedAt: now,
      closedAt: null,
      reservedCredits: 0,
    };
    const { numInsertedOrUpdatedRows } = await inside.db
      .insertInto("channel_vouchers")
      .values(voucherTable.write(kept))
      .onConflict((conflict) => conflict.doNothing())
      .executeTakeFirstOrThrow();
    if (numInsertedOrUpdatedRows !== 1n) continue;
    opened.push({ ...kept, open: 1, charged: 0n });
    const transaction = transactions.get(channel.channelId) ?? null;
    const data = { ...channelData(kept), transaction, blockNumber: null, amount: null };
    await putIntoOutbox(inside, [{ account: kept.account, type: "channel.opened", data }], now);
  }
  await addChannelChanges(inside, opened, now);
}

const webhookOf: Readonly<Partial<Record<ChannelEventKind, AccountEventName>>> = {
  claimed: "channel.claimed",
  withdrawing: "channel.withdrawing",
  refunded: "channel.refunded",
  closed: "channel.closed",
};

/** Tells accounts of events that were recorded, with the channels as they are now. */
export async function tellEvents(
  inside: Database,
  events: readonly RecordedEvent[],
  channels: ReadonlyMap<Hex, KeptVoucher>,
  now: number,
): Promise<void> {
  const told = events.flatMap(({ kind, channelId, transactionHash, blockNumber, amount }) => {
    const type = webhookOf[kind];
    const channel = channels.get(channelId);
    if (!type || !channel) return [];
    const moved = amount === null ? null : `${amount}`;
    const data = { ...channelData(channel), transaction: transactionHash, blockNumber };
    return [{ account: channel.account, type, data: { ...data, amount: moved } }];
  });
  await putIntoOutbox(inside, told, now);
}

/** The `data` of a channel's events. */
function channelData(channel: KeptVoucher) {
  return {
    channelId: channel.channelId,
    network: networkOfChain(channel.chainId).id,
    asset: channel.config.token,
    payer: channel.config.payer,
    receiver: channel.config.receiver,
    balance: `${channel.balance}`,
    charged: `${channel.charged}`,
    claimed: `${channel.claimed}`,
    withdrawRequestedAt: timeText(channel.withdrawRequestedAt * 1_000 || null),
    openedAt: timeText(channel.openedAt),
    closedAt: timeText(channel.closedAt),
  };
}
