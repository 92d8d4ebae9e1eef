/** Every operation with the members of an account, for the test of the description. */
import type { DevnetWallet } from "@farthing/devnet";
import { expect } from "vitest";
import { openBrowser, signIn, stepUp } from "./browser.testing.ts";

/** Sign-ins are limited by network address; these come from one of their own. */
const elsewhere = { "x-forwarded-for": "198.51.100.7" };

/** Invites a wallet, withdraws that, invites it again; it joins, gets another role and leaves. */
export async function useMembers(
  served: { readonly url: string },
  { owner, wallet }: { readonly owner: DevnetWallet; readonly wallet: DevnetWallet },
): Promise<void> {
  const browser = openBrowser(served, elsewhere);
  await signIn(browser, { wallet: owner });
  const { address } = wallet;
  const invitation = { address, role: "read_only", chainId: null };
  const invitations = "/v1/account/invitations";
  const invite = async () => {
    const approval = await stepUp(browser, owner, "invite_member", invitation);
    return browser.post(invitations, { ...invitation, stepUp: approval });
  };
  expect((await invite()).status).toBe(201);
  expect((await browser.get(invitations)).status).toBe(200);
  const memberships = "/v1/account/memberships";
  const member = openBrowser(served, elsewhere);
  await signIn(member, { wallet });
  expect((await member.get(memberships)).status).toBe(200);
  expect((await browser.send("DELETE", `${invitations}/${address}`)).status).toBe(204);
  const joining = { account: owner.address };
  expect((await member.post(memberships, joining)).status).toBe(404);
  await invite();
  expect((await member.post(memberships, joining)).status).toBe(201);
  expect((await invite()).status).toBe(409);
  const change = { address, role: "developer" };
  const approval = await stepUp(browser, owner, "change_role", change);
  const path = `/v1/account/wallets/${address}`;
  const changed = await browser.send("PATCH", path, { role: "developer", stepUp: approval });
  expect(changed.status).toBe(200);
  expect((await member.send("DELETE", `${memberships}/${owner.address}`)).status).toBe(204);
}
