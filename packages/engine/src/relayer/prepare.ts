/**
 * Prepares the call of a queued settlement. A settlement that had to wait is simulated again, so that
 * a payment that would fail is dropped before it is signed and burns no gas.
 */
import {
  hasErc6492Form,
  networkOfChain,
  refusal,
  type Address,
  type Authorization,
  type Payment,
  type Refusal,
} from "@farthing/protocol";
import { unixSeconds, type Clock } from "../base/clock.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { isTimeUnclear, validitySeconds, type SeenTime } from "../chain/follower/clock-skew.ts";
import type { PaymentReader } from "../chain/payments/payment-reader.ts";
import { estimateGas, hasCode, simulateSend } from "../chain/reads/reads.ts";
import { encodeUse } from "../chain/contracts/authorization-call.ts";
import {
  revertMessage,
  revertText,
  tokenRefusalOf,
  type TokenRefusal,
} from "../chain/contracts/usdc.ts";
import type { Settlement } from "../model/settlement.ts";
import { evaluateReading } from "../verification/chain-state.ts";
import { unwrapErc6492 } from "../verification/erc6492.ts";
import { readSignature } from "../verification/signature.ts";
import type { UndeployedWallets } from "../verification/undeployed-wallet.ts";
import { contractGasLimit, contractTransferGasMax, depositGas, plainTransferGas } from "./fees.ts";
import type { GasPrices } from "./gas-prices.ts";
import type { PaymentPlan } from "./limited-batch.ts";

export interface QueuedSettlement {
  readonly settlement: Settlement;
  /** Milliseconds of the last simulation; 0 without one in this process. */
  readonly simulatedAt: number;
  /** Another process may have taken it, so the store is asked before it enters a batch. */
  readonly isPossiblyTaken?: boolean;
  /** It goes alone because whole batches with it reverted. */
  readonly goesAlone?: boolean;
}

export type Preparation =
  | { readonly kind: "plan"; readonly plan: PaymentPlan }
  /** The authorization is not valid yet, or the token is paused. */
  | { readonly kind: "wait" }
  /** Too late to be mined before validBefore. */
  | { readonly kind: "expiring" }
  /** The payer has got code since the payment was claimed (EIP-7702): it must not share a transaction. */
  | { readonly kind: "alone"; readonly queued: QueuedSettlement }
  | ({ readonly kind: "refused" } & FailedSimulation);

/** Why a transfer would fail, and the block at which it was simulated. */
export interface FailedSimulation {
  readonly refusal: Refusal;
  readonly atBlock: number;
  /** The payer has code at this block. */
  readonly payerHasCode?: boolean;
}

/** A transfer as the chain would make it now. */
interface Simulation {
  readonly failure: FailedSimulation | undefined;
  readonly payerHasCode: boolean;
}

/** A simulation is fresh for one block period. */
const freshMs = 2_000;

/** Seconds past validAfter by our clock: a block's own time may be one period (2 s) behind. */
const validAfterSlack = 2n;

export interface PrepareDeps {
  readonly chain: Chain;
  readonly read: PaymentReader;
  readonly undeployed: UndeployedWallets;
  readonly clock: Clock;
  /** Nothing is sent within these seconds before validBefore. */
  readonly marginSeconds: bigint;
  /** Pending payments of one contract wallet at most. */
  readonly contractInFlightMax: number;
  readonly gasPrices: Pick<GasPrices, "now" | "problem">;
  headNumber(): number;
  view(): SeenTime | undefined;
}

/** Where a settlement's call goes. */
export interface Carriage {
  /** The wallet that sends it. */
  readonly from: Address;
  /** Whether it enters a batch with gas limits, which measures the call of a contract wallet. */
  readonly hasLimits: boolean;
  /** Whether it may share a transaction in which no call has a limit of its own. */
  readonly isShared: boolean;
}

/** Prepares a settlement. Throws a fault when the node cannot be asked. */
export async function prepare(
  queued: QueuedSettlement,
  { from, hasLimits, isShared }: Carriage,
  deps: PrepareDeps,
): Promise<Preparation> {
  const { settlement, simulatedAt } = queued;
  let { payerHasCode } = settlement;
  const seen = deps.view();
  const now = validitySeconds(deps.clock, seen);
  if (now + deps.marginSeconds >= settlement.validBefore) {
    return { kind: isTimeUnclear(unixSeconds(deps.clock), seen) ? "wait" : "expiring" };
  }
  // Only a window that has just begun needs the slack; validAfter 0 never waits.
  if (now < settlement.validAfter + validAfterSlack) return { kind: "wait" };
  const ageMs = deps.clock.nowMs() - simulatedAt;
  // A negative age means that the time of day was set back.
  // At a distant node another simulation would be as old once it is read.
  if (ageMs > freshMs + 2 * deps.chain.distanceMs() || ageMs < 0) {
    const { failure, ...simulated } = await simulateNow(settlement, deps);
    payerHasCode ||= simulated.payerHasCode;
    if (failure && isTemporary(failure.refusal.code)) return { kind: "wait" };
    // It ends once a final block is past its time: the newest one may still be replaced.
    if (failure?.refusal.code === "authorization_expired") return { kind: "expiring" };
    if (failure) return { kind: "refused", ...failure };
  }
  const isUndeployed =
    hasErc6492Form(settlement.signature) && !(await hasCode(deps.chain, settlement.payer));
  const signature = unwrapErc6492(settlement.signature) ?? settlement.signature;
  const use = encodeUse(settlement.asset, authorizationOf(settlement), signature);
  const call = { settlementIds: [settlement.id], to: use.to, data: use.data };
  const gasPrice = deps.gasPrices.now();
  if (isUndeployed) return prepareUndeployed(settlement, { ...call, gasPrice }, deps);
  if (payerHasCode) {
    if (isShared && !settlement.payerHasCode) {
      const known = { ...settlement, payerHasCode };
      const again = { ...queued, settlement: known, simulatedAt: 0, goesAlone: true };
      return { kind: "alone", queued: again };
    }
    if (!hasLimits) return prepareContract(settlement, { ...call, from, gasPrice }, deps);
    const plan = { ...call, gasLimit: contractTransferGasMax, gasPrice, isUnmeasured: true };
    return { kind: "plan", plan };
  }
  const gasLimit = use.isDeposit ? depositGas : plainTransferGas;
  return { kind: "plan", plan: { ...call, gasLimit, gasPrice } };
}

/**
 * A contract wallet's code can read the sender and burn all gas, so the exact transaction is simulated
 * last: the same wallet, price and gas limit.
 */
async function prepareContract(
  settlement: Settlement,
  call: Omit<PaymentPlan, "gasLimit"> & { readonly from: Address },
  { chain, headNumber, contractInFlightMax: max }: PrepareDeps,
): Promise<Preparation> {
  // While blocks are not followed, the verification has seen a newer one.
  const atBlock = Math.max(headNumber(), settlement.seenUnusedAt);
  const estimate = await estimateGas(chain, call, atBlock);
  if (estimate && "revertData" in estimate) {
    return preparationAfterRevert(revertText(estimate.revertData), atBlock);
  }
  // It has passed the simulation, so the highest limit of passing transfers is safe.
  const gasLimit = estimate ? contractGasLimit(estimate.gas) : contractTransferGasMax;
  if (gasLimit === undefined) return { kind: "refused", refusal: tooMuchGas, atBlock };
  const failure = await simulateSend(chain, { ...call, gasLimit }, atBlock);
  if (failure) return preparationAfterRevert(revertText(failure.revertData), atBlock);
  const { from: _, ...plan } = call;
  const payerLimit = { payer: settlement.payer, max };
  return { kind: "plan", plan: { ...plan, gasLimit, payerLimit } };
}

/** The batch that carries the payment deploys its wallet first. */
function prepareUndeployed(
  settlement: Settlement,
  call: Omit<PaymentPlan, "gasLimit">,
  { undeployed, headNumber }: PrepareDeps,
): Preparation {
  const authorization = authorizationOf(settlement);
  const deployment = undeployed.deploymentOf({ authorization, signature: settlement.signature });
  if (!deployment) {
    return { kind: "refused", refusal: refusal("wallet_not_deployed"), atBlock: headNumber() };
  }
  const limit = { gasLimit: contractTransferGasMax, isUnmeasured: true };
  return { kind: "plan", plan: { ...call, ...limit, deployment } };
}

function preparationAfterRevert(text: string, atBlock: number): Preparation {
  const code = tokenRefusalOf(text);
  if (isTemporary(code)) return { kind: "wait" };
  if (text === "") return { kind: "refused", refusal: tooMuchGas, atBlock };
  const isVague = code === "blocked" || code === "simulation_failed";
  const why = isVague ? refusal("simulation_failed", revertMessage(text)) : refusal(code);
  return { kind: "refused", refusal: why, atBlock };
}

/** The latest block is before validAfter although our clock is past it, or the issuer paused the token. */
function isTemporary(code: TokenRefusal): boolean {
  return code === "authorization_not_yet_valid" || code === "token_paused";
}

const tooMuchGas: Refusal = {
  code: "simulation_failed",
  message: `The paying contract wallet needs more than ${contractTransferGasMax} gas; simplify its signature check.`,
};

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

type SimulationDeps = Pick<PrepareDeps, "chain" | "read" | "undeployed">;

/** Simulates a settlement's transfer now; undefined when it would succeed. */
export async function simulate(
  settlement: Settlement,
  deps: SimulationDeps,
): Promise<FailedSimulation | undefined> {
  return (await simulateNow(settlement, deps)).failure;
}

async function simulateNow(
  settlement: Settlement,
  { chain, read, undeployed }: SimulationDeps,
): Promise<Simulation> {
  const authorization = authorizationOf(settlement);
  const { networkName } = settlement;
  const signature = unwrapErc6492(settlement.signature) ?? settlement.signature;
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
  const isUndeployed = hasErc6492Form(settlement.signature) && !reading.payerHasCode;
  const result = isUndeployed
    ? await undeployed.simulate({ authorization, signature: settlement.signature })
    : await evaluateReading({
        chain,
        payment,
        signature: readSignature(payment),
        reading,
      });
  const { payerHasCode, blockNumber: atBlock } = reading;
  const failure = result.ok ? undefined : { refusal: result.refusal, atBlock, payerHasCode };
  return { failure, payerHasCode };
}
