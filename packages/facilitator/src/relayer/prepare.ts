/**
 * From a queued settlement to the call that carries it. What was verified a moment ago is sent as
 * it stands; what had to wait is simulated again, so that a payment which would fail now is
 * dropped before it is signed and burns no gas.
 */
import type { Authorization, Payment, Refusal } from "@farthing/protocol";
import { networkOfChain } from "@farthing/protocol";
import { unixSeconds, type Clock } from "../base/clock.ts";
import type { Chain } from "../chain/chain.ts";
import type { PaymentReader } from "../chain/payment-reader.ts";
import { estimateGas } from "../chain/reads.ts";
import { encodeTransfer } from "../chain/usdc.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import { judgeReading } from "../verification/chain-state.ts";
import { readSignature } from "../verification/signature.ts";
import { contractGasLimit, contractTransferGasMax, plainTransferGas } from "./fees.ts";

/** A settlement that waits for a wallet. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** When its transfer was last simulated, in milliseconds; 0 for never in this process. */
  readonly simulatedAt: number;
  /** Another process may have taken it meanwhile: look before it spoils a batch. */
  readonly isContested?: boolean;
}

/** What is to be done with it. */
export type Preparation =
  | { readonly kind: "plan"; readonly plan: TransactionPlan }
  /** The authorization begins later; nothing is wrong. */
  | { readonly kind: "wait" }
  /** Too late to be mined before validBefore. */
  | { readonly kind: "expiring" }
  | { readonly kind: "refused"; readonly refusal: Refusal };

/** How long a simulation counts as fresh: one block period. */
const freshMs = 2_000;

/**
 * Seconds that our clock must be past validAfter, which the token compares with block time: a
 * block may carry the time of its predecessor's slot, one period (2 s) behind.
 */
const validAfterSlack = 2n;

/** What preparing needs. */
export interface PrepareDeps {
  readonly chain: Chain;
  readonly read: PaymentReader;
  readonly clock: Clock;
  /** Seconds before validBefore within which nothing is sent any more. */
  readonly marginSeconds: bigint;
  gasPrice(): bigint;
}

/** Prepares one settlement. Throws a fault when the chain cannot be asked. */
export async function prepare(queued: QueuedSettlement, deps: PrepareDeps): Promise<Preparation> {
  const { settlement, simulatedAt } = queued;
  const now = unixSeconds(deps.clock);
  if (now + deps.marginSeconds >= settlement.validBefore) return { kind: "expiring" };
  // Only a window that has just begun needs the slack; validAfter 0 and the like never wait.
  if (now < settlement.validAfter + validAfterSlack) return { kind: "wait" };
  if (deps.clock.nowMs() - simulatedAt > freshMs) {
    const refusal = await simulate(settlement, deps);
    if (refusal) return { kind: "refused", refusal };
  }
  const data = encodeTransfer(authorizationOf(settlement), settlement.signature);
  const call = { settlementIds: [settlement.id], to: settlement.asset, data };
  if (!settlement.payerHasCode) {
    const gasPrice = deps.gasPrice();
    return { kind: "plan", plan: { ...call, gasLimit: plainTransferGas, gasPrice } };
  }
  const gasLimit = await contractGas(call, deps.chain);
  if (gasLimit === undefined) return { kind: "refused", refusal: tooMuchGas };
  return { kind: "plan", plan: { ...call, gasLimit, gasPrice: deps.gasPrice() } };
}

const tooMuchGas: Refusal = {
  code: "simulation_failed",
  message: `The paying contract wallet needs more than ${contractTransferGasMax} gas; simplify its signature check.`,
};

/** The authorization of a settlement, as signed. */
export function authorizationOf(settlement: Settlement): Authorization {
  return {
    from: settlement.payer,
    to: settlement.payTo,
    value: settlement.amount,
    validAfter: settlement.validAfter,
    validBefore: settlement.validBefore,
    nonce: settlement.nonce,
  };
}

/** Judges a settlement's transfer as the chain stands now; undefined when it would go through. */
export async function simulate(
  settlement: Settlement,
  { chain, read }: Pick<PrepareDeps, "chain" | "read">,
): Promise<Refusal | undefined> {
  const authorization = authorizationOf(settlement);
  const { signature, networkName } = settlement;
  const network = networkOfChain(settlement.chainId);
  const payment: Payment = {
    shape: "flat-v2",
    version: 2,
    network,
    networkName,
    authorization,
    signature,
  };
  const reading = await read({ authorization, signature });
  const judged = await judgeReading(
    chain,
    payment,
    readSignature(network, authorization, signature),
    reading,
  );
  return judged.ok ? undefined : judged.refusal;
}

async function contractGas(
  call: Pick<TransactionPlan, "to" | "data">,
  chain: Chain,
): Promise<bigint | undefined> {
  const estimate = await estimateGas(chain, call);
  if (estimate === "reverts") return undefined;
  // It passed the simulation a moment ago; the limit that covers all that passes there is safe.
  return estimate === undefined ? contractTransferGasMax : contractGasLimit(estimate);
}
