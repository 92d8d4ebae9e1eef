/** The wallets of the payers: they sign each planned payment when it is due, and keep it. */
import { buyerUnits, type Devnet, type DevnetWallet } from "@farthing/devnet";
import type { Clock } from "@farthing/facilitator";
import type { Hex } from "@farthing/protocol";
import { payerByKey, type ContractPayers, type Payer } from "./contract-payers.ts";
import type { Plan, PlannedPayment } from "./plan.ts";
import type { SignedPayment } from "@farthing/lab/token-calls";

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

export interface PayerWalletsDeps {
  readonly plan: Plan;
  readonly devnet: Devnet;
  readonly clock: Clock;
  /** Undefined in a run without any. */
  readonly contracts: ContractPayers | undefined;
}

export function createPayerWallets(deps: PayerWalletsDeps): PayerWallets {
  const { plan, devnet, clock, contracts } = deps;
  const signed = new Map<number, SignedPayment>();
  const keys = new Map<number, Hex>();

  function buyer(index: number): DevnetWallet {
    const wallet = devnet.buyers[index % plan.buyers];
    if (!wallet) throw new Error("a devnet has buyers");
    return wallet;
  }

  function sign(planned: PlannedPayment): SignedPayment {
    const { index, units, validFor, beginsIn } = planned;
    const payer = payerOf(planned);
    const now = BigInt(Math.floor(clock.nowMs() / 1000));
    const authorization = {
      from: payer.address,
      to: devnet.seller.address,
      value: BigInt(Math.min(units, Number(buyerUnits))),
      validAfter: now + BigInt(beginsIn),
      validBefore: now + BigInt(validFor),
      nonce: nonceOf(plan.seed, index),
    };
    const payment = payer.sign(authorization);
    signed.set(index, payment);
    keys.set(index, payer.privateKey);
    return payment;
  }

  function payerOf({ buyer: index, contract }: PlannedPayment): Payer {
    if (contract !== undefined) {
      const payer = contracts?.payers[contract][index ?? 0];
      if (!payer) throw new Error(`the run has no payer ${contract} ${index}`);
      return payer;
    }
    const { address, owner } = devnet.smartWallet;
    if (index === undefined) return payerByKey(devnet, { ...owner, address });
    return payerByKey(devnet, buyer(index));
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
