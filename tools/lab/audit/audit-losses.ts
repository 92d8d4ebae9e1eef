/**
 * Audits what a service does about commits that its database has lost: everything that its wallets
 * sent is in the store in the end, and a success that was found again is told once.
 */
import type { CallerResponse } from "./caller-response.ts";
import { pairOf, type Ledger, type LedgerEntry } from "./chain-ledger.ts";
import type { Stored, StoredSettlement } from "./stored-rows.ts";

/** A moment at which the database lost its last commits. */
export interface Loss {
  /** The chain's head. */
  readonly atBlock: number;
  /** By the clock of the service, in milliseconds since 1970. */
  readonly atMs: number;
  /** How many responses, to all callers, had come. */
  readonly afterResponses: number;
}

/** Returns the transfers that a relayer wallet sent and the store does not have. */
export function listUnstored(
  { entries }: Pick<Ledger, "entries">,
  { settlements }: Pick<Stored, "settlements">,
  relayers: readonly string[],
): LedgerEntry[] {
  const known = new Set(settlements.map(pairOf));
  return entries.filter(
    (entry) =>
      entry.kind === "used" &&
      entry.transfer !== undefined &&
      relayers.includes(entry.sender) &&
      !known.has(pairOf(entry)),
  );
}

/** Returns how often the success of a settlement was told after its recovery. */
export function countToldAfterRecovery(
  row: StoredSettlement | undefined,
  responses: readonly CallerResponse[],
  losses: readonly Loss[],
): number {
  const { recoveredAt = null } = row ?? {};
  if (recoveredAt === null) return 0;
  // The clock of a process may be wrong; then the first loss is the only one that it can be.
  const before = losses.findLast(({ atMs }) => atMs <= recoveredAt) ?? losses[0];
  const from = before?.afterResponses ?? 0;
  return responses.filter(
    ({ asked, askedAfter, body }) =>
      asked === "settle" && askedAfter >= from && body["success"] === true,
  ).length;
}

/**
 * Whether a failure was told before a loss. It may be lost with it: what the database has open again is
 * sent, and is paid where the chain has changed its mind.
 */
export function isLostFailure(
  {
    responses,
    losses = [],
  }: {
    readonly responses: readonly CallerResponse[];
    readonly losses?: readonly Loss[] | undefined;
  },
  response: CallerResponse,
): boolean {
  const at = responses.indexOf(response);
  return (
    response.body["status"] === "failed" && losses.some(({ afterResponses }) => at < afterResponses)
  );
}
