/** Records transfers that relayer wallets sent and the database has lost as settlements. */
import { isSameAddress, type Address, type Hex } from "@farthing/protocol";
import type { Runtime } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import { listContracts, type SentTransfer } from "../chain/logs/sent-transfers.ts";
import type { TransferCall } from "../chain/logs/transfer-calls.ts";
import {
  keyText,
  type AuthorizationKey,
  type Claim,
  type RefundTerms,
} from "../model/settlement.ts";
import { adoptionOf } from "../model/lost-commits.ts";
import { findWriteRefusal } from "../storage/database-problem.ts";
import type { EngineStore } from "../storage/engine-store.ts";
import type { Proof } from "./chain-proofs.ts";
import type { ChainOfRefund, ReadRefund } from "./lost-refunds.ts";

/** Transfers of one look and one commit. */
const groupMax = 100;

/** Returns how many settlements were recovered. Throws RPC and storage faults; a repetition is safe. */
export type AdoptTransfers = (transfers: readonly SentTransfer[]) => Promise<number>;

interface AdoptDeps extends Runtime {
  readonly chain: Chain;
  readonly view: ChainOfRefund["view"];
  readonly store: Pick<EngineStore, "findSettlementsByKey" | "claimSettlements">;
  readonly readRefund: ReadRefund;
  newId(key: AuthorizationKey): string;
  /** Confirms settlements by what the chain shows, as soon as two endpoints agree. */
  adopt(proofs: readonly Proof[]): Promise<void>;
}

type Missing = SentTransfer & { readonly key: AuthorizationKey };
type Readable = Missing & { readonly call: TransferCall };
type LostRefund = Readable & { readonly refundedNonce: Hex };
type ToClaim = Readable & { readonly refund?: RefundTerms };

export function createAdoptTransfers(deps: AdoptDeps): AdoptTransfers {
  const { chainId, usdc: asset } = deps.chain.network;
  return async (transfers) => {
    const distinct = new Map(
      transfers.map((one) => [keyText({ chainId, asset, ...one.event }), one]),
    );
    const all = [...distinct.values()];
    let recovered = 0;
    for (let at = 0; at < all.length; at += groupMax) {
      recovered += await adoptSome(deps, all.slice(at, at + groupMax));
    }
    return recovered;
  };
}

function notRecovered({ chain, log }: AdoptDeps, { event }: SentTransfer, problem: string): void {
  const { chainId } = chain.network;
  const { payer, nonce, transaction } = event;
  log.error(
    { event: "transfer_not_recovered", chainId, payer, nonce, transaction, problem },
    "Transfer of a relayer wallet not recorded as a settlement",
  );
}

/** Tells payments and refunds apart; of the others the log says why they are left out. */
async function sort(deps: AdoptDeps, missing: readonly Missing[]) {
  const payments: Readable[] = [];
  const refunds: LostRefund[] = [];
  for (const one of missing) {
    if (!isReadable(one)) {
      notRecovered(deps, one, "its transaction does not show the authorization");
      continue;
    }
    const reading = await deps.readRefund(deps, one.call.authorization, one.event.blockNumber);
    if (reading.kind === "refund") refunds.push({ ...one, refundedNonce: reading.nonce });
    else if (reading.kind === "payment") payments.push(one);
    else notRecovered(deps, one, "its recipient has paid too often to tell whether it is a refund");
  }
  return { payments, refunds };
}

/** Names the payments that these returned; they are in the store, or were recovered before. */
async function findRefunded(deps: AdoptDeps, refunds: readonly LostRefund[]): Promise<ToClaim[]> {
  const { chainId, usdc: asset } = deps.chain.network;
  const keys = refunds.map(({ call, refundedNonce: nonce }) => {
    return { chainId, asset, payer: call.authorization.to, nonce };
  });
  const payments = await deps.store.findSettlementsByKey(keys);
  return refunds.flatMap((one, index): ToClaim[] => {
    const payment = payments[index];
    // A payer can choose any nonce, also one that looks like the nonce of a refund.
    if (payment && !isSameAddress(payment.payTo, one.event.payer)) return [one];
    if (payment) return [{ ...one, refund: { of: payment.id, unitsMin: 0n } }];
    notRecovered(deps, one, "it refunds a payment that the database does not have");
    return [];
  });
}

async function claim(deps: AdoptDeps, found: readonly ToClaim[]): Promise<Proof[]> {
  if (found.length === 0) return [];
  const { chain } = deps;
  const payers: Address[] = found.map(({ event }) => event.payer);
  const contracts = await listContracts(chain, payers);
  const claims = found.map((one): Claim => {
    const { to, value, validAfter, validBefore } = one.call.authorization;
    return {
      ...one.key,
      id: deps.newId(one.key),
      payTo: to,
      amount: value,
      validAfter,
      validBefore,
      signature: one.call.signature,
      payerHasCode: contracts.has(one.event.payer.toLowerCase()),
      seenUnusedAt: one.event.blockNumber - 1,
      networkName: chain.network.id,
      refund: one.refund,
      ...nobodys,
    };
  });
  const results = await deps.store.claimSettlements(claims, deps.clock.nowMs());
  return found.flatMap((one, index): Proof[] => {
    const result = results[index];
    if (!result || result.kind === "refused") {
      notRecovered(deps, one, `it was refused: ${result?.reason ?? "without a reason"}`);
      return [];
    }
    return [{ event: one.event, settlement: result.settlement }];
  });
}

async function adoptGroup(deps: AdoptDeps, transfers: readonly SentTransfer[]): Promise<number> {
  const { chainId, usdc: asset } = deps.chain.network;
  const named = transfers.map((transfer) => {
    const { payer, nonce } = transfer.event;
    return { ...transfer, key: { chainId, asset, payer, nonce } };
  });
  const known = await deps.store.findSettlementsByKey(named.map(({ key }) => key));
  const open = named.flatMap(({ event }, index): Proof[] => {
    const settlement = known[index];
    return settlement && adoptionOf(settlement) === "conclude" ? [{ event, settlement }] : [];
  });
  const { payments, refunds } = await sort(
    deps,
    named.filter((_, index) => adoptionOf(known[index]) === "claim"),
  );
  // In this order, because a refund names its payment.
  const claimed = await claim(deps, payments);
  claimed.push(...(await claim(deps, await findRefunded(deps, refunds))));
  await deps.adopt([...open, ...claimed]);
  return claimed.length;
}

/** Records what can be recorded: a row that the database refuses must not hold all others. */
async function adoptSome(deps: AdoptDeps, transfers: readonly SentTransfer[]): Promise<number> {
  try {
    return await adoptGroup(deps, transfers);
  } catch (error) {
    const refused = findWriteRefusal(error);
    if (refused === undefined) throw error;
    const [only] = transfers;
    if (only && transfers.length === 1) {
      notRecovered(deps, only, `the database refuses it: ${refused}`);
      return 0;
    }
    const half = Math.ceil(transfers.length / 2);
    const first = await adoptSome(deps, transfers.slice(0, half));
    return first + (await adoptSome(deps, transfers.slice(half)));
  }
}

/** It is free until its first repeat by an account. */
const nobodys = {
  keyId: null,
  owner: null,
  priority: "open",
  requestId: null,
  credits: 0,
  terms: {},
  claimingCall: null,
  isRecovered: true,
} as const;

/** Whether the calldata shows the authorization of the transfer that the logs show. */
function isReadable(missing: Missing): missing is Readable {
  const { call, event } = missing;
  const { transfer } = event;
  return (
    call !== undefined &&
    transfer !== undefined &&
    call.authorization.value === transfer.value &&
    isSameAddress(call.authorization.to, transfer.to)
  );
}
