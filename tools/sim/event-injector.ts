/** Starts the payments of a plan, injects its events, and ends all faults after the last block. */
import type { Address } from "@farthing/protocol";
import { gasPriceMin } from "./chain-prices.ts";
import type { SimEnvironment } from "./environment.ts";
import { createContractEvents } from "./contract-payers.ts";
import { createMachineEvents } from "./machine-events.ts";
import type { Event, PlannedPayment } from "./plan.ts";
import { hashOf, signOrder } from "./raw-transaction.ts";
import { createSeededRandom } from "./seeded-random.ts";
import { createTokenEvents, sink } from "./token-events.ts";

/** The payments and events of a run. */
export interface EventInjector {
  /** Starts the payments and events of a block; false when no block is to be made. */
  injectAt(block: number): Promise<boolean>;
  /** Ends all faults. */
  heal(): Promise<void>;
  /** Whether every caller has its response. */
  isDone(): boolean;
}

/** Balance of a full relayer wallet, in wei. */
const fullWei = 100n * 10n ** 18n;

const weiPerGwei = 1e9;
const weiOf = (gwei: number) => BigInt(Math.round(gwei * weiPerGwei));

/** Payments and events start within so many milliseconds of a block. */
const maxDelayMs = 1_900;

/** Of a hundred nodes, those that learn of a reorganisation late, by so many blocks at most. */
const lateNodePercent = 35;
const maxLateBlocks = 2;

/** Prepares the events of a run. */
export function createEventInjector(environment: SimEnvironment): EventInjector {
  const { plan, clock, trace, devnet, world, nodes, callers, payerWallets } = environment;
  const random = createSeededRandom(plan.seed, "moments");
  const reorgRandom = createSeededRandom(plan.seed, "reorg");
  const playing = new Set<Promise<void>>();
  const tokenEvents = createTokenEvents(environment);
  const machineEvents = createMachineEvents(environment);
  const contractEvents = createContractEvents(devnet, world, environment.contracts);

  function begin(planned: PlannedPayment): void {
    const payment = payerWallets.sign(planned);
    const delayMs = random.whole(0, maxDelayMs);
    const calls = clock.sleep(delayMs).then(() => callers.play(planned, payment));
    playAside(planned.index, calls);
  }

  function playAside(payment: number, calls: Promise<void>): void {
    const played = calls
      .catch((error: unknown) => trace.note(`payment ${payment}: ${String(error)}`))
      .finally(() => playing.delete(played));
    playing.add(played);
  }

  async function inject(event: Event): Promise<void> {
    trace.note(`event: ${JSON.stringify(event)}`);
    switch (event.what) {
      case "reorganise":
        return reorganise(event);
      case "empty-wallet":
        return world.fund(relayer(event.relayer), 0n);
      case "fill-wallet":
        return world.fund(relayer(event.relayer), fullWei);
      case "wallet-used":
        return useWallet(environment, event.relayer);
      case "gas-price":
        return world.setPrice(weiOf(event.gwei));
      case "gas-step":
        return world.stepBaseFee(weiOf(event.gwei));
      case "refund":
        return playAside(event.payment, environment.refunds.give(event));
      case "drain":
      case "refill":
      case "blacklist":
      case "unblacklist":
      case "pause":
      case "unpause":
      case "wallet-refuses":
      case "wallet-accepts":
      case "cancel":
      case "front-run":
        return tokenEvents.inject(event);
      case "harm":
      case "no-harm":
      case "code-placed":
      case "code-removed":
      case "wallet-deployed":
        return contractEvents.inject(event);
      default:
        return machineEvents.inject(event);
    }
  }

  function relayer(index: number): Address {
    return devnet.relayers[index]?.address ?? sink;
  }

  async function reorganise(event: Extract<Event, { what: "reorganise" }>): Promise<void> {
    const { depth, keep } = event;
    const replaced = await world.reorganise({ depth, keep, random: reorgRandom });
    for (const node of nodes) {
      if (reorgRandom.chance(lateNodePercent))
        node.believe(replaced, world.head() + reorgRandom.whole(1, maxLateBlocks));
    }
  }

  return {
    async injectAt(block) {
      for (const planned of plan.payments) if (planned.block === block) begin(planned);
      const now = plan.events.filter((event) => event.block === block);
      for (const event of now) {
        await clock.sleep(random.whole(0, maxDelayMs));
        await inject(event);
      }
      return !now.some(({ what }) => what === "no-block");
    },
    async heal() {
      await machineEvents.heal();
      environment.nodeConditions.pool = { late: 0, dropped: 0, kept: 0 };
      world.release();
      world.setPrice(gasPriceMin);
      for (const { address } of devnet.relayers) await world.fund(address, fullWei);
      tokenEvents.heal();
      await contractEvents.heal();
      await machineEvents.startAll();
      trace.note("all faults are over");
    },
    isDone: () => playing.size === 0,
  };
}

/** Sends a transaction from the wallet as another program with its key would. */
async function useWallet(
  { devnet, nodes, world, foreign }: SimEnvironment,
  index: number,
): Promise<void> {
  const wallet = devnet.relayers[index];
  const [node] = nodes;
  if (!wallet || !node) return;
  const ask = (method: string, params: unknown[]) => node.answer({ id: 0, method, params }, 0);
  const count = await ask("eth_getTransactionCount", [wallet.address, "pending"]);
  if (!("result" in count)) return;
  const nonce = Number(count.result);
  const order = { to: sink, data: "0x", gasPrice: world.priceAt(world.head()) } as const;
  const { privateKey } = wallet;
  const raw = signOrder(order, { privateKey, nonce, chainId: devnet.chainId });
  foreign.add(hashOf(raw));
  await ask("eth_sendRawTransaction", [raw]);
}
