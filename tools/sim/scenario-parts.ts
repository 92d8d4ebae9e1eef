/** What scenarios are made of. */
import { drawPlan, type PlanInput } from "./draw-plan.ts";
import type { Ask, Event, Plan, PlannedPayment, Service } from "./plan.ts";

/** Length of a scenario, in blocks. */
export const blocks = 14;

/** Two nodes: one that the wallets send to, one that shows what the first does not. */
export const size = { blocks, nodes: 2, relayers: 2, buyers: 5 };

/** A plan that nothing is drawn for but what the changes leave out. */
export function scenario(seed: number, service: Partial<Service>, changes: Partial<Plan>): Plan {
  const input: PlanInput = { faultKinds: [], service };
  const { servedSurface } = drawPlan(seed, input).service;
  const plan = { ...drawPlan(seed, input), ...size, batchMax: 50, ...changes };
  const surface = servedSurface === "public" ? "public" : "self-built";
  return {
    ...plan,
    payments: plan.payments.map((payment) => ({
      ...payment,
      asks: payment.asks.map((ask) => ({ ...ask, surface })),
    })),
  };
}

const persistentAsk: Ask = {
  afterBlocks: 0,
  prefer: "respond-async",
  atOnce: 1,
  again: 6,
  surface: "self-built",
  polls: 4,
  waitSeconds: 4,
};

/** So many payments in each block, from one block to another. */
export function stream(from: number, to: number, perBlock: number): PlannedPayment[] {
  return Array.from({ length: (to - from + 1) * perBlock }, (_, index) => ({
    ...small,
    index,
    block: from + Math.floor(index / perBlock),
    buyer: index % size.buyers,
  }));
}

/** A payment that is asked for until it has its outcome. */
export const small = {
  units: 10_000,
  validFor: 300,
  beginsIn: -600,
  isVerified: true,
  asks: [persistentAsk],
  isWatched: true,
};

/** Two services that most scenarios use. */
export const alone = { database: "sqlite", servedSurface: "self-built", confirmations: 1 } as const;
export const shared = { database: "postgres", servedSurface: "public", confirmations: 1 } as const;

/** The same at both nodes. */
export const both = (event: (node: number) => Event) => [event(0), event(1)];
