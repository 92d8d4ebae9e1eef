/** A seller's process that dies at any step with its store, and the shop that it serves. */
import { listenFetch } from "../adapters/listen.testing.ts";
import { createSeller, type Lease, type PaymentRecords, type SellerOptions } from "../index.ts";
import { payTo } from "../scene.testing.ts";

/** Runs one step with the store, unless the process has died. */
export type Step = <T>(work: () => Promise<T>) => Promise<T>;

/**
 * The store as a process sees it that dies at its nth step: from there on nothing is done. `stores`
 * gives the further calls that are steps.
 */
export function dyingAt(
  nth: number,
  isDone: boolean,
  records: PaymentRecords,
  stores: (step: Step) => Partial<PaymentRecords>,
) {
  let steps = 0;
  const step: Step = async (work) => {
    steps++;
    if (steps < nth) return work();
    if (steps === nth && isDone) await work();
    throw new Error("The process has died.");
  };
  const inSteps = (lease: Lease): Lease => ({
    ...lease,
    settling: (known) => step(() => lease.settling(known)),
    paid: (receipt) => step(() => lease.paid(receipt)),
    complete: (receipt, answer) => step(() => lease.complete(receipt, answer)),
    discard: () => step(() => lease.discard()),
    // The lease of a dead process ends by itself.
    unlock: () => lease.unlock(),
  });
  const store: PaymentRecords = {
    ...records,
    async acquire(binding, access) {
      const acquired = await records.acquire(binding, access);
      return acquired.kind === "acquired"
        ? { ...acquired, lease: inSteps(acquired.lease) }
        : acquired;
    },
    ...stores(step),
  };
  return { store, hasDied: () => steps >= nth };
}

/** Listens on a free port; the buyer sees one shop at one address. */
export function openShop(
  options: Omit<SellerOptions, "payTo">,
  serve: () => Response = () => new Response("content"),
) {
  const seller = createSeller({ ...options, payTo, onEvent: () => undefined });
  return listenFetch((request) => {
    const at = new Request(request.url.replace(/:\d+/, ""), { headers: request.headers });
    return seller.charge(at, serve).then(({ response }) => response);
  });
}
