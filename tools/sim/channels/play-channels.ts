/**
 * Plays channels in one process: sellers, vault, claimer and calls of the contract are the packages' own,
 * the chain is a devnet, and everything else is drawn from the seed. Then audits the chain.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startDevnet, type Devnet } from "@farthing/devnet";
import { openStore } from "@farthing/facilitator";
import {
  auditChannels,
  readChannelLedger,
  type ChannelLedger,
  type ChannelUse,
  type Violation,
} from "@farthing/lab/audit";
import type { Hex } from "@farthing/protocol";
import { channelCalls } from "@farthing/protocol/channel-contract";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { createSeededRandom } from "../seeded-random.ts";
import { createChannelChain, type ChannelChain } from "./channel-chain.ts";
import { callsMs, withdrawMs, type ChannelEvent, type ChannelPlan } from "./channel-plan.ts";
import { createFaults } from "./channel-faults.ts";
import { createLostCommits } from "./lost-commits.ts";
import { copySqlite } from "../stored-copies.ts";
import { createSimBuyer, type SimBuyer } from "./sim-buyer.ts";
import { startFacilitatorLife, type FacilitatorLife } from "./sim-facilitator.ts";
import { boundUnits, startShopLife, type ShopLife } from "./sim-shop.ts";
import { createSteppingClock, type SteppingClock } from "./stepping-clock.ts";

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
  reset(): Promise<void>;
  stop(): Promise<void>;
}

export async function openChannelStage(): Promise<ChannelStage> {
  const devnet = await startDevnet({ blockTimeSeconds: 0, buyers: 3, relayers: 1 });
  await devnet.rpc("evm_setAutomine", [false]);
  await devnet.rpc("anvil_autoImpersonateAccount", [true]);
  let snapshot = await devnet.rpc<Hex>("evm_snapshot");
  return {
    devnet,
    async reset() {
      await devnet.rpc("evm_revert", [snapshot]);
      snapshot = await devnet.rpc<Hex>("evm_snapshot");
    },
    stop: () => devnet.stop(),
  };
}

/** The shortest that the contract takes: what waits too long is lost then. */
const withdrawDelay = 900;
const delayMs = withdrawDelay * 1_000;

/** Twice XDC's block period, and a longer one while nothing but time has to pass. */
const blockMs = 4_000;
const slowBlockMs = 10_000;

/** Longer than any call of a process. */
const leaseMs = 120_000;

/** After this, and half of the delay, everything is claimed: looks, a call's wait, a crash's lease. */
const claimMarginMs = 180_000;

/**
 * Records that have lost charges are behind by what the vault was not handed yet, and serve as much
 * again before the vault tells them.
 */
const callsLostPerLoss = 2;

interface Running {
  readonly plan: ChannelPlan;
  readonly clock: SteppingClock;
  readonly chain: ChannelChain;
  readonly buyers: readonly SimBuyer[];
  readonly shops: (ShopLife | undefined)[];
  readonly note: (text: string) => void;
  readonly lostCommits: ReturnType<typeof createLostCommits>;
  facilitator(): FacilitatorLife;
  endFaults(): void;
  isHealed(): boolean;
  goneForGood(): void;
  deaths(): number;
}

export async function playChannels(
  plan: ChannelPlan,
  { devnet, reset }: ChannelStage,
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
  const chain = await createChannelChain({ devnet, clock, random });
  const running = await startParties({ plan, devnet, clock, chain, note }, stack);
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
  running.facilitator().mortal.kill();
  for (const shop of running.shops) shop?.mortal.kill();
  const ledger = await readChannelLedger(devnet, [devnet.seller.address]);
  const bound = boundUnits * BigInt(1 + callsLostPerLoss * plan.recordLosses);
  const uses = running.buyers.map(({ channelId, counted }) => {
    return { channelId, bound, ...counted() };
  });
  const violations = [
    ...auditChannels(ledger, uses),
    ...auditBuyers(running.buyers),
    ...auditWork(ledger, uses),
  ];
  return {
    plan,
    violations,
    trace,
    delivered: sum(uses.map(({ delivered }) => delivered)),
    claimed: sum(ledger.accounts.map(({ claimed }) => claimed)),
    deaths: running.deaths(),
    ms: performance.now() - startedAt,
  };
}

function sum(units: readonly bigint[]): bigint {
  return units.reduce((all, one) => all + one, 0n);
}

function auditBuyers(buyers: readonly SimBuyer[]): Violation[] {
  return buyers.flatMap(({ lies }) =>
    lies.map((text) => ({ rule: "buyers are told the truth", payment: undefined, text })),
  );
}

/** What a call cost that the shop has worked on is all that may be claimed. */
function auditWork(
  { accounts }: ChannelLedger,
  uses: readonly (ChannelUse & { readonly worked: bigint })[],
): Violation[] {
  return uses.flatMap(({ channelId, worked }) => {
    const { claimed = 0n } = accounts.find((one) => one.channelId === channelId) ?? {};
    const text = `${channelId}: ${claimed} claimed, the shop worked for ${worked}`;
    const violation = { rule: "claimed is worked for", payment: undefined, text };
    return claimed > worked ? [violation] : [];
  });
}

interface Parties extends Pick<Running, "plan" | "clock" | "chain" | "note"> {
  readonly devnet: Devnet;
}

async function startParties(
  { plan, devnet, clock, chain, note }: Parties,
  stack: AsyncDisposableStack,
): Promise<Running> {
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const vaultPath = join(folder, "facilitator.db");
  const store = await openStore(`sqlite:${vaultPath}`);
  stack.defer(() => store.close());
  const path = join(folder, "shop.db");
  const records = createSqliteGrants({ path, leaseMs, now: () => clock.nowMs() });
  stack.defer(() => records.close());
  const { seller } = devnet;
  const faults = createFaults(plan, note);
  const keep = (start: () => Life, isGone: () => boolean) =>
    void keepAlive({ start, isGone, clock, pauseMs: faults.pauseMs });

  let life: FacilitatorLife;
  const startFacilitator = () => {
    life = startFacilitatorLife({
      clock,
      chain,
      store,
      seller,
      drawEnd: faults.drawEnd("facilitator"),
    });
    return life;
  };
  const shops: (ShopLife | undefined)[] = [];
  const startShop = (nth: number) => () => {
    const shop = startShopLife({
      clock,
      records,
      seller,
      withdrawDelay: `${withdrawDelay}s`,
      drawEnd: faults.drawEnd("shop"),
      drawLoss: faults.drawLoss,
      againMs: faults.againMs,
      facilitator: () => life,
    });
    shops[nth] = shop;
    return shop;
  };
  keep(startFacilitator, () => false);
  for (let nth = 0; nth < plan.shops; nth++) keep(startShop(nth), () => faults.now.areGone);
  const buyers = devnet.buyers
    .slice(0, plan.buyers)
    .map((wallet, nth) => createSimBuyer(wallet, seller, { nth, withdrawDelay }));
  const killShops = () => {
    for (const shop of shops) shop?.mortal.kill();
  };
  const lostCommits = createLostCommits({
    vault: { copy: async () => copySqlite(vaultPath), killUsers: () => life.mortal.kill() },
    records: { copy: async () => copySqlite(path), killUsers: killShops },
  });
  return {
    plan,
    clock,
    chain,
    buyers,
    shops,
    note,
    lostCommits,
    facilitator: () => life,
    isHealed: () => faults.now.isHealed,
    deaths: () => faults.now.deaths,
    endFaults() {
      faults.now.isHealed = true;
      Object.assign(chain, { lag: 0, lateBlocksMax: 0, isDear: false });
    },
    goneForGood() {
      faults.now.areGone = true;
      killShops();
    },
  };
}

interface Life {
  readonly mortal: { readonly ended: Promise<void> };
}

/** Starts a process again whenever it has died, unless it is gone for good. */
async function keepAlive(kept: {
  start(): Life;
  isGone(): boolean;
  pauseMs(): number;
  readonly clock: SteppingClock;
}): Promise<void> {
  while (!kept.isGone()) {
    await kept.start().mortal.ended;
    await kept.clock.sleep(kept.pauseMs());
  }
}

function makeBlocks({ clock, chain, isHealed }: Running) {
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

async function inject(running: Running, event: ChannelEvent): Promise<void> {
  const { chain, buyers, shops, note } = running;
  const buyer = "buyer" in event ? buyers[event.buyer] : undefined;
  switch (event.what) {
    case "call": {
      const order = [shops[event.shop], ...shops].flatMap((shop) => shop ?? []);
      const told = await buyer?.call(order, event.manner, BigInt(event.cost));
      return note(`buyer ${event.buyer} ${event.manner} at shop ${event.shop}: ${told}`);
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
  { clock, chain, note }: Running,
  buyer: SimBuyer | undefined,
  isLate: boolean,
): Promise<void> {
  if (!buyer) return;
  const { config, channelId } = buyer;
  const [state] = await chain.channels.read(51, [channelId]);
  if (!state || state.balance === state.totalClaimed) return;
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
