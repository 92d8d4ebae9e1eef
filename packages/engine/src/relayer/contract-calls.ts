/**
 * Calls of contracts that carry no settlement: claims, sweeps and refunds of channels. They go through
 * the relayer's wallets, so their nonces, prices, replacements and recovery are those of settlements.
 * What they have changed is read from the chain, never concluded from the call: a caller that was
 * interrupted reads, and calls again where the chain does not show it.
 */
import type { Address, Hex } from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import type { Clock } from "../base/clock.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { estimateGas } from "../chain/reads/reads.ts";
import { withReserve } from "./fees.ts";
import type { GasPrices } from "./gas-prices.ts";
import type { MinedAttempt } from "./pending-nonce.ts";
import type { NonceManager } from "./wallet-nonces.ts";

export interface ContractCall {
  readonly to: Address;
  readonly data: Hex;
}

export type ContractCallResult =
  /** It is in a block; the chain says what it has changed. */
  | { readonly kind: "mined"; readonly transaction: Hex; readonly blockNumber: number }
  /** It would revert, with these data, and was not sent. */
  | { readonly kind: "reverts"; readonly revertData: Hex | undefined }
  /** It is not in a block yet, and may be in one later. */
  | { readonly kind: "pending"; readonly transaction: Hex | null };

/** Gas of one call at most: a seventh of a block, as a batch of settlements takes. */
const callGasMax = 12_000_000n;

export interface ContractCallsDeps {
  readonly chain: Chain;
  readonly clock: Clock;
  readonly managers: readonly NonceManager[];
  readonly gasPrices: Pick<GasPrices, "now" | "problem">;
  headNumber(): number;
}

/** Sends a call and waits until it is in a block, at most `timeoutMs`. Throws where no wallet can. */
export type SendContractCall = (
  call: ContractCall,
  timeoutMs: number,
) => Promise<ContractCallResult>;

export function createContractCalls(deps: ContractCallsDeps): SendContractCall {
  const { chain, clock, gasPrices } = deps;

  function freestWallet(): NonceManager {
    const problem = gasPrices.problem();
    if (problem !== undefined) {
      throw new Fault(
        "gas_price_too_high",
        "The chain's gas price is above what this service pays",
      );
    }
    const [best] = deps.managers.toSorted((one, other) => other.room() - one.room());
    if (best && best.room() > 0) return best;
    throw new Fault("no_wallet", "No relayer wallet can take work; try again shortly");
  }

  return async (call, timeoutMs) => {
    const manager = freestWallet();
    const from = manager.signer.address;
    const gasPrice = gasPrices.now();
    const estimate = await estimateGas(chain, { ...call, from, gasPrice }, deps.headNumber());
    if (estimate && "revertData" in estimate) {
      return { kind: "reverts", revertData: estimate.revertData };
    }
    if (!estimate) throw new Fault("rpc_unavailable", "The node does not estimate the call");
    const gasLimit = withReserve(estimate.gas);
    if (gasLimit > callGasMax) {
      throw new Fault("queue_full", `The call takes ${gasLimit} gas, more than ${callGasMax}`);
    }
    const plan = { settlementIds: [], ...call, gasLimit, gasPrice };
    const sent = await manager.submitCall(plan);
    if (!sent) return { kind: "pending", transaction: null };
    const waiting = new AbortController();
    const late = clock.sleep(timeoutMs, waiting.signal).then(() => "late" as const);
    const ended = await Promise.race([sent.closed, late]).finally(() => waiting.abort());
    sent.forget();
    return ended === "late" ? { kind: "pending", transaction: sent.hash() } : resultOf(ended);
  };
}

function resultOf(mined: MinedAttempt | undefined): ContractCallResult {
  const hash = mined?.transaction.hash ?? null;
  if (!mined || hash === null) return { kind: "pending", transaction: null };
  return { kind: "mined", transaction: hash, blockNumber: mined.blockNumber };
}
