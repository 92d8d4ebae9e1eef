/** What the parties of a run of channels know, held against the chain. */
import {
  auditChannels,
  type ChannelLedger,
  type ChannelUse,
  type Violation,
} from "@farthing/lab/audit";
import type { Hex } from "@farthing/protocol";
import { brokenRecordSteps } from "../../model/traces/check-record-steps.ts";
import type { ChannelParties } from "./channel-parties.ts";
import type { SimBuyer } from "./sim-buyer.ts";
import { boundUnits } from "./sim-shop.ts";

/**
 * Records that have lost charges are behind by what the vault was not handed yet, and serve as much
 * again before the vault tells them.
 */
const boundsPerLoss = 2;

export function auditRun(parties: ChannelParties, ledger: ChannelLedger): readonly Violation[] {
  const { plan, buyers, liar } = parties;
  const bound = boundUnits * BigInt(1 + boundsPerLoss * plan.recordLosses);
  const uses = buyers.map(({ channelId, counted }) => ({ channelId, bound, ...counted() }));
  // What a seller delivers and does not hand over is its own loss.
  const lied = liar
    ? [{ channelId: liar.buyer.channelId, ...liar.buyer.counted(), delivered: 0n }]
    : [];
  return [
    ...auditChannels(ledger, [...uses, ...lied.map((use) => ({ ...use, bound }))]),
    ...auditBuyers(buyers),
    ...auditWork(ledger, uses),
    ...auditKept(parties, ledger),
    ...auditRecords(parties, uses),
  ];
}

/** Each delivered call is kept in the records of the shop. */
function auditRecords(parties: ChannelParties, uses: readonly ChannelUse[]): Violation[] {
  const hasSold = uses.some(({ delivered }) => delivered > 0n);
  return brokenRecordSteps(parties.recordSteps(), hasSold).map((text) => {
    return { rule: "every step of a record is the table's", payment: undefined, text };
  });
}

function claimedOf({ accounts }: ChannelLedger, channelId: Hex): bigint {
  return accounts.find((one) => one.channelId === channelId)?.claimed ?? 0n;
}

function auditBuyers(buyers: readonly SimBuyer[]): Violation[] {
  return buyers.flatMap(({ lies }) =>
    lies.map((text) => ({ rule: "buyers are told the truth", payment: undefined, text })),
  );
}

/** What a call cost that the shop has worked on is all that may be claimed. */
function auditWork(
  ledger: ChannelLedger,
  uses: readonly (ChannelUse & { readonly worked: bigint })[],
): Violation[] {
  return uses.flatMap(({ channelId, worked }) => {
    const claimed = claimedOf(ledger, channelId);
    const text = `${channelId}: ${claimed} claimed, the shop worked for ${worked}`;
    const violation = { rule: "claimed is worked for", payment: undefined, text };
    return claimed > worked ? [violation] : [];
  });
}

/** The vault is trusted with what it has acknowledged, whatever its seller hands over later. */
function auditKept({ kept, liar, plan }: ChannelParties, ledger: ChannelLedger): Violation[] {
  const isVaultLost = plan.events.some((one) => one.what === "lose" && one.database === "vault");
  return [...kept].flatMap(([channelId, charged]) => {
    // A seller that lies does not hand over again what was lost.
    const isExcused = isVaultLost && channelId === liar?.buyer.channelId;
    const claimed = claimedOf(ledger, channelId);
    const text = `${channelId}: ${charged} acknowledged, ${claimed} claimed`;
    const violation = { rule: "acknowledged is claimed", payment: undefined, text };
    return claimed < charged && !isExcused ? [violation] : [];
  });
}
