/**
 * The seller of a run: the package's own, in one or two processes that share records in a file. Each
 * may die at each of its writes, and is started again, or never comes back.
 */
import type { DevnetWallet } from "@farthing/devnet";
import { networkOfChain, type Hex, type JsonObject } from "@farthing/protocol";
import {
  createSeller,
  type Facilitator,
  type PaymentRecords,
  type SellerChannels,
} from "@farthing/seller";
import type { SeededRandom } from "../seeded-random.ts";
import { lieTo, rowsOf } from "./lying-seller.ts";
import type { FacilitatorLife } from "./sim-facilitator.ts";
import { createMortal, type DrawEnd, type Mortal } from "./mortal.ts";
import type { SteppingClock } from "./stepping-clock.ts";

/** Base units of a call at most, and of what may be served beyond the vault. */
export const priceUnits = 1_000n;
export const boundUnits = 3_000n;

/** One process of the shop. */
export interface ShopLife {
  readonly mortal: Mortal;
  /** Sells one call, which costs so many base units; undefined where no answer comes. */
  sell(header: string, cost: bigint, onWork: () => void): Promise<Response | undefined>;
  readonly channels: SellerChannels;
}

export interface ShopDeps {
  readonly clock: SteppingClock;
  readonly records: PaymentRecords;
  readonly seller: DevnetWallet;
  readonly delay: string;
  readonly drawEnd: DrawEnd;
  /** What becomes of a call to the facilitator on its way. */
  drawLoss(): "request" | "answer" | "twice" | undefined;
  againMs(): number;
  facilitator(): FacilitatorLife | undefined;
  /** Rows that were handed to the vault, by any seller. */
  readonly seen: JsonObject[];
  /** Present in a seller that lies. */
  readonly lies?: SeededRandom;
}

const unitsPerUsdc = 1_000_000;

export function startShopLife(deps: ShopDeps): ShopLife {
  const mortal = createMortal(deps.clock, deps.drawEnd);
  const clock = {
    now: () => mortal.nowMs(),
    sleep: (ms: number, _where?: "background", signal?: AbortSignal) => mortal.sleep(ms, signal),
  };
  const { lies, seen } = deps;
  const { privateKey } = deps.seller;
  const client = clientOf(deps, mortal);
  const seller = createSeller(
    {
      facilitator: lies ? lieTo(client, { random: lies, privateKey, seen }) : client,
      payTo: deps.seller.address,
      network: networkOfChain(51).id,
      grants: { ...deps.records, channels: mortalChannels(deps.records, mortal) },
      channels: { authorizerKey: privateKey, maxUnvaulted: boundUnits },
      onEvent: () => {},
    },
    clock,
  );
  const route = seller.route({
    price: priceUnits,
    channel: { minDeposit: 10n * priceUnits, only: true, withdrawDelay: deps.delay },
    cost: ({ headers }: Response) => headers.get("X-Cost"),
  });
  return {
    mortal,
    channels: seller.channels,
    async sell(header, cost, onWork) {
      if (mortal.isDead()) return undefined;
      const request = new Request("https://shop.example/report", {
        // Shown again with a repeat, it proves the buyer: the response is kept in a payment record.
        headers: { "PAYMENT-SIGNATURE": header, Cookie: "session=1" },
      });
      const work = () => {
        onWork();
        const headers = { "X-Cost": (Number(cost) / unitsPerUsdc).toFixed(6) };
        return Response.json({ cost: `${cost}` }, { headers });
      };
      const charged = route.charge(request, work).then(({ response }) => response);
      return Promise.race([charged, mortal.ended.then(() => undefined)]);
    },
  };
}

function fault(reason: "unreachable" | "timed_out" | "unavailable") {
  return { kind: "fault", reason, message: `The facilitator is ${reason}` } as const;
}

/** The client, as over a network: what does not come back is a fault. */
function clientOf({ facilitator, clock, ...deps }: ShopDeps, mortal: Mortal): Facilitator {
  const { address } = deps.seller;
  async function ask<T>(
    work: (calls: ReturnType<FacilitatorLife["callsOf"]>) => Promise<T>,
    timeoutMs: number,
  ): Promise<T | ReturnType<typeof fault>> {
    const life = facilitator();
    if (!life || life.mortal.isDead()) return fault("unreachable");
    const loss = deps.drawLoss();
    const late = mortal.sleep(timeoutMs).then(() => fault("timed_out"));
    if (loss === "request") return late;
    if (loss === "twice") void again(work, deps.againMs());
    const answer = work(life.callsOf(address)).catch(() => fault("unavailable"));
    const gone = life.mortal.ended.then(() => fault("unreachable"));
    const told = await mortal.whileAlive(Promise.race([answer, gone, late]));
    return loss === "answer" ? fault("unreachable") : told;
  }

  /** What waited on the way reaches the facilitator that runs then. */
  async function again<T>(
    work: (calls: ReturnType<FacilitatorLife["callsOf"]>) => Promise<T>,
    ms: number,
  ): Promise<void> {
    await clock.sleep(ms);
    const life = facilitator();
    if (life) await work(life.callsOf(address)).catch(() => undefined);
  }

  return {
    name: "simulated",
    verify: (request, { timeoutMs }) =>
      ask((calls) => calls.verify(request, { timeoutMs }), timeoutMs),
    settle: (request, { timeoutMs }) =>
      ask((calls) => calls.settle(request, { timeoutMs }), timeoutMs),
    settlement: async () => ({ kind: "not_found" }),
    keepVouchers(body, { timeoutMs }) {
      deps.seen.push(...rowsOf(body));
      return ask((calls) => calls.keepVouchers(body, { timeoutMs }), timeoutMs);
    },
  };
}

type Channels = NonNullable<PaymentRecords["channels"]>;

/** Each write of a channel is a step. */
function mortalChannels({ channels }: PaymentRecords, { step }: Mortal): Channels {
  if (!channels) throw new Error("The records keep channels");
  return {
    find: (id: Hex) => step("read", () => channels.find(id)),
    async hold(id, opened) {
      const holding = await step("hold", () => channels.hold(id, opened));
      if (holding.kind !== "held") return holding;
      const { held } = holding;
      return {
        kind: "held",
        held: {
          channel: held.channel,
          takenAtMs: held.takenAtMs,
          mirror: (state) => step("mirror", () => held.mirror(state)),
          charge: (charge) => step("charge", () => held.charge(charge)),
          refunding: (refund) => step("refunding", () => held.refunding(refund)),
          release: (isVoid) => step("release", () => held.release(isVoid)),
        },
      };
    },
    claimed: (id, total) => step("claimed", () => channels.claimed(id, total)),
    vaulted: (id, charged) => step("vaulted", () => channels.vaulted(id, charged)),
    list: (...input) => step("read", () => channels.list(...input)),
  };
}
