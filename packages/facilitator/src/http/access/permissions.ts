/**
 * What the roles of an account may do, in one table: the guard of the account API, the OpenAPI
 * document, the reference page and the buttons of the dashboard are made from it.
 */
import { accountRoles } from "@farthing/protocol";

export const roles = accountRoles;

export type Role = (typeof roles)[number];

/** The name of a role in a sentence. */
export const roleNames: Readonly<Record<Role, string>> = {
  owner: "owner",
  developer: "developer",
  read_only: "read only",
};

const builders = ["owner", "developer"] as const;
const owners = ["owner"] as const;

/** Each text ends the sentence "A member may …". */
export const permissions = [
  {
    name: "read",
    text: "see everything except secrets, which are shown once to the member who creates them",
    roles,
  },
  {
    name: "own_access",
    text: "end the sessions of their own wallet, and join or leave accounts with it",
    roles,
  },
  {
    name: "manage_keys",
    text: "create, rotate and revoke API keys, live and test",
    roles: builders,
  },
  {
    name: "manage_webhooks",
    text: "create, change, test and delete webhooks",
    roles: builders,
  },
  {
    name: "manage_emails",
    text: "add, change and remove e-mail addresses for notices",
    roles: builders,
  },
  {
    name: "manage_listings",
    text: "add, change, check and remove listings",
    roles: builders,
  },
  {
    name: "change_account",
    text: "change the account's name and the threshold for few credits",
    roles: owners,
  },
  { name: "buy_credits", text: "buy credits", roles: owners },
  { name: "refund", text: "refund payments", roles: owners },
  {
    name: "manage_members",
    text: "invite and remove members, change their roles, link wallets, and end the sessions of others",
    roles: owners,
  },
] as const satisfies readonly {
  readonly name: string;
  readonly text: string;
  readonly roles: readonly Role[];
}[];

export type Permission = (typeof permissions)[number]["name"];

export function rolesWith(permission: Permission): readonly Role[] {
  return permissions.find(({ name }) => name === permission)?.roles ?? [];
}

export function permits(role: Role, permission: Permission): boolean {
  return rolesWith(permission).includes(role);
}

export function permissionsOf(role: Role): Permission[] {
  return permissions.map(({ name }) => name).filter((name) => permits(role, name));
}

/** Tells a member why their role does not suffice, and what to do. */
export function roleMessage(role: Role, permission: Permission): string {
  const needed = rolesWith(permission).map((one) => roleNames[one]);
  const text = permissions.find(({ name }) => name === permission)?.text ?? permission;
  return `Your role in this account is ${roleNames[role]}. Only members with the role ${needed.join(" or ")} may ${text}; ask an owner of the account.`;
}
