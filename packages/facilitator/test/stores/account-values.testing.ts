/** Wallets, links and sessions of an account, for the suites of the stores. */
import type { Address } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";
import type { LinkedWallet, Session } from "../../src/features/sign-in/model.ts";
import { next } from "./store-values.testing.ts";

export const seller: Address = `0x${"33".repeat(20)}`;
export const wallet: Address = `0x${"44".repeat(20)}`;
export const outsider: Address = `0x${"55".repeat(20)}`;

export function sessionOf(changes: Partial<Session> = {}): Session {
  return {
    id: `ses_${next()}`,
    account: seller,
    wallet: seller,
    walletKind: "plain",
    chainId: 51,
    createdAt: 1_000,
    lastSeenAt: 1_000,
    expiresAt: 9_000,
    ...changes,
  };
}

/** Opens a session; its cookie's hash is `hash-` and its id. */
export const open = (store: ServiceStore, session: Session, runningMax = 10) =>
  store.openSession(session, { idHash: `hash-${session.id}`, runningMax });

export function linkOf(address: Address, changes: Partial<LinkedWallet> = {}): LinkedWallet {
  const plain = { kind: "plain", chainId: null, role: "owner" } as const;
  return { account: seller, address, ...plain, linkedAt: 7, ...changes };
}
