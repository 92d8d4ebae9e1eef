/** Audits relayer wallets: their nonces, and the transactions that carry settlements. */
import { pairOf, type Ledger } from "./chain-ledger.ts";
import type { Evidence } from "./evidence.ts";
import type { Stored } from "./stored-rows.ts";

type Say = (rule: string, text: string) => void;

/** Stored just before a loss, a transaction reaches its node a moment later. */
const underWayBlocks = 1;

export function auditWallets(
  { ledger, stored, foreign, wasPaused, losses = [], submissions }: Evidence,
  say: Say,
): void {
  const lastLoss = losses.at(-1);
  const firstSeen = new Map<string, number>(
    submissions?.toReversed().map(({ hash, atBlock }) => [hash, atBlock]),
  );
  /** Its row was lost with the bytes, which nothing brings back. */
  const isLost = (hash: string) =>
    lastLoss !== undefined && (firstSeen.get(hash) ?? 0) <= lastLoss.atBlock + underWayBlocks;
  const isForeign = (hash: string) => foreign?.has(hash) === true;
  for (const [wallet, count] of ledger.counts) {
    const rows = stored.transactions.filter(({ lane }) => lane === wallet);
    const next = stored.nextNonces.get(wallet) ?? 0;
    const relayed = ledger.relayed.filter(({ from }) => from === wallet);
    const own = relayed.filter(({ hash }) => !isForeign(hash));
    // A third party's use of the wallet need not be known before the next transaction.
    const ownNext = own.reduce((max, { nonce }) => Math.max(max, nonce + 1), 0);
    if (next < ownNext || next > count)
      say("no gap", `${wallet}: next nonce ${next}, the chain has ${count}`);
    for (const { hash, nonce } of own) {
      const row = rows.find((one) => one.hash === hash);
      if (!row && isLost(hash)) continue;
      if (!row) say("stored before sent", `nonce ${nonce} of ${wallet}: ${hash} is not stored`);
      else if (row.state !== "mined") say("no gap", `nonce ${nonce}: ${hash} is ${row.state}`);
    }
    for (const { hash, nonce, state } of rows) {
      const isThere = ledger.relayed.some((one) => one.hash === hash);
      if (state === "mined" && !isThere) say("no gap", `nonce ${nonce}: ${hash} is in no block`);
    }
  }
  auditCarriers(stored, ledger, { isAloneExcused: wasPaused === true }, say);
}

/**
 * A settlement gets a new nonce only when the old one is certainly used by another transaction, or when
 * its batch was mined and has not moved its money: another payer's code has burned the gas. A pause of
 * the token makes a payment alone revert as well, and a refund that has reverted is signed again.
 */
function auditCarriers(
  { settlements, transactions }: Stored,
  ledger: Ledger,
  { isAloneExcused }: { readonly isAloneExcused: boolean },
  say: Say,
): void {
  const { entries, relayed } = ledger;
  const inBlocks = new Set(relayed.map(({ hash }) => hash));
  const moves = new Set(entries.map((entry) => `${entry.transaction} ${pairOf(entry)}`));
  for (const settlement of settlements) {
    const { id, refundOf } = settlement;
    const mayRevert = isAloneExcused || refundOf !== null;
    const hasFailedIn = ({ settlementIds, hash }: Stored["transactions"][number]) =>
      (mayRevert || settlementIds.length > 1) &&
      inBlocks.has(hash ?? "0x") &&
      !moves.has(`${hash} ${pairOf(settlement)}`);
    const carriers = transactions.filter(
      (transaction) =>
        transaction.settlementIds.includes(id) &&
        transaction.state === "mined" &&
        !hasFailedIn(transaction),
    );
    const places = new Set(carriers.map(({ lane, nonce }) => `nonce ${nonce} of ${lane}`));
    if (places.size > 1) say("carried once", `${id} is carried by ${[...places].join(", ")}`);
  }
}
