/** Channels of an account in the database, as its screens show them. */
import { openStore, systemClock } from "@farthing/facilitator";
import { channelIdOf, networkOfChain, type Address, type Hex } from "@farthing/protocol";

const network = networkOfChain(51);

/** All of the contract's state that is the same for each of them. */
const idle = { withdrawing: 0n, withdrawRequestedAt: 0, refundNonce: 0n };

/** Adds so many channels with all of what was charged claimed, the first of them closed; returns its id. */
export async function addChannels(
  databaseUrl: string,
  account: Address,
  count: number,
): Promise<Hex> {
  const store = await openStore(databaseUrl);
  const now = systemClock.nowMs();
  const vouchers = Array.from({ length: count }, (_, index) => {
    const config = {
      payer: account,
      payerAuthorizer: account,
      receiver: account,
      receiverAuthorizer: account,
      token: network.usdc,
      withdrawDelay: 86_400,
      salt: `0x${(index + 1).toString(16).padStart(64, "0")}`,
    } as const;
    const charged = 1_234_567n * BigInt(index + 1);
    return {
      chainId: network.chainId,
      channelId: channelIdOf(network, config),
      account,
      config,
      maxClaimableAmount: charged,
      signature: `0x${"11".repeat(65)}` as const,
      charged,
      claimSignature: null,
      sold: [],
      balance: charged * 2n,
      claimed: charged,
      withdrawRequestedAt: index === 1 ? Math.floor(now / 1_000) : 0,
      readAt: now,
    };
  });
  const [first] = vouchers;
  if (!first) throw new Error("no channel was asked for");
  await store.keepVouchers(vouchers, { credits: 0, freeCredits: 0 }, now);
  const { chainId, channelId, charged } = first;
  const event = { channelId, position: 0, transactionHash: `0x${"22".repeat(32)}` } as const;
  const events = [
    { ...event, kind: "claimed", blockNumber: 1, amount: charged },
    { ...event, kind: "refunded", blockNumber: 2, amount: charged },
  ] as const;
  const state = { ...idle, balance: charged, totalClaimed: charged };
  const look = { chainId, block: 2, events, reorganised: [], states: [{ channelId, state }] };
  await store.recordLook(look, now);
  await store.close();
  return channelId;
}
