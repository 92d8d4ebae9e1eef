/** Opens the channel of an account when a deposit that the account settled is confirmed. */
import { channelIdOf, networkOfChain, type Hex } from "@farthing/protocol";
import { depositOf } from "@farthing/engine";
import { unchanged, type SettlementParticipant } from "@farthing/engine/storage";
import { openChannels } from "./open-channels.ts";

export const channelsParticipant: SettlementParticipant = {
  name: "channels",
  async onTransitions(tx, transitions) {
    const transactions = new Map<Hex, Hex>();
    const opened = transitions.flatMap(({ kind, settlement }) => {
      const { owner: account, chainId, amount, transaction } = settlement;
      const deposit = kind === "confirmed" && depositOf(settlement.payTo, settlement.signature);
      if (!account || !deposit) return [];
      const { config } = deposit;
      const channelId = channelIdOf(networkOfChain(chainId), config);
      if (transaction) transactions.set(channelId, transaction);
      // Not read from the contract yet: the next look does, and so does the first voucher.
      const state = { balance: amount, claimed: 0n, withdrawRequestedAt: 0, readAt: 0 };
      return [{ account, chainId, channelId, config, ...state }];
    });
    await openChannels(tx, opened, tx.now, transactions);
    return unchanged;
  },
};
