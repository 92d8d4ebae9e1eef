/**
 * Audits the hashes that callers are told while their payment is pending: they look them up, so one
 * that every node has refused must not be among them.
 */
import type { CallerResponse } from "./caller-response.ts";
import type { Submission } from "./audit-sends.ts";

/** In flight a refusal may not have come back yet; after so many blocks it has. */
const knownAfterBlocks = 2;

/** Returns the pending responses that name a transaction which every node had refused. */
export function auditToldHashes(
  responses: readonly CallerResponse[],
  submissions: readonly Submission[],
): { readonly payment: number; readonly text: string }[] {
  const byHash = Map.groupBy(submissions, ({ hash }) => hash as string);
  return responses.flatMap(({ payment, body, atBlock = 0 }) => {
    const hash = String(body["transaction"]);
    const sends = byHash.get(hash) ?? [];
    const isRefused =
      sends.length > 0 &&
      sends.every(({ refusal }) => refusal !== undefined && refusal !== alreadyKnown) &&
      sends.every((send) => send.atBlock + knownAfterBlocks <= atBlock);
    if (body["status"] !== "pending" || !isRefused) return [];
    return [{ payment, text: `told ${hash} at block ${atBlock}, which every node had refused` }];
  });
}

/** The words of a node that has the transaction. */
const alreadyKnown = "already known";
