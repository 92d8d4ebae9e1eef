/**
 * Plays channels in one process: sellers, vault, claimer and calls of the contract are the packages' own,
 * the chain is a devnet, and everything else is drawn from the seed. Then audits the chain.
 */
import { startDevnet, type Devnet } from "@farthing/devnet";
import { readChannelLedger, type Violation } from "@farthing/lab/audit";
import type { Hex } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import type { DatabaseKind } from "../databases.ts";
import { createSeededRandom, type SeededRandom } from "../seeded-random.ts";
import { auditRun } from "./audit-run.ts";
import { createChannelChain } from "./channel-chain.ts";
import { createFaults } from "./channel-faults.ts";
import {
  startParties,
  withdrawDelay,
  type ChannelParties,
  type PartiesDeps,
} from "./channel-parties.ts";
import { callsMs, withdrawMs, type ChannelEvent, type ChannelPlan } from "./channel-plan.ts";
import type { DrawEnd } from "./mortal.ts";
import { createServiceChain } from "./service-chain.ts";
import { startFacilitatorLife } from "./sim-facilitator.ts";
import { createServices } from "./service-lives.ts";
import type { SimBuyer } from "./sim-buyer.ts";
import { createSteppingClock } from "./stepping-clock.ts";
import { vaultDatabases, type OpenVaultDatabase } from "./vault-databases.ts";

export interface ChannelRun {
  readonly plan: ChannelPlan;
  readonly violations: readonly Violation[];
  readonly trace: readonly string[];
  readonly delivered: bigint;
  readonly claimed: bigint;
  readonly deaths: number;
  readonly ms: number;
}

/** A chain for one run after the other. */
export interface ChannelStage {
  readonly devnet: Devnet;
  readonly openDatabase: OpenVaultDatabase;
  /** Whether the facilitator is the whole service, with its relayer. */
  readonly isService: boolean;
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function openChannelStage(
  kind: DatabaseKind = "sqlite",
  isService = false,
): Promise<ChannelStage> {
  await using opening = new AsyncDisposableStack();
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 5, relayers: 1 });
  opening.defer(() => devnet.stop());
  await devnet.rpc("evm_setAutomine", [false]);
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  let snapshot = await devnet.rpc<Hex>("evm_snapshot");
  const openDatabase = await vaultDatabases(kind, opening);
  const stack = opening.move();
  return {
    devnet,
    openDatabase,
    isService,
    async reset() {
      await devnet.rpc("evm_revert", [snapshot]);
      snapshot = await devnet.rpc<Hex>("evm_snapshot");
    },
    stop: () => stack.disposeAsync(),
  };
}

const delayMs = withdrawDelay * 1_000;

/** Twice XDC's block period, and a longer one while nothing but time has to pass. */
const blockMs = 4_000;
const slowBlockMs = 10_000;

/** After this, and half of the delay, everything is claimed: looks, a call's wait, a crash's lease. */
const claimMarginMs = 180_000;

export async function playChannels(
  plan: ChannelPlan,
  { devnet, reset, openDatabase, isService }: ChannelStage,
): Promise<ChannelRun> {
  const startedAt = performance.now();
  await using stack = new AsyncDisposableStack();
  await reset();
  const { timestamp } = await devnet.rpc<{ timestamp: Hex }>("eth_getBlockByNumber", [
    "latest",
    false,
  ]);
  const clock = createSteppingClock((Number(timestamp) + 2) * 1_000);
  const trace: string[] = [];
  const beganMs = clock.nowMs();
  const note = (text: string) =>
    void trace.push(`${((clock.nowMs() - beganMs) / 1_000).toFixed(2)} ${text}`);
  const random = createSeededRandom(plan.seed, "chain");
  const database = await openDatabase(stack);
  const faults = createFaults(plan, note);
  const drawEnd = faults.drawEnd("facilitator");
  const base = { plan, devnet, clock, note, database, faults };
  const running = startParties(
    isService
      ? await withService({ ...base, random, drawEnd }, stack)
      : await withParts({ ...base, random, drawEnd }),
    stack,
  );
  const blocks = makeBlocks(running);
  for (const event of plan.events) {
    await clock.pass(Math.max(0, beganMs + event.atMs - clock.nowMs()));
    void inject(running, event).catch((error: unknown) => note(`failed: ${String(error)}`));
  }
  await clock.pass(Math.max(0, beganMs + callsMs - clock.nowMs()));
  running.endFaults();
  note("all faults are over");
  // Longer than the delay of any withdrawal, and of one that is finished late.
  await clock.pass(2 * delayMs + claimMarginMs);
  blocks.stop();
  await clock.pass(slowBlockMs);
  running.kill();
  const receivers = [devnet.seller, ...(running.liar ? [running.liar.wallet] : [])];
  const ledger = await readChannelLedger(
    devnet,
    receivers.map(({ address }) => address),
  );
  const delivered = running.buyers.map(({ counted }) => counted().delivered);
  return {
    plan,
    violations: auditRun(running, ledger),
    trace,
    delivered: sum(delivered),
    claimed: sum(ledger.accounts.map(({ claimed }) => claimed)),
    deaths: running.deaths(),
    ms: performance.now() - startedAt,
  };
}

interface Base extends Omit<PartiesDeps, "chain" | "startFacilitator"> {
  readonly random: SeededRandom;
  readonly drawEnd: DrawEnd;
}

/** The service's own parts of channels, on a simpler chain. */
async function withParts(base: Base): Promise<PartiesDeps> {
  const chain = await createChannelChain(base);
  const { store } = base.database;
  return {
    ...base,
    chain,
    startFacilitator: () => startFacilitatorLife({ ...base, chain, store }),
  };
}

/** The whole service, with its relayer. */
async function withService(base: Base, stack: AsyncDisposableStack): Promise<PartiesDeps> {
  const chain = await createServiceChain(base);
  // The seller, and one that may lie.
  const accounts = [base.devnet.seller, ...base.devnet.buyers].map(({ address }) => address);
  return {
    ...base,
    chain,
    startFacilitator: await createServices(accounts, { ...base, chain }, stack),
  };
}

function sum(units: readonly bigint[]): bigint {
  return units.reduce((all, one) => all + one, 0n);
}

function makeBlocks({ clock, chain, isHealed }: ChannelParties) {
  const stopping = new AbortController();
  const make = async () => {
    while (!stopping.signal.aborted) {
      await clock.sleep(isHealed() ? slowBlockMs : blockMs);
      await chain.mine();
    }
  };
  void make();
  return { stop: () => stopping.abort() };
}

async function inject(running: ChannelParties, event: ChannelEvent): Promise<void> {
  const { chain, buyers, shops, note } = running;
  const buyer = "buyer" in event ? buyers[event.buyer] : undefined;
  switch (event.what) {
    case "call": {
      const order = [shops[event.shop], ...shops].flatMap((shop) => shop ?? []);
      const told = await buyer?.call(order, event.manner, BigInt(event.cost));
      return note(`buyer ${event.buyer} ${event.manner} at shop ${event.shop}: ${told}`);
    }
    case "call at the liar": {
      const shop = running.liar?.shop();
      const told = await running.liar?.buyer.call(shop ? [shop] : [], "honest", BigInt(event.cost));
      return note(`buyer of the liar: ${told}`);
    }
    case "withdraw":
      return withdraw(running, buyer, event.isLate);
    case "reorganise":
      note(`reorganisation of ${event.depth}`);
      return chain.reorganise(event.depth);
    case "dear":
    case "cheap":
      chain.isDear = event.what === "dear" && !running.isHealed();
      return note(`gas is ${event.what}`);
    case "lag":
      Object.assign(chain, { lag: event.blocks, lateBlocksMax: 2 * event.blocks });
      return note(`lag ${event.blocks}`);
    case "gone":
      note("the shops are gone");
      return running.goneForGood();
    case "claim": {
      const told = await shops[0]?.channels.claim();
      return note(
        `claims: ${told?.claims.map(({ outcome, units }) => `${outcome} ${units}`).join(", ")}`,
      );
    }
    case "refund": {
      const told = await shops[0]?.channels.refund(buyer?.channelId ?? "");
      return note(`refund: ${told?.outcome}`);
    }
    case "copy":
      return running.lostCommits.copy(event.database);
    case "lose":
      note(`the ${event.database} lose commits`);
      return running.lostCommits.lose(event.database);
    default:
      return event satisfies never;
  }
}

/** All that is not claimed, finished in the first moment that the contract allows, or much later. */
async function withdraw(
  { clock, chain, note }: ChannelParties,
  buyer: SimBuyer | undefined,
  isLate: boolean,
): Promise<void> {
  if (!buyer) return;
  const { config, channelId } = buyer;
  const state = await chain.stateOf(channelId);
  if (state.balance === state.totalClaimed) return;
  const amount = state.balance - state.totalClaimed;
  note(`${config.payer} withdraws ${amount}`);
  chain.sendBy(config.payer, channelCalls.initiateWithdraw(config, amount));
  await clock.sleep(withdrawMs + (isLate ? delayMs / 2 : 0));
  note(`${config.payer} finishes the withdrawal`);
  // The first may be a moment early.
  for (let tries = 0; tries < 3; tries++) {
    chain.sendBy(config.payer, channelCalls.finalizeWithdraw(config));
    await clock.sleep(slowBlockMs);
  }
}
