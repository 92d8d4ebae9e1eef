/** Values of the machine in the shapes that the production rules take. */
import {
  type RelayerTransaction,
  type PendingNonce,
  fanOutAfterBlocks,
  moveAfterBlocks,
  repriceAfterBlocks,
  plainTransferGas,
  type ProofFacts,
} from "@farthing/engine/testing/rules";
import { apothem, defined, type Hex } from "@farthing/protocol";
import {
  membersOf,
  type DatabaseState,
  type PendingNonceState,
  type SettlementRow,
  type TransactionRow,
  type Use,
} from "./state.ts";

/** A head far above every block that anything is compared with. */
export const headNumber = 1_000;

/** Steps of a nonce's age in blocks. Between two of them the rules of recovery decide the same. */
export const sentAges = [0, 1, fanOutAfterBlocks] as const;

/** The last one is as long as a replacement waits; it doubles with each attempt. */
export const attemptAges = [0, moveAfterBlocks, repriceAfterBlocks] as const;

function attemptAgeOf({ attemptAge, attempts }: PendingNonceState): number {
  const age = attemptAges[attemptAge] ?? 0;
  return attemptAge === attemptAges.length - 1 ? age * 2 ** (attempts.length - 1) : age;
}

const payer = `0x${"11".repeat(20)}` as const;
const payee = `0x${"22".repeat(20)}` as const;
const amount = 10n;

/** The wallet of a cancellation, which calls itself. */
export const walletAddress = `0x${"aa".repeat(20)}` as const;

function hexOf(hash: string | null): Hex | null {
  return hash === null ? null : `0x${hash}`;
}

function toTransaction(row: TransactionRow, id: number): RelayerTransaction {
  const { nonce, carries, price, state, hash } = row;
  return {
    id,
    chainId: apothem.chainId,
    lane: walletAddress,
    nonce,
    state,
    raw: hexOf(hash),
    hash: hexOf(hash),
    settlementIds: membersOf(carries).map(String),
    to: carries === 0 ? walletAddress : apothem.usdc,
    data: "0x",
    gasLimit: carries === 0 ? 21_000n : plainTransferGas,
    gasPrice: BigInt(price),
  };
}

/** A pending nonce as the relayer has it. */
export function toPendingNonce(
  { transactions }: DatabaseState,
  state: PendingNonceState,
): PendingNonce {
  const attempts = state.attempts.flatMap((id) => {
    const row = transactions[id];
    return row ? [toTransaction(row, id)] : [];
  });
  return {
    nonce: state.nonce,
    attempts,
    unresolved: new Set(membersOf(state.unresolved).map(String)),
    outcome: state.outcome,
    mayBeOut: state.mayBeOut,
    told: "unsent",
    sentAtBlock: headNumber - (sentAges[state.sentAge] ?? 0),
    attemptedAtBlock: headNumber - attemptAgeOf(state),
    refusals: 0,
    isUsedUp: state.isUsedUp,
  };
}

/** A payment, and the transaction that carries it. */
export function toCarried({ hash }: SettlementRow, payment: number) {
  return { id: String(payment), transaction: hexOf(hash) };
}

/** A use of an authorization as a proof of its settlement's outcome. */
export function toProof(use: Use): ProofFacts {
  const transfer = use.kind === "used" ? { from: payer, to: payee, value: amount } : undefined;
  const event = { kind: use.kind, blockNumber: use.height, ...defined({ transfer }) };
  return { event, settlement: { payer, payTo: payee, amount } };
}

/** Sets of payments as the production rules have them, by id. */
export function bitsOf(ids: Iterable<string>): number {
  return [...ids].reduce((bits, id) => bits | (1 << Number(id)), 0);
}
