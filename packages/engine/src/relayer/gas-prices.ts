/**
 * The price of gas on one network. It follows the chain within bounds of the operator, because the
 * base fee of XDC is no constant: a release can multiply it between two blocks. While it is above the
 * bounds, nothing is claimed and nothing is sent.
 */
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/fault.ts";
import type { Runtime } from "../base/log.ts";
import type { Chain } from "../chain/endpoints/chain.ts";
import type { ChainFacts } from "../chain/follower/chain-view.ts";
import { readPricesTwice, type EndpointPrices } from "../chain/reads/endpoint-prices.ts";
import { formatEther, formatGwei } from "../base/ether.ts";
import type { TransactionPlan } from "../model/relayer-transaction.ts";
import {
  contractTransferGasMax,
  gasPriceFloorWei,
  gasPriceOf,
  neededPrice,
  supportedBy,
} from "./fees.ts";

/** What may be paid for gas, in wei. */
export interface GasLimits {
  /** The operator's own ceiling for a unit of gas; undefined where the price follows the chain. */
  readonly gasPriceMaxWei: bigint | undefined;
  /** The most that one payment may cost. */
  readonly gasPerPaymentMaxWei: bigint;
  /** The most that a day may cost above a price that two endpoints report. */
  readonly gasAbovePerDayMaxWei: bigint;
}

const weiPerXdc = 10n ** 18n;

export const defaultGasLimits: GasLimits = {
  gasPriceMaxWei: undefined,
  // A contract wallet's payment of 400,000 gas costs 0.25 XDC at 625 gwei; twice that has room for
  // replacements.
  gasPerPaymentMaxWei: weiPerXdc / 2n,
  // Some ten thousand payments at 625 gwei where one endpoint alone reports the price.
  gasAbovePerDayMaxWei: 1_000n * weiPerXdc,
};

/** The ceiling of the price of a unit of gas: the operator's, or what the largest payment may cost. */
export function ceilingOf({ gasPriceMaxWei, gasPerPaymentMaxWei }: GasLimits): bigint {
  return gasPriceMaxWei ?? gasPerPaymentMaxWei / contractTransferGasMax;
}

export interface GasPricesDeps extends Runtime {
  readonly chain: Chain;
  readonly limits: GasLimits;
  facts(): ChainFacts | undefined;
}

const hourMs = 60 * 60 * 1000;
const hoursPerDay = 24;

/** Between two questions about a price that no other endpoint has reported: two a minute, also at rest. */
const corroborationPauseMs = 30_000;

export class GasPrices {
  readonly #deps: GasPricesDeps;
  readonly #ceiling: bigint;
  /** The highest price that two endpoints have reported. With one endpoint it stays at the floor. */
  #corroborated = gasPriceFloorWei;
  #askedAtMs = Number.NEGATIVE_INFINITY;
  /** Spent above the corroborated price, by hour. One process counts, from its start on. */
  readonly #above = new Map<number, bigint>();
  #wasTooHigh = false;

  constructor(deps: GasPricesDeps) {
    this.#deps = deps;
    this.#ceiling = ceilingOf(deps.limits);
  }

  ceiling(): bigint {
    return this.#ceiling;
  }

  /** The price of a transaction that is signed now. */
  now(): bigint {
    return gasPriceOf(this.#deps.facts(), { floor: gasPriceFloorWei, ceiling: this.#ceiling });
  }

  /** The least that nodes accept now. */
  needed(): bigint {
    return neededPrice(this.#deps.facts());
  }

  /** Returns why nothing is sent at the present price, for the operator; undefined while it is in bounds. */
  problem(): string | undefined {
    const needed = this.needed();
    const gwei = `the gas price is ${formatGwei(needed)} gwei`;
    if (needed > this.#ceiling) {
      const { gasPriceMaxWei, gasPerPaymentMaxWei } = this.#deps.limits;
      return gasPriceMaxWei === undefined
        ? `${gwei}, at which a payment can cost more than FARTHING_GAS_PER_PAYMENT_MAX, ${formatEther(gasPerPaymentMaxWei)} XDC; raise it, or wait until the price falls`
        : `${gwei}, above FARTHING_GAS_PRICE_MAX, ${formatGwei(gasPriceMaxWei)}; raise it, or wait until the price falls`;
    }
    if (!this.#isAbove(needed) || this.#spentAbove() < this.#deps.limits.gasAbovePerDayMaxWei) {
      return undefined;
    }
    return `${gwei}, which only one RPC endpoint reports, and FARTHING_GAS_ABOVE_PER_DAY is spent; add a second endpoint, or set FARTHING_GAS_PRICE_MAX to the price that you accept`;
  }

  /** Counts what transactions that are signed now may cost above a corroborated price. */
  noteSigned(plans: readonly Pick<TransactionPlan, "gasLimit" | "gasPrice">[]): void {
    const hour = this.#hour();
    for (const { gasLimit, gasPrice } of plans) {
      if (!this.#isAbove(gasPrice)) continue;
      const spent = gasLimit * (gasPrice - this.#corroborated);
      this.#above.set(hour, (this.#above.get(hour) ?? 0n) + spent);
    }
  }

  /** Called now and then: asks another endpoint about a higher price, and logs changes. */
  look(): void {
    this.#report();
    const { clock, chain, facts } = this.#deps;
    const seen = facts();
    // A price that has fallen is no reason to believe the same rise a second time.
    const needed = this.needed();
    if (needed < this.#corroborated) this.#corroborated = needed;
    const isDue = clock.nowMs() - this.#askedAtMs >= corroborationPauseMs;
    if (!seen || !isDue || chain.endpoints.length < 2 || !this.#isAbove(needed)) return;
    this.#askedAtMs = clock.nowMs();
    void this.#corroborate(seen.head.number).catch((error: unknown) => {
      const fields = { event: "gas_price_not_corroborated", chainId: chain.network.chainId };
      this.#deps.log.warn({ ...fields, problem: messageOf(error) }, "Gas price not corroborated");
    });
  }

  async #corroborate(headNumber: number): Promise<void> {
    const { chain, log } = this.#deps;
    const prices = await readPricesTwice(chain, headNumber);
    if (!prices) return;
    const [one, other] = prices;
    const both = lower(leastOf(one), leastOf(other));
    if (both <= this.#corroborated) return;
    this.#corroborated = both;
    const fields = { event: "gas_price_risen", chainId: chain.network.chainId };
    log.warn({ ...fields, gwei: formatGwei(both) }, "Gas price risen, as two endpoints report");
  }

  /** Above a price that the operator or two endpoints vouch for. */
  #isAbove(price: bigint): boolean {
    return (
      this.#deps.limits.gasPriceMaxWei === undefined && price > supportedBy(this.#corroborated)
    );
  }

  #spentAbove(): bigint {
    const oldest = this.#hour() - hoursPerDay;
    let spent = 0n;
    for (const [hour, amount] of this.#above) {
      if (hour <= oldest) this.#above.delete(hour);
      else spent += amount;
    }
    return spent;
  }

  #report(): void {
    const problem = this.problem();
    if ((problem !== undefined) === this.#wasTooHigh) return;
    this.#wasTooHigh = problem !== undefined;
    const { log, chain } = this.#deps;
    const { chainId } = chain.network;
    if (problem === undefined) {
      log.warn({ event: "gas_price_accepted", chainId }, "Gas price within its bounds again");
    } else {
      const fields = { event: "gas_price_too_high", chainId, problem };
      log.error(fields, "Gas price above its bounds; no payment is accepted or sent");
    }
  }

  #hour(): number {
    return hourOf(this.#deps.clock);
  }
}

function hourOf(clock: Clock): number {
  return Math.floor(clock.nowMs() / hourMs);
}

function leastOf({ gasPrice, baseFee }: EndpointPrices): bigint {
  return neededPrice({ gasPrice, head: { baseFee } });
}

function lower(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}
