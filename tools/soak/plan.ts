/**
 * What a soak asks for: who pays whom what, in which of the ways that sellers settle. Drawn from the
 * seed; when what happens is the machine's matter.
 */
import { buyerUnits, type Devnet } from "@farthing/devnet";
import type { Address, Hex } from "@farthing/protocol";
import { createSeededRandom } from "../sim/seeded-random.ts";
import { signAuthorization, type SignedPayment } from "@farthing/lab/token-calls";

/** How big a soak is, and how hard. */
export interface SoakOptions {
  readonly payments: number;
  readonly payers: number;
  /** Facilitators that share the database and the relayer wallets. */
  readonly processes: number;
  readonly relayers: number;
  /** Payments that are asked for at the same time. */
  readonly inFlight: number;
  /** Time between two kills; 0 for none. */
  readonly killEveryMs: number;
  /** One in so many kills freezes the process instead, for longer than a lease; 0 for none. */
  readonly freezeOneIn: number;
  readonly seed: number;
  /** Folder for what the processes log; they say little without one. */
  readonly logs?: string;
}

/**
 * How a seller settles: waiting for the outcome, being told at once and asking later, or the same on
 * the public face with an API key.
 */
export type Manner = "sync" | "async" | "public";

/** One payment of a soak. */
export interface SoakPayment extends SignedPayment {
  readonly index: number;
  readonly manner: Manner;
  /** Sellers who present it at the same moment, each to another process: a race for its claim. */
  readonly callers: number;
}

/** Base units of the smallest and the largest payment: two cents at most. */
const unitsMin = 1;
const unitsMax = 20_000;

/** Of a hundred payments, how many are raced for, and by how many sellers. */
const racedPercent = 20;
const racers = 3;

/** Longer than any soak. */
const validSeconds = 24n * 3_600n;

/** Draws and signs all payments. Throws when a payer could not pay them. */
export function drawPayments(devnet: Devnet, options: SoakOptions): SoakPayment[] {
  const random = createSeededRandom(options.seed, "soak");
  const payees = payeesOf(devnet);
  const owed = new Map<Address, bigint>();
  return Array.from({ length: options.payments }, (_, index) => {
    // Everybody pays at least once, as far as payments go round.
    const which = index < options.payers ? index : random.whole(0, options.payers - 1);
    const payer = devnet.buyers[which];
    if (!payer) throw new Error(`The devnet has no buyer ${which}`);
    const authorization = {
      from: payer.address,
      to: random.pick(payees),
      value: BigInt(random.whole(unitsMin, unitsMax)),
      validAfter: 0n,
      validBefore: BigInt(Math.floor(Date.now() / 1000)) + validSeconds,
      nonce: nonceOf(index),
    };
    const spent = (owed.get(payer.address) ?? 0n) + authorization.value;
    if (spent > buyerUnits) throw new Error("A payer has not enough for so many payments");
    owed.set(payer.address, spent);
    return {
      ...signAuthorization(devnet.chainId, authorization, payer.privateKey),
      index,
      manner: random.pick(["sync", "async", "public"] as const),
      callers: random.chance(racedPercent) ? racers : 1,
    };
  });
}

/** Who is paid: two, so that money that reaches the wrong one is seen. */
export function payeesOf({ seller, treasury }: Devnet): readonly Address[] {
  return [seller.address, treasury.address];
}

/** The same nonce for several payers would be allowed; one for each payment names it in a log. */
function nonceOf(index: number): Hex {
  return `0x${(index + 1).toString(16).padStart(64, "0")}`;
}
