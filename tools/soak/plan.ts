/**
 * What a soak asks for: who pays whom what, in which of the ways that sellers settle. Drawn from the
 * seed; when what happens is the machine's matter.
 */
import { buyerUnits, type Devnet } from "@farthing/devnet";
import { networkOfChain, refundNonce, type Address, type Hex } from "@farthing/protocol";
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
  /**
   * Times that the database's primary is killed and its standby, which lacks the last commits, takes
   * over; 0 for a database without a standby.
   */
  readonly failOvers: number;
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
  /** Of a refund: the index of the payment that it gives back. */
  readonly refundOf?: number;
}

/** A payment that its payee gives back once it is final. */
export interface GivenBack {
  readonly payment: SoakPayment;
  /** All of it, in the order of the ordinals. */
  readonly parts: readonly SoakPayment[];
  /** Would give all of it back once more; it is refused, and moves nothing. */
  readonly excess: SoakPayment;
}

/** Base units of the smallest and the largest payment: two cents at most. */
const unitsMin = 1;
const unitsMax = 20_000;

/** Of a hundred payments, how many are raced for, and by how many sellers. */
const racedPercent = 20;
const racers = 3;

/**
 * Of the first third of the payments, which ones are given back: they are final, and the refunds too,
 * while the others are still being paid.
 */
const givenBackShare = 3;
const givenBackOneIn = 20;

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

/** Draws and signs the refunds; their indexes follow those of the payments. */
export function drawRefunds(devnet: Devnet, payments: readonly SoakPayment[]): GivenBack[] {
  const chosen = payments.filter(
    ({ index }) => index < payments.length / givenBackShare && index % givenBackOneIn === 0,
  );
  let index = payments.length;
  return chosen.map((payment) => {
    const { value } = payment.authorization;
    const half = value / 2n;
    const units = half === 0n ? [value] : [half, value - half];
    const parts = units.map((part, ordinal) => {
      return { ...refundOf(devnet, payment, ordinal, part), index: index++ };
    });
    return { payment, parts, excess: { ...refundOf(devnet, payment, 1, value), index: -1 } };
  });
}

function refundOf(
  devnet: Devnet,
  { index, authorization }: SoakPayment,
  ordinal: number,
  value: bigint,
): Omit<SoakPayment, "index"> {
  const { chainId } = devnet;
  const { from: payer, to: payee, nonce } = authorization;
  const payeeWallet = [devnet.seller, devnet.treasury].find(({ address }) => address === payee);
  if (!payeeWallet) throw new Error(`${payee} is no payee of this devnet`);
  const refund = { chainId, asset: networkOfChain(chainId).usdc, payer, nonce };
  const back = { from: payee, to: payer, value, nonce: refundNonce(refund, ordinal) };
  return {
    ...signAuthorization(chainId, { ...authorization, ...back }, payeeWallet.privateKey),
    manner: "public",
    // The first part is raced for, as some payments are.
    callers: ordinal === 0 ? racers : 1,
    refundOf: index,
  };
}

/** Who is paid: two, so that money that reaches the wrong one is seen. */
export function payeesOf({ seller, treasury }: Devnet): readonly Address[] {
  return [seller.address, treasury.address];
}

/** The same nonce for several payers would be allowed; one for each payment names it in a log. */
function nonceOf(index: number): Hex {
  return `0x${(index + 1).toString(16).padStart(64, "0")}`;
}
