/** Audits channels: no money of theirs is made, lost or claimed twice, and what was delivered is paid. */
import type { Hex } from "@farthing/protocol";
import type { ChannelLedger } from "./channel-ledger.ts";
import type { Violation } from "./evidence.ts";

/** What buyers and sellers know of a channel, in base units. */
export interface ChannelUse {
  readonly channelId: Hex;
  /** What calls were charged whose content the buyer has. */
  readonly delivered: bigint;
  /** The highest total that the buyer has signed. */
  readonly signed: bigint;
  /** What the seller may have delivered beyond what can be claimed. */
  readonly bound: bigint;
}

export function auditChannels(ledger: ChannelLedger, uses: readonly ChannelUse[]): Violation[] {
  const violations: Violation[] = [];
  const say = (rule: string, text: string) =>
    void violations.push({ rule, payment: undefined, text });
  let [unclaimed, claimedInAll] = [0n, 0n];
  for (const { channelId, state, deposited, claimed, refunded, withdrawn } of ledger.accounts) {
    const { balance, totalClaimed } = state;
    unclaimed += balance - totalClaimed;
    claimedInAll += totalClaimed;
    if (deposited !== balance + refunded + withdrawn) {
      const parts = `${balance} there, ${refunded} refunded, ${withdrawn} withdrawn`;
      say("deposits are where they belong", `${channelId}: ${deposited} deposited, ${parts}`);
    }
    if (claimed !== totalClaimed || totalClaimed > balance) {
      say("claimed once", `${channelId}: ${claimed} claimed of ${balance}, ${totalClaimed} told`);
    }
  }
  const sum = (name: "totalClaimed" | "totalSettled") =>
    ledger.receivers.reduce((units, receiver) => units + receiver[name], 0n);
  const [credited, settled] = [sum("totalClaimed"), sum("totalSettled")];
  if (credited !== claimedInAll) {
    say("claimed once", `receivers were credited ${credited}, of channels ${claimedInAll}`);
  }
  if (ledger.heldUnits !== unclaimed + credited - settled) {
    const owed = `${unclaimed} of payers and ${credited - settled} of receivers`;
    say("deposits are where they belong", `the contract has ${ledger.heldUnits}, owes ${owed}`);
  }
  const accounts = new Map(ledger.accounts.map((account) => [account.channelId, account]));
  for (const { channelId, delivered, signed, bound } of uses) {
    const claimed = accounts.get(channelId)?.claimed ?? 0n;
    if (claimed > signed) say("charged is signed", `${channelId}: ${claimed} of ${signed} signed`);
    if (delivered > claimed + bound) {
      const text = `${channelId}: ${delivered} delivered, ${claimed} claimed, bound ${bound}`;
      say("delivered is claimable", text);
    }
  }
  return violations;
}
