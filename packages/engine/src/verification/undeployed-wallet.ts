/**
 * Payments of contract wallets that are not deployed yet (ERC-6492). Where a batch contract is configured,
 * it calls the wallet's factory and then the transfer, as simulated here. Only factories of the operator's
 * list are called, with a gas limit, and never by the relayer wallet itself.
 */
import {
  accept,
  isSameAddress,
  refuse,
  type Address,
  type Authorization,
  type Hex,
  type Outcome,
} from "@farthing/protocol";
import { Fault } from "../base/fault.ts";
import {
  encodeLimitedBatch,
  gasOfLimitedBatch,
  simulateLimitedBatch,
  type LimitedCall,
} from "../chain/contracts/batch-contract.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { transferGasCap, type CallSender } from "../chain/payments/payment-reading.ts";
import {
  encodeTransfer,
  revertMessage,
  revertText,
  tokenRefusalOf,
} from "../chain/contracts/usdc.ts";
import { readErc6492 } from "./erc6492.ts";

/** A Safe of ten owners takes 450,000 gas to deploy, one of a single owner 238,000. */
export const deploymentGasMax = 500_000n;

/** A payment with a wrapped signature, as it was received. */
export interface WrappedPayment {
  readonly authorization: Authorization;
  readonly signature: Hex;
}

export interface UndeployedWallets {
  /** The call of the factory; undefined when it may not be called. */
  deploymentOf(payment: WrappedPayment): LimitedCall | undefined;
  /** Simulates deployment and transfer as they would be sent. Throws when no node replies. */
  simulate(payment: WrappedPayment): Promise<Outcome<undefined>>;
}

export function createUndeployedWallets(deps: {
  readonly chain: Chain;
  /** Undefined where batches do not go through a batch contract. */
  readonly batcher: Address | undefined;
  readonly factories: readonly Address[];
  sender(): CallSender | undefined;
}): UndeployedWallets {
  const { chain, batcher, factories } = deps;

  function deploymentOf({ signature }: WrappedPayment): LimitedCall | undefined {
    const wrapped = readErc6492(signature);
    if (
      batcher === undefined ||
      !wrapped ||
      !factories.some((factory) => isSameAddress(factory, wrapped.factory))
    ) {
      return undefined;
    }
    return { to: wrapped.factory, gasLimit: deploymentGasMax, data: wrapped.factoryCall };
  }

  return {
    deploymentOf,
    async simulate(payment) {
      const inner = readErc6492(payment.signature)?.signature;
      const deployment = deploymentOf(payment);
      if (batcher === undefined || inner === undefined) return refuse("wallet_not_deployed");
      if (!deployment) return refuse("wallet_not_deployed", unknownFactory);
      const data = encodeTransfer(payment.authorization, inner);
      const calls = [deployment, { to: chain.network.usdc, gasLimit: transferGasCap, data }];
      const sender = deps.sender();
      const results = await simulateLimitedBatch(chain, {
        from: sender?.from ?? batcher,
        to: batcher,
        data: encodeLimitedBatch(calls),
        gasLimit: gasOfLimitedBatch(calls),
        gasPrice: sender?.gasPrice,
      });
      const transfer = results?.[1];
      if (!transfer) throw new Fault("rpc_unavailable", "The node did not simulate a deployment");
      return transfer.succeeded
        ? accept(undefined)
        : refuseTransfer(revertText(transfer.returnData));
    },
  };
}

const unknownFactory =
  "The paying smart wallet is not deployed, and this facilitator does not call its factory; deploy it first.";

function refuseTransfer(text: string): Outcome<undefined> {
  const refusal = tokenRefusalOf(text);
  // Without code at the payer the token asks for a plain signature.
  if (refusal === "invalid_signature") {
    return refuse(
      refusal,
      "The paying smart wallet is not deployed; its factory call deploys no wallet at authorization.from that accepts this signature.",
    );
  }
  if (refusal !== "blocked" && refusal !== "simulation_failed") return refuse(refusal);
  return refuse("simulation_failed", revertMessage(text));
}
