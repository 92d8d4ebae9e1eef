/** The runs: each is a machine with its bounds. Small ones are part of the tests. */
import { explore, type Exploration, type ExploreOptions } from "./checker/explore.ts";
import { createEngineMachine } from "./engine/machine.ts";
import type { Bounds, Faults } from "./engine/state.ts";

export interface Run {
  readonly name: string;
  /** What the machine consists of, and which faults happen. */
  readonly words: string;
  readonly bounds: Bounds;
  explore(options?: ExploreOptions): Exploration;
}

const noFaults: Faults = {
  crashes: 0,
  reorganisations: 0,
  losses: 0,
  prices: 0,
  submissions: 0,
  cancellations: 0,
  drains: 0,
  expiries: 0,
  freezes: 0,
  intrusions: 0,
  failovers: 0,
  delays: 0,
};

const thin: Bounds = {
  payments: 1,
  wallets: 1,
  processes: 1,
  nonces: 2,
  attempts: 2,
  confirmations: 1,
  batches: false,
  isReduced: true,
  faults: noFaults,
};

type Size = Partial<Omit<Bounds, "faults">>;

function engine(name: string, faults: Partial<Faults>, size: Size = {}): Run {
  const bounds = { ...thin, ...size, faults: { ...noFaults, ...faults } };
  const parts = [
    counted(bounds.payments, "payment"),
    counted(bounds.wallets, "wallet"),
    counted(bounds.processes, "process"),
    `${bounds.nonces} nonces of ${bounds.attempts} transactions`,
    `confirmed after ${counted(bounds.confirmations, "block")}`,
    ...(bounds.batches ? ["batches"] : []),
    ...Object.entries(faults).map(([fault, times]) => `${fault}: ${times}`),
  ];
  return {
    name: `engine: ${name}`,
    words: parts.join(", "),
    bounds,
    explore: (options) => explore(createEngineMachine(bounds), options),
  };
}

function counted(count: number, noun: string): string {
  const plural = noun === "process" ? "processes" : `${noun}s`;
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Together less than 20 seconds of CPU time. */
export const smallRuns: readonly Run[] = [
  engine("a crash", { crashes: 1 }, { attempts: 1 }),
  engine("lost sends", { losses: 1 }),
  engine("a price step", { prices: 1 }),
  engine("a reorganisation", { reorganisations: 1 }, { attempts: 1 }),
  engine("a third party", { submissions: 1 }, { attempts: 1 }),
  engine("a cancellation", { cancellations: 1 }, { attempts: 1 }),
  engine("an empty payer", { drains: 1 }, { attempts: 1 }),
  engine("an expiry", { expiries: 1 }, { attempts: 1 }),
  engine("a third party, late", { submissions: 1, drains: 1 }, { attempts: 1, nonces: 1 }),
  engine("another program with the key", { intrusions: 1 }, { attempts: 1 }),
  engine("two payments", {}, { payments: 2, attempts: 1 }),
  engine("lost commits", { failovers: 1 }, { attempts: 1, nonces: 1 }),
  engine("a node that is behind", { delays: 1 }, { attempts: 1 }),
];

/** What takes longer than a test may, and what some mutants are found by alone. */
export const thoroughRuns: readonly Run[] = [
  ...smallRuns,
  engine(
    "a cancellation in a reorganisation",
    { cancellations: 1, reorganisations: 1 },
    { attempts: 1, nonces: 1 },
  ),
  engine(
    "an empty payer in a reorganisation",
    { drains: 1, reorganisations: 1 },
    { attempts: 1, nonces: 1 },
  ),
  engine("lost commits, and nonces after them", { failovers: 1 }, { attempts: 1 }),
  engine(
    "lost commits and an empty payer, at one nonce",
    { failovers: 1, drains: 1 },
    { attempts: 1, nonces: 1 },
  ),
  engine(
    "a node that is behind, and an empty payer",
    { delays: 1, drains: 1 },
    { attempts: 1, nonces: 1 },
  ),
];

/** Taken one after the other, the smallest first, as long as there is time. */
export const deepRuns: readonly Run[] = [
  engine("a crash", { crashes: 1 }),
  engine("two crashes", { crashes: 2 }),
  engine("a reorganisation", { reorganisations: 1 }),
  engine("a crash in a reorganisation", { crashes: 1, reorganisations: 1 }),
  engine("final confirmations", { reorganisations: 1, crashes: 1 }, { confirmations: 3 }),
  engine("expiry and an empty payer", { expiries: 1, drains: 1 }),
  engine("a third party in a reorganisation", { submissions: 1, reorganisations: 1 }),
  engine("a cancellation in a reorganisation", { cancellations: 1, reorganisations: 1 }),
  engine("a third party, late", { submissions: 1, drains: 1 }),
  engine("a third party, late, in a reorganisation", {
    submissions: 1,
    drains: 1,
    reorganisations: 1,
  }),
  engine("a price step and lost sends", { prices: 1, losses: 1 }),
  engine("a price step in a reorganisation", { prices: 1, reorganisations: 1 }),
  engine("another program with the key", { intrusions: 1 }),
  engine("lost commits", { failovers: 1 }),
  engine("lost commits and a crash", { failovers: 1, crashes: 1 }, { attempts: 1 }),
  engine("lost commits in a reorganisation", { failovers: 1, reorganisations: 1 }, { attempts: 1 }),
  engine("lost commits and an empty payer", { failovers: 1, drains: 1 }, { attempts: 1 }),
  engine("a node that is behind", { delays: 2, crashes: 1 }),
  engine("a node that is behind, in a reorganisation", { delays: 1, reorganisations: 1 }),
  engine("a node that is behind, and a third party", { delays: 1, submissions: 1, drains: 1 }),
  engine("two payments in a batch", { drains: 1 }, { payments: 2, batches: true }),
  engine("two payments, a crash", { crashes: 1 }, { payments: 2, batches: true, nonces: 3 }),
  engine("two wallets", { reorganisations: 1 }, { wallets: 2 }),
  engine("two processes, a frozen one", { freezes: 1 }, { processes: 2 }),
  engine("two processes, a crash", { crashes: 1 }, { processes: 2 }),
  engine("two processes, a reorganisation", { reorganisations: 1 }, { processes: 2 }),
];
