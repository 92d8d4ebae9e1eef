/** Makes the plan's events happen, and puts everything right again at the end. */
import { feeCapDefault } from "@farthing/lab/ordinary-node";
import type { Address, Hex } from "@farthing/protocol";
import { gasPriceMin } from "./chain-world.ts";
import type { NodeRules } from "./node-view.ts";
import type { Event, PlannedPayment } from "./plan.ts";
import { hashOf, signOrder } from "./raw-transaction.ts";
import { createSeededRandom } from "./seeded-random.ts";
import type { SimEnvironment } from "./environment.ts";
import { calls, signCancellation } from "./token-calls.ts";

/** What happens in a run. */
export interface EventInjector {
  /** Lets a block's payments and events begin; false when no block is to be made. */
  at(block: number): Promise<boolean>;
  /** Ends all faults. */
  heal(): Promise<void>;
  /** A question: has everybody who asked an answer? */
  done(): () => boolean;
}

/** In a block: 1,000 gwei go ahead of every relayer, a wei less than XDC's least behind them. */
const aheadPrice = 1_000_000_000_000n;
const behindPrice = 12_500_000_000n - 1n;

/** Where drained money goes. */
const sink: Address = "0x000000000000000000000000000000000000dEaD";

/** What a drained payer keeps, and what a refilled one gets, in base units. */
const leftUnits = 500n;
const refillUnits = 500_000_000n;

/** What a full relayer wallet holds, in wei. */
const fullWei = 100n * 10n ** 18n;

/** Wei of a gwei, and of a thousandth of an XDC. */
const gwei = 1e9;
const milliXdc = 10n ** 15n;

/** Within a block's period, when payments begin, in milliseconds. */
const momentMsMax = 1_900;

/** Nodes that hear of a reorganisation late, of a hundred, and by how many blocks at most. */
const lateNodePercent = 35;
const maxLateBlocks = 2;

/** What befalls processes and nodes, and not the token. */
type OfMachines = Extract<
  Event,
  {
    what:
      | "no-block"
      | "kill"
      | "stop"
      | "start"
      | "hand-over"
      | "down"
      | "up"
      | "node-restart"
      | "lag"
      | "fee-cap"
      | "pool-full"
      | "pool-free";
  }
>;

/** Prepares the events of a stage. */
export function createEventInjector(environment: SimEnvironment): EventInjector {
  const { plan, clock, trace, devnet, world, nodes, transports, processes, callers, payerWallets } =
    environment;
  const { observedFaults } = environment;
  const random = createSeededRandom(plan.seed, "moments");
  const reorgRandom = createSeededRandom(plan.seed, "reorg");
  const playing = new Set<Promise<void>>();
  const issuer = devnet.treasury.privateKey;

  function begin(planned: PlannedPayment): void {
    const payment = payerWallets.sign(planned);
    const moment = random.whole(0, momentMsMax);
    const played = clock
      .sleep(moment)
      .then(() => callers.play(planned, payment))
      .catch((error: unknown) => trace.note(`payment ${planned.index}: ${String(error)}`))
      .finally(() => playing.delete(played));
    playing.add(played);
  }

  /** The token's test controls are open to everybody. */
  function order(data: Hex, privateKey = issuer, gasPrice = aheadPrice): void {
    world.order({ to: devnet.token, data, gasPrice }, privateKey);
  }

  async function drain(index: number): Promise<void> {
    const { address, privateKey } = payerWallets.buyer(index);
    const held = await devnet.usdc.balanceOf(address);
    if (held > leftUnits) order(calls.transfer(sink, held - leftUnits), privateKey);
  }

  function meddle(event: Extract<Event, { what: "cancel" | "front-run" }>): void {
    const payment = payerWallets.signed.get(event.payment);
    if (!payment) return;
    const { authorization, signature } = payment;
    const gasPrice = event.isAhead ? aheadPrice : behindPrice;
    if (event.what === "front-run") {
      return order(calls.settle(authorization, signature), issuer, gasPrice);
    }
    const { from: authorizer, nonce } = authorization;
    const key = payerWallets.keyOf(event.payment);
    const consent = signCancellation(devnet.chainId, { authorizer, nonce }, key);
    order(calls.cancel(authorizer, nonce, consent), issuer, gasPrice);
  }

  function walletMode(mode: "refuse" | "owner-signed"): void {
    const { address } = devnet.smartWallet;
    world.order({ to: address, data: calls.walletMode(mode), gasPrice: aheadPrice }, issuer);
  }

  function relayer(index: number): Address {
    return devnet.relayers[index]?.address ?? sink;
  }

  async function inject(event: Event): Promise<void> {
    trace.note(`event: ${JSON.stringify(event)}`);
    switch (event.what) {
      case "drain":
        return drain(event.buyer);
      case "refill":
        return order(calls.mint(payerWallets.buyer(event.buyer).address, refillUnits));
      case "blacklist":
        return order(calls.blacklist(payerWallets.buyer(event.buyer).address));
      case "unblacklist":
        return order(calls.unBlacklist(payerWallets.buyer(event.buyer).address));
      case "pause":
        return order(calls.pause());
      case "unpause":
        return order(calls.unpause());
      case "wallet-refuses":
        return walletMode("refuse");
      case "wallet-accepts":
        return walletMode("owner-signed");
      case "cancel":
      case "front-run":
        return meddle(event);
      case "reorganise":
        return reorganise(event);
      case "empty-wallet":
        return world.fund(relayer(event.relayer), 0n);
      case "fill-wallet":
        return world.fund(relayer(event.relayer), fullWei);
      case "wallet-used":
        return useWallet(event.relayer);
      case "gas-price":
        return world.setPrice(BigInt(Math.round(event.gwei * gwei)));
      default:
        return injectIntoMachines(event);
    }
  }

  /** What a person does who sends from the wallet's key with another program. */
  async function useWallet(index: number): Promise<void> {
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
    environment.foreign.add(hashOf(raw));
    await ask("eth_sendRawTransaction", [raw]);
  }

  async function reorganise(event: Extract<Event, { what: "reorganise" }>): Promise<void> {
    const { depth, keep } = event;
    const gone = await world.reorganise({ depth, keep, random: reorgRandom });
    for (const node of nodes) {
      if (reorgRandom.chance(lateNodePercent))
        node.believe(gone, world.head() + reorgRandom.whole(1, maxLateBlocks));
    }
  }

  async function injectIntoMachines(event: OfMachines): Promise<void> {
    switch (event.what) {
      case "kill":
        return aside(processes[event.process]?.kill());
      case "stop":
        return aside(processes[event.process]?.stop());
      case "start":
        for (const one of processes) aside(one.start());
        return;
      case "hand-over":
        return aside(processes[event.process]?.handOver());
      case "fee-cap":
        return setRules(event.node, { feeCapWei: BigInt(event.milliXdc) * milliXdc });
      case "pool-full":
      case "pool-free":
        return setRules(event.node, { isFull: event.what === "pool-full" });
      case "down":
      case "up":
        return setDown(event.node, event.what === "down");
      case "node-restart":
        return nodes[event.node]?.restart();
      case "lag":
        return setLag(event.node, event.blocks);
      case "no-block":
        return observedFaults.note("outage: no block");
      default:
        return event satisfies never;
    }
  }

  /** Blocks go on meanwhile: a stop in order answers its callers first, a start may fail often. */
  function aside(step: Promise<void> | undefined): void {
    step?.catch((error: unknown) => trace.note(String(error)));
  }

  function setDown(index: number, isDown: boolean): void {
    const transport = transports[index];
    if (transport) transport.isDown = isDown;
  }

  function setRules(index: number, rules: Partial<NodeRules>): void {
    Object.assign(nodes[index]?.rules ?? {}, rules);
  }

  function setLag(index: number, blocks: number): void {
    const node = nodes[index];
    if (node) node.lag = blocks;
  }

  async function healToken(): Promise<void> {
    order(calls.unpause());
    for (const { address } of devnet.buyers) {
      order(calls.unBlacklist(address));
      order(calls.mint(address, refillUnits));
    }
    walletMode("owner-signed");
  }

  return {
    async at(block) {
      for (const planned of plan.payments) if (planned.block === block) begin(planned);
      const now = plan.events.filter((event) => event.block === block);
      for (const event of now) {
        await clock.sleep(random.whole(0, momentMsMax));
        await inject(event);
      }
      return !now.some(({ what }) => what === "no-block");
    },
    async heal() {
      for (const transport of transports) {
        transport.faultPercent = 0;
        transport.ordinary.conditions = {};
      }
      environment.nodeConditions.pool = { late: 0, dropped: 0, kept: 0 };
      world.release();
      world.setPrice(gasPriceMin);
      for (const { index } of nodes) {
        setDown(index, false);
        setLag(index, 0);
        setRules(index, { feeCapWei: feeCapDefault, isFull: false });
      }
      for (const { address } of devnet.relayers) await world.fund(address, fullWei);
      await healToken();
      await Promise.all(processes.map((one) => one.start()));
      trace.note("all faults are over");
    },
    done: () => () => playing.size === 0,
  };
}
