/** The actions of members that require a step-up signature. */
import { findNetwork } from "@farthing/protocol";
import { AddressInput, ChainIdNumber, nullable } from "../../http/messages/schemas.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { roleNames } from "../../http/access/permissions.ts";
import type { StepUpAction } from "../sign-in/step-up.ts";
import { RoleText } from "../sign-in/wallet-routes.ts";

export const inviteMember = {
  action: "invite_member",
  permission: "manage_members",
  details: { address: AddressInput, role: RoleText, chainId: nullable(ChainIdNumber) },
  sentence({ address, role, chainId }) {
    const name = findNetwork(chainId)?.name;
    const kind = name === undefined ? "the wallet" : `the contract wallet on ${name}`;
    return `invite ${kind} ${address} with the role ${roleNames[role]}.`;
  },
  read: ({ address, ...rest }) => ({ ...rest, address: readAddress(address) }),
} as const satisfies StepUpAction<"invite_member">;

export const changeRole = {
  action: "change_role",
  permission: "manage_members",
  details: { address: AddressInput, role: RoleText },
  sentence: ({ address, role }) => `give the wallet ${address} the role ${roleNames[role]}.`,
  read: ({ address, role }) => ({ address: readAddress(address), role }),
} as const satisfies StepUpAction<"change_role">;
