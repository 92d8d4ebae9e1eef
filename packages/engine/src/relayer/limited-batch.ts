/**
 * Batches through the batch contract, in which every payment has a gas limit of its own. Payments of
 * contract wallets share them: one simulation measures their gas, a second one runs the transaction as
 * it will be sent. A payment that fails there leaves the batch.
 */
import type { Address } from "@farthing/protocol";
import {
  encodeLimitedBatch,
  gasOfLimitedBatch,
  limitedCallBytes,
  simulateLimitedBatch,
  type LimitedCall,
  type LimitedResult,
} from "../chain/contracts/batch-contract.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import { batchBytesMax, batchPaymentGas, feeCapWei, highestPrice } from "./batch.ts";
import { contractTransferGasMax, withReserve } from "./fees.ts";

/** The plan of one payment, which may share a transaction. */
export interface PaymentPlan extends TransactionPlan {
  /** Its payer is a contract wallet, and the gas of its call is not measured yet. */
  readonly isUnmeasured?: boolean;
  /** Deploys the payer's wallet before the transfer. */
  readonly deployment?: LimitedCall;
}

export interface LimitedBatchSettings {
  readonly batcher: Address;
  readonly paymentsMax: number;
  /** Of the whole transaction. */
  readonly gasMax: bigint;
}

/**
 * What the calls before a payment have paid for, which it pays if those fail: the first reading of the
 * token's and the wallet's code (25,300 gas measured), and the payee's first USDC (17,100).
 */
const firstCallGas = 45_000n;

/** The limit of a contract wallet's call in a batch. */
export function memberGasLimit(gasUsed: bigint): bigint {
  const limit = withReserve(gasUsed) + firstCallGas;
  return limit < contractTransferGasMax ? limit : contractTransferGasMax;
}

interface Member {
  readonly plan: PaymentPlan;
  readonly deployment: LimitedCall | undefined;
  readonly transfer: LimitedCall;
}

interface MemberResult {
  readonly deployment: LimitedResult | undefined;
  readonly transfer: LimitedResult | undefined;
}

export interface FittedBatch {
  /** One transaction, or none. */
  readonly plans: readonly TransactionPlan[];
  /** Settlements that did not fit, or that fail together with the others. */
  readonly left: readonly string[];
  /** Settlements of contract wallets that failed in the batch, and are to be tried alone. */
  readonly alone: readonly string[];
}

export interface FitDeps {
  readonly chain: Chain;
  readonly from: Address;
  readonly settings: LimitedBatchSettings;
  /** Payments of one payer may succeed alone and fail together. */
  readonly hasPayerTwice: boolean;
  canAfford(plan: TransactionPlan): boolean;
}

/** Returns one transaction for as many payments as fit. Throws a fault when no node replies. */
export async function fitLimitedBatch(
  plans: readonly PaymentPlan[],
  deps: FitDeps,
): Promise<FittedBatch> {
  const given = plans.slice(0, countThatFits(plans, deps.settings.paymentsMax)).map(toMember);
  const hasContracts = given.some(isContract);
  const measured = hasContracts ? await measure(given, deps) : given;
  const fitting = affordable(measured, deps);
  const isSimulated = hasContracts || (deps.hasPayerTwice && fitting.length > 1);
  const kept = isSimulated ? await succeeding(fitting, deps) : fitting;
  const failed = [...without(given, measured), ...without(fitting, kept)];
  const alone = idsOf(failed.filter(isContract).map(({ plan }) => plan));
  const plan = merge(kept, deps.settings.batcher);
  const placed = new Set([...idsOf(plan ? [plan] : []), ...alone]);
  const left = idsOf(plans).filter((id) => !placed.has(id));
  return { plans: plan ? [plan] : [], left, alone };
}

/** The members of the first list whose payments are not in the second one. */
function without(members: readonly Member[], others: readonly Member[]): Member[] {
  const plans = new Set(others.map(({ plan }) => plan));
  return members.filter(({ plan }) => !plans.has(plan));
}

/** Gives contract wallets' calls their limits. Leaves out those that fail with the highest one. */
async function measure(members: readonly Member[], deps: FitDeps): Promise<Member[]> {
  // Without a gas price, so that the wallet need not hold what the highest limits would cost.
  const results = await simulate(members, deps);
  return members.flatMap((member, at) => {
    if (!isContract(member)) return [member];
    const { deployment: deployed, transfer: paid } = results?.[at] ?? {};
    if (!paid?.succeeded) return [];
    const transfer = { ...member.transfer, gasLimit: memberGasLimit(paid.gasUsed) };
    // A factory call that fails beside a successful transfer: the wallet has been deployed since.
    const deployment = deployed?.succeeded ? limited(member.deployment, deployed) : undefined;
    return [{ ...member, deployment, transfer }];
  });
}

/** The margin of a deployment: nothing that other calls do makes it dearer. */
function limited(call: LimitedCall | undefined, { gasUsed }: LimitedResult) {
  const gasLimit = withReserve(gasUsed);
  return call && { ...call, gasLimit: gasLimit < call.gasLimit ? gasLimit : call.gasLimit };
}

/** Leaves out what fails in the transaction as it would be sent. */
async function succeeding(members: readonly Member[], deps: FitDeps): Promise<Member[]> {
  const results = await simulate(members, deps, highestPrice(members.map(({ plan }) => plan)));
  // Payments of plain payers were simulated alone, and go also when the node cannot tell.
  return members.filter((member, at) => results?.[at]?.transfer?.succeeded ?? !isContract(member));
}

async function simulate(
  members: readonly Member[],
  { chain, from, settings }: FitDeps,
  gasPrice?: bigint,
): Promise<MemberResult[] | undefined> {
  if (members.length === 0) return [];
  const calls = members.flatMap(callsOf);
  const results = await simulateLimitedBatch(chain, {
    from,
    to: settings.batcher,
    data: encodeLimitedBatch(calls),
    gasLimit: gasOfLimitedBatch(calls),
    ...(gasPrice !== undefined && { gasPrice }),
  });
  if (results?.length !== calls.length) return undefined;
  const each = results.values();
  return members.map(({ deployment }) => ({
    deployment: deployment && each.next().value,
    transfer: each.next().value,
  }));
}

function callsOf({ deployment, transfer }: Member): LimitedCall[] {
  return deployment ? [deployment, transfer] : [transfer];
}

/** As many of the first ones as nodes accept in one transaction and the wallet can pay for. */
function affordable(members: readonly Member[], deps: FitDeps): readonly Member[] {
  for (let count = members.length; count > 1; count = Math.ceil(count / 2)) {
    const some = members.slice(0, count);
    const plan = merge(some, deps.settings.batcher);
    if (!plan) break;
    const { gasLimit, gasPrice } = plan;
    const isAccepted = gasLimit <= deps.settings.gasMax && gasLimit * gasPrice <= feeCapWei;
    if (isAccepted && deps.canAfford(plan)) return some;
  }
  return members.slice(0, 1);
}

function countThatFits(plans: readonly PaymentPlan[], paymentsMax: number): number {
  let bytes = 0;
  const tooLarge = plans.findIndex((plan) => {
    for (const { data } of callsOf(toMember(plan))) bytes += data.length / 2 + limitedCallBytes;
    return bytes > batchBytesMax;
  });
  const count = tooLarge === -1 ? plans.length : Math.max(1, tooLarge);
  return Math.min(count, paymentsMax);
}

function toMember(plan: PaymentPlan): Member {
  const { to, data, deployment } = plan;
  const gasLimit = plan.isUnmeasured ? contractTransferGasMax : batchPaymentGas;
  return { plan, deployment, transfer: { to, data, gasLimit } };
}

function isContract({ plan }: Pick<Member, "plan">): boolean {
  return plan.isUnmeasured === true;
}

function merge(members: readonly Member[], to: Address): TransactionPlan | undefined {
  const [first] = members;
  if (!first) return undefined;
  // A batch of one costs 7,000 gas more than the call alone.
  if (members.length === 1 && !isContract(first)) return first.plan;
  const plans = members.map(({ plan }) => plan);
  const calls = members.flatMap(callsOf);
  return {
    settlementIds: idsOf(plans),
    to,
    data: encodeLimitedBatch(calls),
    gasLimit: gasOfLimitedBatch(calls),
    gasPrice: highestPrice(plans),
  };
}

function idsOf(plans: Iterable<PaymentPlan>): string[] {
  return [...plans].flatMap(({ settlementIds }) => settlementIds);
}
