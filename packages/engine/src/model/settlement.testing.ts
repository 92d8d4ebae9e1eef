/** A settlement for tests of what is decided about one. */
import { networkOfChain } from "@farthing/protocol";
import type { Settlement } from "./settlement.ts";

const network = networkOfChain(51);

/** A payment of a plain account that is queued, and valid without an end. */
export function queuedSettlement(changes: Partial<Settlement> = {}): Settlement {
  return {
    id: "stl_1",
    chainId: network.chainId,
    asset: network.usdc,
    payer: "0x1111111111111111111111111111111111111111",
    nonce: `0x${"ab".repeat(32)}`,
    payTo: "0x2222222222222222222222222222222222222222",
    amount: 10_000n,
    validAfter: 0n,
    validBefore: (1n << 256n) - 1n,
    signature: `0x${"11".repeat(64)}1b`,
    payerHasCode: false,
    seenUnusedAt: 5,
    networkName: network.id,
    owner: null,
    priority: "open",
    requestId: null,
    keyId: null,
    credits: 0,
    signatureHash: null,
    recoveredAt: null,
    refundOf: null,
    state: "queued",
    transaction: null,
    blockNumber: null,
    blockHash: null,
    logIndex: null,
    settledBy: null,
    failure: null,
    failureMessage: null,
    createdAt: 1,
    submittedAt: null,
    confirmedAt: null,
    finalizedAt: null,
    failedAt: null,
    ...changes,
  };
}
