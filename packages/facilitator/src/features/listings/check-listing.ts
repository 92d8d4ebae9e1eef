/**
 * Checks one leased listing: probes the endpoint, compares, counts sales, and records the result.
 */
import { networkOfChain } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import { afterCheck, type CheckRhythm, type Listing, type SalesStore } from "./model.ts";
import type { ListingStore, TakenListing } from "./store.ts";
import type { Probe } from "./probe.ts";

/** The lease is longer than a check with every redirect at its slowest. */
export const checkLeaseMs = 60_000;

/** Sales are counted over this many days and the current one. */
export const statsMs = 30 * 24 * 60 * 60_000;

export interface CheckDeps extends Runtime {
  readonly store: Pick<ListingStore, "recordListingCheck"> & Pick<SalesStore, "readListingStats">;
  readonly probe: Probe;
  readonly rhythm: CheckRhythm;
}

/**
 * Checks a listing and returns it afterwards; undefined when it was changed meanwhile or the check
 * was aborted. Another process then checks it after the lease.
 */
export async function checkListing(
  { store, clock, log, probe, rhythm }: CheckDeps,
  { listing, fence }: TakenListing,
  signal?: AbortSignal,
): Promise<Listing | undefined> {
  const { id, account, amount, chainId, check: before } = listing;
  const result = await probe({ ...listing, chainIds: [chainId], payTo: account }, signal);
  if (signal?.aborted) return undefined;
  const now = clock.nowMs();
  const check = afterCheck(before, result, now, rhythm);
  const stats = await store.readListingStats(account, { chainId, amount }, now - statsMs);
  const after = { check, seen: result.seen, stats };
  const recorded = await store.recordListingCheck(id, fence, after);
  const { outcome, reason } = result;
  const network = networkOfChain(chainId).id;
  const fields = { listingId: id, network, outcome, reason, state: check.state };
  if (recorded && check.state !== before.state) {
    log.info({ event: "listing_state_changed", ...fields }, "Listing state changed");
  } else {
    log.debug({ event: "listing_checked", ...fields }, "Listing checked");
  }
  return recorded;
}
