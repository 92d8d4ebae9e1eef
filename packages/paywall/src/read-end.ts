/** What the chain says of a payment, written into the ledger: the way to a second signature. */
import {
  readOutcome,
  signedTermsOf,
  type ChainOutcome,
  type LedgerRecord,
} from "@farthing/buyer/steps";
import type { Provider } from "@farthing/buyer/wallet";
import { findNetwork, type Network } from "@farthing/protocol";
import type { KeptPayment } from "./kept-payment.ts";
import { walletNode, walletNodeUrl } from "./wallet-node.ts";

/** The network of a payment; the page writes only those that it knows. */
export function networkOfRecord({ network }: LedgerRecord): Network {
  const known = findNetwork(network);
  if (!known) throw new Error(`The network ${network} is not supported here.`);
  return known;
}

/** Asks the chain; what it decides is final, and noted. */
export async function readEnd(
  record: LedgerRecord,
  kept: KeptPayment,
  provider: Provider,
): Promise<ChainOutcome> {
  const { requestId } = record;
  const terms = signedTermsOf(record);
  if (!terms) throw new Error("There is no signature to check.");
  const outcome = await readOutcome(walletNode(provider), walletNodeUrl, terms);
  if (outcome.state === "unknown") return outcome;
  // It may have left before the tab could note it.
  if (kept.current()?.state === "signed") await kept.move(requestId, { state: "sent" });
  await kept.move(
    requestId,
    outcome.state === "unused"
      ? { state: "released" }
      : { state: "settled", transaction: outcome.transaction, evidence: "chain" },
  );
  return outcome;
}
