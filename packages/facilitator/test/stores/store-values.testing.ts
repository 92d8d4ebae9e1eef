/** Values that tests of the service's stores are made of. */
import type { Address } from "@farthing/protocol";
import type { Claim } from "@farthing/engine";
import * as engine from "@farthing/engine/testing/store-values";
import type { KeylessLimits } from "../../src/payments/keyless/store.ts";
import type { ServiceStore } from "../../src/features/open-store.ts";

export {
  chainId,
  confirm,
  fail,
  held,
  hex32,
  idOf,
  lane,
  minedIn,
  next,
  otherLane,
  planOf,
  refusalOf,
  take,
} from "@farthing/engine/testing/store-values";

export type StoreBench = engine.StoreBench<ServiceStore>;

/** What a test says of a claim, also in the words of the features that take part in it. */
export interface ClaimChanges extends Partial<Claim>, KeylessLimits {
  readonly account?: Address | null;
  readonly price?: number;
}

/** A claim of a payment that was not there before. */
export function claimOf(changes: ClaimChanges = {}): Claim {
  const { account = null, price = 0, payerCap, keyless, ...claim } = changes;
  return engine.claimOf({
    owner: account,
    credits: price,
    terms: { ...(payerCap !== undefined && { payerCap }), ...(keyless && { keyless }) },
    ...claim,
  });
}

/** Gives an account credits. */
export async function fund(store: ServiceStore, account: Address, credits: number): Promise<void> {
  await store.grantCredits({ account, kind: "grant", credits, actor: "test", note: null }, 1);
}
