/** The state before anything has happened. */
import { prices, type Bounds, type ProcessState, type State } from "./state.ts";

export function initialState({ payments, wallets, processes, faults }: Bounds): State {
  return {
    chain: {
      final: {
        uses: each(payments, () => null),
        counts: each(wallets, () => 0),
        expired: 0,
        poor: 0,
        receipts: {},
      },
      blocks: [],
      pool: [],
      price: prices.before,
    },
    database: {
      settlements: each(payments, () => null),
      transactions: [],
      wallets: each(wallets, () => ({ holder: null, next: 0 })),
    },
    standby: null,
    behind: 0,
    processes: each(processes, stopped),
    toldConfirmed: 0,
    toldFailed: 0,
    faults: { ...faults },
  };
}

function each<T>(count: number, make: () => T): T[] {
  return Array.from({ length: count }, make);
}

/** A process that does not run remembers nothing. */
export function stopped(): ProcessState {
  return {
    isUp: false,
    seen: [],
    open: 0,
    watched: 0,
    proofs: [null, null],
    queue: 0,
    holds: 0,
    loaded: 0,
    known: [],
    lost: [],
    pending: [],
    replacing: null,
    tasks: [],
  };
}
