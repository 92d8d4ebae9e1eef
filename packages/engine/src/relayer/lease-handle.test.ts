/** How long a process counts a wallet as its own, and when it gives it to another one. */
import { expect, test } from "vitest";
import { Fault } from "../base/fault.ts";
import { silentLog } from "../base/log.ts";
import type { WalletHolder } from "../storage/engine-store.ts";
import { createLeaseHandle } from "./lease-handle.ts";
import { leaseRenewMs } from "./lease.ts";

const relayer = "0x1111111111111111111111111111111111111111";
const lease = { chainId: 51, lane: relayer, fence: 1, holder: "h", nextNonce: 5 } as const;

interface Store {
  readonly isRenewed?: boolean;
  readonly isFree?: boolean;
  /** Owners that certainly no longer run. */
  readonly stopped?: readonly string[];
}

function handleOn({ isRenewed = true, isFree = true, stopped = [] }: Store) {
  const now = { ms: 0 };
  const done: unknown[] = [];
  const handle = createLeaseHandle({
    clock: { nowMs: () => now.ms, steadyMs: () => now.ms, sleep: async () => undefined },
    log: silentLog,
    owner: { id: "own", isStopped: (holder) => stopped.includes(holder) },
    chainId: 51,
    relayer,
    onLeaseEnded: () => void done.push("ended"),
    store: {
      takeWalletLease: async ({ stoppedOwner }) => {
        done.push(["taken from", stoppedOwner]);
        return isFree ? lease : undefined;
      },
      renewWalletLease: async () => {
        done.push("renewed");
        return isRenewed;
      },
      handOverWallet: async (_lease, _owner, { to }) => {
        done.push(["handed to", to]);
        return true;
      },
    },
  });
  return { handle, now, done };
}

test.each([
  [true, lease],
  [false, undefined],
])("a lease that is renewed: %s", async (isRenewed, left) => {
  const { handle, now, done } = handleOn({ isRenewed });
  await handle.take(0);
  now.ms = leaseRenewMs - 1;
  await handle.keep(null, true);
  expect(done).toEqual([["taken from", undefined]]);
  now.ms = leaseRenewMs;
  await handle.keep(null, true);
  expect(handle.current()).toEqual(left);
  expect(done.slice(1)).toEqual(["renewed", ...(left ? [] : ["ended"])]);
});

test("a wallet that another process holds is not this one's", async () => {
  const { handle } = handleOn({ isFree: false });
  expect(await handle.take(0)).toBe(undefined);
  expect(handle.current()).toBe(undefined);
});

test.each([
  ["that is gone", ["gone"], "gone"],
  ["that may run", [], undefined],
])("the lease of a holder %s", async (_name, stopped, from) => {
  const { handle, done } = handleOn({ stopped });
  const holder: WalletHolder = { owner: "gone", isRunning: true, wantedBy: null, nextNonce: 5 };
  await handle.take(0, holder);
  expect(done).toEqual([["taken from", from]]);
});

test("a write that finds the lease lost ends it; another failure does not", async () => {
  const { handle, done } = handleOn({});
  await handle.take(0);
  const failing = (fault: Fault) => handle.losing(() => Promise.reject(fault));
  await expect(failing(new Fault("rpc_unavailable", "no node"))).rejects.toThrow("no node");
  expect(handle.current()).toEqual(lease);
  await expect(failing(new Fault("lease_lost", "lost"))).rejects.toThrow("lost");
  expect([handle.current(), done.at(-1)]).toEqual([undefined, "ended"]);
});

test.each([
  ["once nothing is pending", true, 0],
  ["after ten seconds, whatever is pending", false, 10_000],
])("a wallet that is wanted takes no new work, and goes %s", async (_name, isIdle, afterMs) => {
  const { handle, now, done } = handleOn({});
  await handle.take(0);
  await handle.keep("other", isIdle);
  expect([handle.isHandingOver(), handle.current()]).toEqual([true, lease]);
  if (afterMs > 0) {
    now.ms = afterMs - 1;
    await handle.keep("other", isIdle);
    expect(handle.current()).toEqual(lease);
  }
  now.ms = afterMs;
  await handle.keep("other", isIdle);
  expect(handle.current()).toBe(undefined);
  expect(done.slice(-2)).toEqual([["handed to", "other"], "ended"]);
});

test("a wallet stays with its holder once no other process asks for it", async () => {
  const { handle } = handleOn({});
  await handle.take(0);
  await handle.keep("other", false);
  await handle.keep(null, false);
  expect(handle.isHandingOver()).toBe(false);
});
