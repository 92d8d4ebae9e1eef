/** The part of the scenario in which a wallet joins an account. */
import type { Address } from "@farthing/protocol";
import type { ServiceStore } from "../../src/features/open-store.ts";

/** Once by invitation, with a changed role, and once as a linked wallet. */
export async function joinAccount(
  store: ServiceStore,
  at: { readonly account: Address; readonly wallet: Address; readonly now: number },
): Promise<void> {
  const { account, wallet: address, now } = at;
  const member = { account, address, chainId: null, role: "owner" } as const;
  const invitation = { ...member, invitedBy: account, invitedAt: now, expiresAt: now + 1_000 };
  await store.invite(invitation, { membersMax: 100 });
  await store.listInvitations(account, now);
  await store.listInvitationsOf(address, now, 5);
  await store.removeInvitation(account, address);
  await store.invite(invitation, { membersMax: 100 });
  const joining = { account, address, kind: "plain", chainId: null, linkedAt: now } as const;
  await store.acceptInvitation(joining, { membersMax: 100 });
  await store.changeRole({ account, address, role: "developer" }, account);
  await store.listLabels([account, address]);
  await store.unlinkWallet(account, address, { now, by: account });
  await store.linkWallet({ ...joining, role: "owner" }, { walletsMax: 100 });
}
