/**
 * The signatures of one wallet, whose signer may be a key service that is slow, unreachable or wrong. A
 * failure pauses the wallet; nothing was sent, so it never makes an outcome unknown.
 */
import type { Address, ChainId } from "@farthing/protocol";
import { backOffMs, type BackOffBounds } from "../base/back-off.ts";
import { steadyClockOf } from "../base/clock.ts";
import { Fault, messageOf } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import type { RelayerTransaction } from "../model/relayer-transaction.ts";
import type { SignedTransaction, Signer } from "./signer.ts";

/** From the interval of leases up to a minute: an idle key service should not be asked more often. */
const retryPause: BackOffBounds = { minMs: 1_000, maxMs: 60_000 };

export interface SignedRow extends SignedTransaction {
  readonly transaction: RelayerTransaction;
}

export type WalletSigning = ReturnType<typeof createWalletSigning>;

export function createWalletSigning(
  signer: Signer,
  { clock, log, chainId }: Runtime & { readonly chainId: ChainId },
) {
  const steady = steadyClockOf(clock);
  const facts: { readonly chainId: ChainId; readonly relayer: Address } = {
    chainId,
    relayer: signer.address,
  };
  let failures = 0;
  let againAtMs = 0;

  function fail(error: unknown): Fault {
    failures += 1;
    againAtMs = steady.nowMs() + backOffMs(failures, retryPause);
    const fields = { event: "wallet_signing_failed", ...facts, problem: messageOf(error) };
    log.error(fields, "Transaction not signed; relayer wallet paused until its signer works");
    if (error instanceof Fault && error.code === "signer_unavailable") return error;
    return new Fault("signer_unavailable", "The signer failed", { cause: error });
  }

  return {
    /** Whether the last signature failed: the wallet takes no work. */
    isDown: () => failures > 0,
    /** Whether the signer may be asked again. */
    isDue: () => steady.nowMs() >= againAtMs,
    /** The wallet has nothing left that waits for a signature. */
    resume() {
      if (failures === 0) return;
      failures = 0;
      log.info({ event: "wallet_signing_resumed", ...facts }, "Relayer wallet signs again");
    },
    /** Signs all or throws the fault `signer_unavailable`. */
    async sign(transactions: readonly RelayerTransaction[]): Promise<SignedRow[]> {
      try {
        return await Promise.all(
          transactions.map(async (transaction) => ({
            transaction,
            ...(await signer.sign(transaction)),
          })),
        );
      } catch (error) {
        throw fail(error);
      }
    },
  };
}

export function isSignerFault(error: unknown): boolean {
  return error instanceof Fault && error.code === "signer_unavailable";
}
