/**
 * Members of an account: owners invite wallets and change roles; a wallet joins and leaves by
 * itself. The account's own address receives its payments and is always an owner.
 */
import { isSameAddress, toLowerHex, type Address, type ChainId } from "@farthing/protocol";
import type { Runtime } from "@farthing/engine/base";
import type { LinkedWallet, MemberSession } from "../sign-in/model.ts";
import type { SignAnswer } from "../sign-in/sign-requests.ts";
import { demandStepUp } from "../sign-in/guard.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import type { WalletStore } from "../sign-in/wallet-store.ts";
import { walletsMax as membersMax } from "../sign-in/wallets.ts";
import type { Invitation, Membership } from "./model.ts";
import type { InviteResult, MemberStore } from "./store.ts";

/** As long as people take to read a message; a new invitation replaces an expired one. */
export const invitationMs = 7 * 24 * 60 * 60 * 1000;

/** The most accounts and the most invitations that a wallet is shown; any account can invite it. */
export const membershipsMax = 20;

export interface MemberDeps extends Runtime {
  readonly store: MemberStore & Pick<WalletStore, "findWallet" | "listAccountsOf" | "unlinkWallet">;
  readonly stepUp: StepUp;
}

export type InviteInput = Pick<Invitation, "address" | "role" | "chainId">;

export type Members = ReturnType<typeof createMembers>;

export function createMembers(deps: MemberDeps) {
  return { ...createAdministration(deps), ...createMemberships(deps) };
}

/** What owners do. */
function createAdministration({ store, stepUp, clock, log }: MemberDeps) {
  return {
    /** Throws 403 without the signature, and RPC faults. */
    async invite(
      session: MemberSession,
      input: InviteInput,
      approval: SignAnswer,
    ): Promise<
      | { readonly kind: "invited"; readonly invitation: Invitation }
      | { readonly kind: Exclude<InviteResult, "invited"> }
    > {
      const step = { action: "invite_member", details: input } as const;
      await demandStepUp(stepUp, session, step, approval);
      const now = clock.nowMs();
      const { account, wallet: invitedBy } = session;
      const times = { invitedAt: now, expiresAt: now + invitationMs };
      const invitation = { account, ...input, invitedBy, ...times };
      const kind = await store.invite(invitation, { membersMax });
      if (kind !== "invited") return { kind };
      const { address, role } = input;
      log.info(
        { event: "member_invited", account, wallet: address, role, by: invitedBy },
        "Member invited",
      );
      return { kind, invitation };
    },
    listInvitations: (account: Address) => store.listInvitations(account, clock.nowMs()),
    removeInvitation: (account: Address, address: Address) =>
      store.removeInvitation(account, address),
    /** Throws 403 without the signature, and RPC faults. */
    async changeRole(
      session: MemberSession,
      change: Pick<LinkedWallet, "address" | "role">,
      approval: SignAnswer,
    ) {
      const step = { action: "change_role", details: change } as const;
      await demandStepUp(stepUp, session, step, approval);
      const { account, wallet: by } = session;
      const result = await store.changeRole({ account, ...change }, by);
      if (result.kind === "changed") {
        const { address: wallet, role } = change;
        log.info(
          { event: "member_role_changed", account, wallet, role, by },
          "Member role changed",
        );
      }
      return result;
    },
  };
}

/** What the wallet of a session does for itself. */
function createMemberships({ store, clock, log }: MemberDeps) {
  return {
    /** The wallet's own account first, then those that it is a member of. */
    async memberships(session: MemberSession) {
      const { wallet } = session;
      const [linked, invitations] = await Promise.all([
        store.listAccountsOf(wallet, membershipsMax),
        store.listInvitationsOf(wallet, clock.nowMs(), membershipsMax),
      ]);
      const chainId = chainOf(session);
      const joined = linked.filter((one) => one.chainId === chainId);
      const labels = await store.listLabels([wallet, ...joined.map(({ account }) => account)]);
      const named = (account: Address) => labels.get(toLowerHex(account)) ?? "";
      const memberships: Membership[] = [
        { account: wallet, label: named(wallet), role: "owner" },
        ...joined.map(({ account, role }) => ({ account, label: named(account), role })),
      ];
      return { memberships, invitations: invitations.filter((one) => one.chainId === chainId) };
    },
    /** Joins an account that has invited the session's wallet. */
    async join(session: MemberSession, account: Address) {
      const { wallet, walletKind } = session;
      const joining: Omit<LinkedWallet, "role"> = {
        account,
        address: wallet,
        kind: walletKind,
        chainId: chainOf(session),
        linkedAt: clock.nowMs(),
      };
      const result = await store.acceptInvitation(joining, { membersMax });
      if (result.kind === "joined") {
        const { role } = result.wallet;
        log.info({ event: "member_joined", account, wallet, role }, "Member joined");
      }
      return result;
    },
    /** Leaves an account or declines its invitation; false when there is neither. */
    async leave(session: MemberSession, account: Address): Promise<boolean> {
      const { wallet } = session;
      const chainId = chainOf(session);
      const isDeclined = await store.removeInvitation(account, wallet, { chainId });
      if (isDeclined || isSameAddress(account, wallet)) return isDeclined;
      const member = await store.findWallet(account, wallet);
      if (member?.chainId !== chainId) return false;
      const now = clock.nowMs();
      const hasLeft = await store.unlinkWallet(account, wallet, { now, by: wallet });
      if (hasLeft) log.info({ event: "member_left", account, wallet }, "Member left");
      return hasLeft;
    },
  };
}

/**
 * The chain of a contract wallet, and null for a plain one. Another chain's contract at the same
 * address may belong to another party, who neither joins nor leaves for this wallet.
 */
function chainOf({ walletKind, chainId }: MemberSession): ChainId | null {
  return walletKind === "contract" ? chainId : null;
}
