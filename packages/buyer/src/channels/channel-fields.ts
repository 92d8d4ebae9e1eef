/** A channel of the ledger as its owner sees it, without the vouchers, which anyone could claim by. */
import { defined, formatUsdc } from "@farthing/protocol";
import { heldUnits, type ChannelRecord } from "./channel-record.ts";

export function channelFields(record: ChannelRecord) {
  const { config, channelId, network, host, url, stopped, withdrawRequestedAt: askedAt } = record;
  const isEmpty = heldUnits(record) === 0n;
  return {
    channelId,
    state: stopped !== undefined ? "stopped" : isEmpty ? "empty" : "open",
    url,
    host,
    network,
    payer: config.payer,
    payTo: config.receiver,
    leftUsdc: formatUsdc(heldUnits(record)),
    chargedUsdc: formatUsdc(record.chargedUnits),
    signedUsdc: formatUsdc(record.signedUnits),
    claimedUsdc: formatUsdc(record.claimedUnits),
    withdrawDelaySeconds: config.withdrawDelay,
    ...defined({ withdrawRequestedAt: askedAt === 0 ? undefined : timeOf(askedAt * 1000) }),
    openedAt: timeOf(record.openedAt),
    usedAt: timeOf(record.usedAt),
    ...defined({ stopped }),
  };
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString();
}
