/** Scenarios in which the world outside the service changes: the chain's rules, clocks, databases. */
import { slowMs } from "./draw-conditions.ts";
import type { Event, Plan, Service } from "./plan.ts";
import { alone, scenario, shared, stream } from "./scenario-parts.ts";

/**
 * The base fee steps up in two steps, above what the service pays, and down to where it stays, each
 * while payments are under way.
 */
function gasSteps(nodes: number, service: Partial<Service>): Plan {
  return scenario(909, service, {
    faultKinds: ["gas"],
    nodes,
    payments: stream(2, 12, 2),
    events: [
      { block: 4, what: "gas-step", gwei: 625 },
      { block: 7, what: "gas-step", gwei: 1_600 },
      { block: 10, what: "gas-step", gwei: 625 },
    ],
  });
}

/** The base fee steps above what the service pays, over full pools, and down to where it stays. */
function gasStepOverPools(): Plan {
  return scenario(909, alone, {
    faultKinds: ["gas"],
    payments: stream(2, 12, 2),
    events: [
      // Without a block, the pools hold what is then priced out.
      { block: 4, what: "no-block" },
      { block: 4, what: "gas-step", gwei: 1_600 },
      { block: 7, what: "gas-step", gwei: 625 },
    ],
  });
}

/**
 * Two processes whose shared database takes no writes for twenty seconds. Without blocks around its
 * beginning, payments are on their way when the processes connect again.
 */
function readOnlyDatabase(): Plan {
  return scenario(910, shared, {
    faultKinds: ["database"],
    blocks: 20,
    payments: stream(2, 12, 2),
    events: [
      ...[3, 4, 5, 6, 7, 8, 9].map((block) => ({ block, what: "no-block" }) as const),
      { block: 7, what: "read-only" },
      { block: 19, what: "writable" },
    ],
  });
}

/** Blocks go in which payments were confirmed, with all that they had. */
function confirmedAndGone(): Plan {
  return scenario(912, alone, {
    faultKinds: ["reorg"],
    payments: stream(2, 10, 1),
    events: [
      { block: 6, what: "reorganise", depth: 2, keep: "none" },
      { block: 10, what: "reorganise", depth: 2, keep: "none" },
    ],
  });
}

/** The clock of the machine is an hour ahead, then an hour behind, beside a node that is slow. */
function wrongClock(): Plan {
  return scenario(911, alone, {
    faultKinds: ["clock", "slow"],
    payments: stream(2, 12, 2),
    nodes: 1,
    conditions: [{ latencyMs: slowMs }],
    events: [
      { block: 5, what: "clock-step", process: 0, seconds: 3_600 },
      { block: 9, what: "clock-step", process: 0, seconds: -3_600 },
      { block: 12, what: "clock-step", process: 0, seconds: 0 },
    ],
  });
}

/** The database goes back by two blocks while payments are under way. */
function losses(service: Partial<Service>, after: readonly Event[]): Plan {
  return scenario(912, service, {
    faultKinds: ["loss"],
    payments: stream(2, 12, 2),
    events: [{ block: 5, what: "copy" }, ...after],
  });
}

/**
 * Two processes have nonces on their way when the database loses them and the ids of their rows. Other
 * payments get the ids before the nonces are mined.
 */
function lossOnTheWay(): Plan {
  return scenario(912, shared, {
    faultKinds: ["loss"],
    payments: stream(2, 12, 3),
    events: [
      { block: 5, what: "copy" },
      ...[6, 7, 8, 9].map((block) => ({ block, what: "no-block" }) as const),
      { block: 6, what: "fail-over" },
    ],
  });
}

/**
 * The database goes back after the last payment: no nonce is taken afterwards and no lease has run out,
 * which would show the loss by themselves.
 */
function lossAtRest(): Plan {
  return scenario(912, shared, {
    faultKinds: ["loss"],
    payments: stream(2, 6, 2),
    events: [
      { block: 6, what: "copy" },
      { block: 10, what: "fail-over" },
    ],
  });
}

/** All of them, by name. */
export const worldScenarios: Readonly<Record<string, Plan>> = {
  "gas steps, by one endpoint": gasSteps(1, { ...shared, servedSurface: "self-built" }),
  "gas steps, by two endpoints": gasSteps(2, { database: "sqlite", servedSurface: "public" }),
  "a gas step over full pools": gasStepOverPools(),
  "a read-only database": readOnlyDatabase(),
  "lost commits, by a failover": losses(shared, [{ block: 7, what: "fail-over" }]),
  "lost commits, with no payment after": lossAtRest(),
  "lost commits, with nonces on their way": lossOnTheWay(),
  "lost commits, by a restore": losses(alone, [{ block: 7, what: "restore" }]),
  "confirmed blocks are reorganised out": confirmedAndGone(),
  "a wrong clock and a slow node": wrongClock(),
};
