/** Reads the chain through the wallet's own connection. */
import {
  readOutcome,
  signedTermsOf,
  type FetchFunction,
  type LedgerRecord,
} from "@farthing/buyer/steps";
import { ask, type Provider } from "@farthing/buyer/wallet";
import { findNetwork, type Network } from "@farthing/protocol";
import type { KeptPayment } from "./kept-payment.ts";

export function networkOfRecord({ network }: LedgerRecord): Network {
  const known = findNetwork(network);
  if (!known) throw new Error(`The network ${network} is not supported here.`);
  return known;
}

/** Asks the chain and records its final answer. */
export async function readEnd(record: LedgerRecord, kept: KeptPayment, provider: Provider) {
  const { requestId } = record;
  const terms = signedTermsOf(record);
  if (!terms) throw new Error("There is no signature to check.");
  const outcome = await readOutcome(walletNode(provider), walletNodeUrl, terms);
  if (outcome.state === "unknown") return outcome;
  // The payment may have left before the tab could record it.
  if (kept.current()?.state === "signed") await kept.transition(requestId, { state: "sent" });
  await kept.transition(
    requestId,
    outcome.state === "unused"
      ? { state: "released" }
      : { state: "settled", transaction: outcome.transaction, evidence: "chain" },
  );
  return outcome;
}

/** A placeholder for a node's address; nothing is sent there. */
export const walletNodeUrl = "wallet:";

/** The wallet's own node, in the shape of a node over HTTP. */
export function walletNode(provider: Provider): FetchFunction {
  return async (_url, init) => {
    const body = typeof init?.body === "string" ? init.body : "{}";
    const { method, params }: { method: string; params: unknown } = JSON.parse(body);
    const result = await ask(provider, method, params, init?.signal ?? undefined);
    return Response.json({ jsonrpc: "2.0", id: 1, result: result ?? null });
  };
}
