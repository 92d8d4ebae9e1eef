/** What every store promises about members of an account: invitations and roles. */
import type { Address } from "@farthing/protocol";
import { expect, test } from "vitest";
import type { Invitation } from "../../src/features/members/model.ts";
import type { LinkedWallet } from "../../src/features/sign-in/model.ts";
import { linkOf, open, outsider, seller, sessionOf, wallet } from "./account-values.testing.ts";
import { storeForEach } from "./store-benches.testing.ts";
import type { StoreBench } from "./store-values.testing.ts";

const membersMax = 3;

function invitationOf(changes: Partial<Invitation> = {}): Invitation {
  const invited = { account: seller, address: wallet, role: "developer", chainId: null } as const;
  return { ...invited, invitedBy: seller, invitedAt: 1_000, expiresAt: 2_000, ...changes };
}

/** The tests, on databases that `start` makes. */
export function membersSuite(start: () => Promise<StoreBench>): void {
  const now = storeForEach(start);
  const at = () => now().store;

  test("join as they were invited, once, before the invitation ends", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    const invitation = invitationOf();
    expect(await store.invite(invitation, { membersMax })).toBe("invited");
    expect(await store.listInvitations(seller, 1_999)).toEqual([invitation]);
    expect(await store.listInvitationsOf(wallet, 1_999, 5)).toEqual([invitation]);
    expect(await store.listInvitations(seller, 2_000)).toEqual([]);
    const join = (changes: Partial<LinkedWallet>) =>
      store.acceptInvitation(linkOf(wallet, changes), { membersMax });
    expect(await join({ linkedAt: 2_000 })).toEqual({ kind: "not_invited" });
    expect(await join({ kind: "contract", chainId: 51 })).toEqual({ kind: "not_invited" });
    const results = await Promise.all([join({}), join({}), join({})]);
    expect(results.map(({ kind }) => kind).toSorted()).toEqual([
      "joined",
      "not_invited",
      "not_invited",
    ]);
    expect(await store.listWallets(seller)).toEqual([linkOf(wallet, { role: "developer" })]);
    expect(await store.listInvitations(seller, 1_000)).toEqual([]);
    expect(await store.invite(invitation, { membersMax })).toBe("known");
    expect(await store.invite(invitationOf({ address: seller }), { membersMax })).toBe("known");
  });

  test("are invited by owners only, as many at once as may; a new invitation replaces the old", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    await store.linkWallet(linkOf(wallet, { role: "developer" }), { walletsMax: membersMax });
    const byDeveloper = invitationOf({ address: outsider, invitedBy: wallet });
    expect(await store.invite(byDeveloper, { membersMax })).toBe("not_owner");
    const invite = (digit: string, changes: Partial<Invitation> = {}) =>
      store.invite(invitationOf({ address: `0x${digit.repeat(40)}`, ...changes }), { membersMax });
    const results = await Promise.all(["6", "7", "8", "9"].map((digit) => invite(digit)));
    expect(results.toSorted()).toEqual(["invited", "invited", "too_many", "too_many"]);
    const [first] = await store.listInvitations(seller, 1_000);
    const again = invitationOf({ address: first?.address ?? seller, role: "read_only" });
    expect(await store.invite(again, { membersMax })).toBe("invited");
    expect(await store.listInvitationsOf(again.address, 1_000, 5)).toEqual([again]);
    // Expired ones make room.
    expect(await invite("a", { invitedAt: 2_000, expiresAt: 3_000 })).toBe("invited");
    expect(await store.removeInvitation(seller, `0x${"a".repeat(40)}`)).toBe(true);
    expect(await store.removeInvitation(seller, `0x${"a".repeat(40)}`)).toBe(false);
  });

  test.each(["removed", "demoted"])(
    "cannot join by the invitation of an owner who was %s",
    async (change) => {
      const store = at();
      await store.ensureAccount(seller, 1);
      await store.linkWallet(linkOf(wallet), { walletsMax: membersMax });
      const invitation = invitationOf({ address: outsider, role: "owner", invitedBy: wallet });
      expect(await store.invite(invitation, { membersMax })).toBe("invited");
      expect(await store.listInvitationsOf(outsider, 1_000, 5)).toEqual([invitation]);
      if (change === "removed") {
        await store.unlinkWallet(seller, wallet, { now: 1_000, by: seller });
      } else {
        await store.changeRole({ account: seller, address: wallet, role: "developer" }, seller);
      }
      expect(await store.listInvitations(seller, 1_000)).toEqual([]);
      expect(await store.listInvitationsOf(outsider, 1_000, 5)).toEqual([]);
      expect(await store.acceptInvitation(linkOf(outsider), { membersMax })).toEqual({
        kind: "not_invited",
      });
      // It takes no place.
      const digits = change === "removed" ? ["6", "7", "8"] : ["6", "7"];
      const others = digits.map((digit) => invitationOf({ address: `0x${digit.repeat(40)}` }));
      for (const other of others) {
        expect(await store.invite(other, { membersMax })).toBe("invited");
      }
      for (const { address } of others) await store.removeInvitation(seller, address);
    },
  );

  test("are linked by owners only, also when the role ends while the signatures are verified", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    await store.linkWallet(linkOf(wallet), { walletsMax: membersMax, by: seller });
    const change = { account: seller, address: wallet, role: "developer" } as const;
    await store.changeRole(change, seller);
    const link = (by: Address) =>
      store.linkWallet(linkOf(outsider), { walletsMax: membersMax, by });
    expect(await link(wallet)).toBe("not_owner");
    expect(await store.listWallets(seller)).toHaveLength(1);
    expect(await link(seller)).toBe("linked");
  });

  test("have a role that counts at once for their running sessions", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    await store.linkWallet(linkOf(wallet), { walletsMax: membersMax });
    const session = sessionOf({ wallet });
    await open(store, session);
    const roleNow = async () => (await store.findSession(`hash-${session.id}`, 2_000))?.role;
    expect(await roleNow()).toBe("owner");
    const change = { account: seller, address: wallet, role: "read_only" } as const;
    expect(await store.changeRole(change, seller)).toMatchObject({ kind: "changed" });
    expect(await roleNow()).toBe("read_only");
    expect(await store.changeRole({ ...change, role: "owner" }, wallet)).toEqual({
      kind: "not_owner",
    });
    expect(await store.changeRole({ ...change, address: outsider }, seller)).toEqual({
      kind: "unknown",
    });
    expect(await store.changeRole({ ...change, address: seller }, seller)).toEqual({ kind: "own" });
    expect(
      await store.revokeSession({ account: seller, wallet: outsider }, session.id, 2_000),
    ).toBe(false);
    expect(await store.revokeSessions({ account: seller, wallet }, { now: 2_000 })).toBe(1);
  });

  test("two owners who demote or remove each other at once: one of them stays an owner", async () => {
    const store = at();
    await store.ensureAccount(seller, 1);
    for (let round = 0; round < 5; round++) {
      for (const address of [wallet, outsider]) {
        await store.linkWallet(linkOf(address), { walletsMax: membersMax });
      }
      const demote = (address: Address, by: Address) =>
        store.changeRole({ account: seller, address, role: "read_only" }, by);
      await Promise.all([
        demote(wallet, outsider),
        round % 2 === 0
          ? demote(outsider, wallet)
          : store.unlinkWallet(seller, outsider, { now: 2_000, by: wallet }),
      ]);
      const left = await store.listWallets(seller);
      expect(left.filter(({ role }) => role === "owner")).toHaveLength(1);
      for (const { address } of left) {
        await store.unlinkWallet(seller, address, { now: 2_000, by: seller });
      }
    }
  });
}
