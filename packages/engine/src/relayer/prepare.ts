/**
 * From a queued settlement to the call that carries it. What was verified a moment ago is sent as
 * it stands; what had to wait is simulated again, so that a payment which would fail now is
 * dropped before it is signed and burns no gas.
 */
import {
  networkOfChain,
  refusal,
  type Address,
  type Authorization,
  type Payment,
  type Refusal,
} from "@farthing/protocol";
import { unixSeconds, type Clock } from "../base/clock.ts";
import type { Chain } from "../chain/chain.ts";
import type { PaymentReader } from "../chain/payment-reader.ts";
import { estimateGas, simulateSend } from "../chain/reads.ts";
import { encodeTransfer, revertText, tokenRefusalOf } from "../chain/usdc.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import type { Settlement } from "../model/settlement.ts";
import { evaluateReading } from "../verification/chain-state.ts";
import { readSignature } from "../verification/signature.ts";
import { contractGasLimit, contractTransferGasMax, plainTransferGas } from "./fees.ts";

/** A settlement that waits for a wallet. */
export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** When its transfer was last simulated, in milliseconds; 0 for never in this process. */
  readonly simulatedAt: number;
  /** Another process may have taken it meanwhile: look before it spoils a batch. */
  readonly isContested?: boolean;
  /** Transactions that carried it with others reverted as a whole: it goes alone. */
  readonly goesAlone?: boolean;
}

/** What is to be done with it. */
export type Preparation =
  | { readonly kind: "plan"; readonly plan: TransactionPlan }
  /** The authorization begins later; nothing is wrong. */
  | { readonly kind: "wait" }
  /** Too late to be mined before validBefore. */
  | { readonly kind: "expiring" }
  | ({ readonly kind: "refused" } & Judgement);

/** Why a transfer would fail, and the block that says so. */
export interface Judgement {
  readonly refusal: Refusal;
  readonly atBlock: number;
}

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
  /** Payments of one contract wallet that are on their way at most. */
  readonly contractInFlightMax: number;
  gasPrice(): bigint;
  headNumber(): number;
}

/**
 * Prepares one settlement for the wallet that is to send it. Throws a fault when the chain cannot be
 * asked.
 */
export async function prepare(
  queued: QueuedSettlement,
  from: Address,
  deps: PrepareDeps,
): Promise<Preparation> {
  const { settlement, simulatedAt } = queued;
  const now = unixSeconds(deps.clock);
  if (now + deps.marginSeconds >= settlement.validBefore) return { kind: "expiring" };
  // Only a window that has just begun needs the slack; validAfter 0 and the like never wait.
  if (now < settlement.validAfter + validAfterSlack) return { kind: "wait" };
  const ageMs = deps.clock.nowMs() - simulatedAt;
  // Below zero, the time of day was put back, and the age is not known.
  if (ageMs > freshMs || ageMs < 0) {
    const judgement = await simulate(settlement, deps);
    if (judgement) return { kind: "refused", ...judgement };
  }
  const data = encodeTransfer(authorizationOf(settlement), settlement.signature);
  const call = { settlementIds: [settlement.id], to: settlement.asset, data };
  const gasPrice = deps.gasPrice();
  if (settlement.payerHasCode)
    return prepareContract(settlement, { ...call, from, gasPrice }, deps);
  return { kind: "plan", plan: { ...call, gasLimit: plainTransferGas, gasPrice } };
}

/**
 * A contract wallet's code runs in our transaction, sees what it comes from, and may burn all of its
 * gas. So the very transaction is simulated last: the same wallet, price and gas limit.
 */
async function prepareContract(
  settlement: Settlement,
  call: Omit<TransactionPlan, "gasLimit"> & { readonly from: Address },
  { chain, headNumber, contractInFlightMax: max }: PrepareDeps,
): Promise<Preparation> {
  // While nobody waits for blocks, the verification has seen a newer one than was followed.
  const atBlock = Math.max(headNumber(), settlement.seenUnusedAt);
  const estimate = await estimateGas(chain, call, atBlock);
  if (estimate && "revertData" in estimate) {
    return judgeRevert(revertText(estimate.revertData), atBlock);
  }
  // It passed the simulation a moment ago; the limit that covers all that passes there is safe.
  const gasLimit = estimate ? contractGasLimit(estimate.gas) : contractTransferGasMax;
  if (gasLimit === undefined) return { kind: "refused", refusal: tooMuchGas, atBlock };
  const failure = await simulateSend(chain, { ...call, gasLimit }, atBlock);
  if (failure) return judgeRevert(revertText(failure.revertData), atBlock);
  const { from: _, ...plan } = call;
  const payerLimit = { payer: settlement.payer, max };
  return { kind: "plan", plan: { ...plan, gasLimit, payerLimit } };
}

/** What the token says no to although it passed the simulation: time or state has moved, or gas. */
function judgeRevert(text: string, atBlock: number): Preparation {
  const code = tokenRefusalOf(text);
  // Our clock has passed validAfter, the latest block has not.
  if (code === "authorization_not_yet_valid") return { kind: "wait" };
  if (text === "") return { kind: "refused", refusal: tooMuchGas, atBlock };
  const words = `The transfer would fail on chain: ${text.slice(0, revertCharactersMax)}.`;
  const isVague = code === "blocked" || code === "simulation_failed";
  const why = isVague ? refusal("simulation_failed", words) : refusal(code);
  return { kind: "refused", refusal: why, atBlock };
}

/** Longest revert text that is repeated; the token's own are shorter. */
const revertCharactersMax = 120;

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
): Promise<Judgement | undefined> {
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
  const result = await evaluateReading({
    chain,
    payment,
    signature: readSignature(network, authorization, signature),
    reading,
  });
  return result.ok ? undefined : { refusal: result.refusal, atBlock: reading.blockNumber };
}
