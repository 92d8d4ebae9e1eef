/** The wallets of the payers: they sign each planned payment when it is due, and keep it. */
import { buyerUnits, type Devnet, type DevnetWallet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import type { Address, Hex } from "@farthing/protocol";
import type { Plan, PlannedPayment } from "./plan.ts";
import { signAuthorization, type SignedPayment } from "@farthing/lab/token-calls";

/** The payers of a run. */
export interface PayerWallets {
  readonly signed: ReadonlyMap<number, SignedPayment>;
  sign(planned: PlannedPayment): SignedPayment;
  /** A small valid payment. */
  probe(index: number): SignedPayment;
  keyOf(index: number): Hex;
  buyer(index: number): DevnetWallet;
}

/** Amount of a probe in base units: small, since payers may be nearly empty. */
const probeUnits = 7;
const probeSeconds = 3_600;

export function createPayerWallets(plan: Plan, devnet: Devnet, clock: Clock): PayerWallets {
  const signed = new Map<number, SignedPayment>();
  const keys = new Map<number, Hex>();

  function buyer(index: number): DevnetWallet {
    const wallet = devnet.buyers[index % devnet.buyers.length];
    if (!wallet) throw new Error("a devnet has buyers");
    return wallet;
  }

  function sign(planned: PlannedPayment): SignedPayment {
    const { index, units, validFor, beginsIn } = planned;
    const payer = payerOf(planned.buyer);
    const now = BigInt(Math.floor(clock.nowMs() / 1000));
    const authorization = {
      from: payer.from,
      to: devnet.seller.address,
      value: BigInt(Math.min(units, Number(buyerUnits))),
      validAfter: now + BigInt(beginsIn),
      validBefore: now + BigInt(validFor),
      nonce: nonceOf(plan.seed, index),
    };
    const payment = signAuthorization(devnet.chainId, authorization, payer.privateKey);
    signed.set(index, payment);
    keys.set(index, payer.privateKey);
    return payment;
  }

  function payerOf(index: number | undefined): { from: Address; privateKey: Hex } {
    if (index === undefined) {
      const { address, owner } = devnet.smartWallet;
      return { from: address, privateKey: owner.privateKey };
    }
    const { address, privateKey } = buyer(index);
    return { from: address, privateKey };
  }

  return {
    signed,
    sign,
    buyer,
    probe: (index) => sign({ ...small, index, buyer: index }),
    keyOf: (index) => keys.get(index) ?? "0x",
  };
}

const small: Omit<PlannedPayment, "index" | "buyer"> = {
  block: 0,
  units: probeUnits,
  validFor: probeSeconds,
  beginsIn: -600,
  isVerified: false,
  asks: [],
  isWatched: false,
};

/** The nonce of a payment, which is the same in every replay of a seed. */
function nonceOf(seed: number, index: number): Hex {
  return `0x${((BigInt(seed) << 32n) + BigInt(index + 1)).toString(16).padStart(64, "0")}`;
}
