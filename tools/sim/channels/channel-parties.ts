/** Those who take part in a run: the facilitator, the shops and their buyers, and a seller that lies. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Devnet, DevnetWallet } from "@farthing/devnet";
import type { Hex, JsonObject } from "@farthing/protocol";
import { createMemoryGrants } from "@farthing/seller";
import { createSqliteGrants } from "@farthing/seller/sqlite";
import { checkRecordSteps } from "../../model/traces/check-record-steps.ts";
import type { Findings } from "../../model/traces/findings.ts";
import { noteRecordSteps, readRecordSteps } from "../../model/traces/stored-steps.ts";
import { createSeededRandom } from "../seeded-random.ts";
import { copySqlite, type PutBack } from "../stored-copies.ts";
import type { SimChain } from "./channel-chain.ts";
import type { createFaults } from "./channel-faults.ts";
import type { ChannelPlan } from "./channel-plan.ts";
import { createLostCommits } from "./lost-commits.ts";
import { createSimBuyer, type SimBuyer } from "./sim-buyer.ts";
import type { FacilitatorLife } from "./sim-facilitator.ts";
import { startShopLife, type ShopLife } from "./sim-shop.ts";
import type { SteppingClock } from "./stepping-clock.ts";
import type { VaultDatabase } from "./vault-databases.ts";

/** The shortest that the contract takes: what waits too long is lost then. */
export const withdrawDelay = 900;

/** Longer than any call of a process. */
const leaseMs = 120_000;

export interface ChannelParties {
  readonly plan: ChannelPlan;
  readonly clock: SteppingClock;
  readonly chain: SimChain;
  readonly note: (text: string) => void;
  readonly buyers: readonly SimBuyer[];
  /** Processes of one shop. */
  readonly shops: (ShopLife | undefined)[];
  /** Undefined in a run without one. */
  readonly liar: LiarParty | undefined;
  /** The highest total of each channel that the vault has acknowledged. */
  readonly kept: ReadonlyMap<Hex, bigint>;
  readonly lostCommits: ReturnType<typeof createLostCommits>;
  /** What the shops wrote into their records, up to each loss and until now. */
  recordSteps(): readonly Findings[];
  isHealed(): boolean;
  deaths(): number;
  endFaults(): void;
  goneForGood(): void;
  /** Ends all processes. */
  kill(): void;
}

/** A seller that lies, and its buyer. */
interface LiarParty {
  readonly wallet: DevnetWallet;
  readonly buyer: SimBuyer;
  shop(): ShopLife | undefined;
}

export interface PartiesDeps extends Pick<ChannelParties, "plan" | "clock" | "chain" | "note"> {
  readonly devnet: Devnet;
  readonly database: VaultDatabase;
  readonly faults: ReturnType<typeof createFaults>;
  startFacilitator(): FacilitatorLife;
}

export function startParties(deps: PartiesDeps, stack: AsyncDisposableStack): ChannelParties {
  const { plan, devnet, clock, chain, note, database, faults } = deps;
  const folder = mkdtempSync(join(tmpdir(), "farthing-sim-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const path = join(folder, "shop.db");
  const records = createSqliteGrants({ path, leaseMs, now: () => clock.nowMs() });
  stack.defer(() => records.close());
  noteRecordSteps(path);
  const beforeLosses: Findings[] = [];
  const readSteps = () => checkRecordSteps(readRecordSteps(path));
  const { drawLoss, againMs, pauseMs } = faults;
  const lives = startLives({ clock, pauseMs });
  const kept = new Map<Hex, bigint>();

  const facilitator = lives.keep(() => noteKept(deps.startFacilitator(), kept));
  const seen: JsonObject[] = [];
  const shopDeps = { clock, facilitator, seen, drawLoss, againMs, delay: `${withdrawDelay}s` };
  const { seller } = devnet;
  const drawEnd = faults.drawEnd("shop");
  const processes = Array.from({ length: plan.shops }, () =>
    lives.keep(
      () => startShopLife({ ...shopDeps, records, seller, drawEnd }),
      () => faults.now.areGone,
    ),
  );
  const killShops = () => {
    for (const shop of processes) shop()?.mortal.kill();
  };
  async function copyRecords(): Promise<PutBack> {
    const putBack = copySqlite(path);
    return async () => {
      beforeLosses.push(readSteps());
      await putBack();
    };
  }

  const liar = plan.faultKinds.includes("liar") ? startLiar() : undefined;

  function startLiar(): LiarParty {
    const [wallet, buyer] = devnet.buyers.slice(plan.buyers);
    if (!wallet || !buyer)
      throw new Error("The devnet has a wallet for the liar, and one for its buyer");
    const lies = createSeededRandom(plan.seed, "lies");
    const of = { records: createMemoryGrants(), seller: wallet, drawEnd: () => undefined, lies };
    const shop = lives.keep(
      () => startShopLife({ ...shopDeps, ...of }),
      () => faults.now.isHealed,
    );
    return { wallet, shop, buyer: createSimBuyer(buyer, wallet, { nth: 0, withdrawDelay }) };
  }

  return {
    plan,
    clock,
    chain,
    note,
    kept,
    liar,
    buyers: devnet.buyers
      .slice(0, plan.buyers)
      .map((wallet, nth) => createSimBuyer(wallet, seller, { nth, withdrawDelay })),
    get shops() {
      return processes.map((shop) => shop());
    },
    lostCommits: createLostCommits({
      vault: { copy: database.copy, killUsers: () => facilitator()?.mortal.kill() },
      records: { copy: copyRecords, killUsers: killShops },
    }),
    recordSteps: () => [...beforeLosses, readSteps()],
    isHealed: () => faults.now.isHealed,
    deaths: () => faults.now.deaths,
    endFaults() {
      faults.now.isHealed = true;
      // What it would raise later is not due yet when the run ends.
      liar?.shop()?.mortal.kill();
      Object.assign(chain, { lag: 0, lateBlocksMax: 0, isDear: false });
    },
    goneForGood() {
      faults.now.areGone = true;
      killShops();
    },
    kill() {
      killShops();
      facilitator()?.mortal.kill();
      liar?.shop()?.mortal.kill();
    },
  };
}

/** Notes the highest total of each channel that a seller is told is kept. */
function noteKept(life: FacilitatorLife, kept: Map<Hex, bigint>): FacilitatorLife {
  return {
    ...life,
    callsOf(account) {
      const calls = life.callsOf(account);
      return {
        ...calls,
        async keepVouchers(body, limit) {
          const outcome = await calls.keepVouchers(body, limit);
          for (const [id, row] of outcome.kind === "kept" ? outcome.rows : []) {
            if (typeof row !== "object") continue;
            const before = kept.get(id) ?? 0n;
            kept.set(id, row.charged > before ? row.charged : before);
          }
          return outcome;
        },
      };
    },
  };
}

interface Life {
  readonly mortal: { readonly ended: Promise<void> };
}

/** Starts processes, and each again whenever it has died, unless it is gone for good. */
function startLives({ clock, pauseMs }: { readonly clock: SteppingClock; pauseMs(): number }) {
  return {
    keep<Started extends Life>(start: () => Started, isGone = () => false) {
      let life: Started | undefined;
      const run = async () => {
        while (!isGone()) {
          life = start();
          await life.mortal.ended;
          await clock.sleep(pauseMs());
        }
      };
      void run();
      return () => life;
    },
  };
}
