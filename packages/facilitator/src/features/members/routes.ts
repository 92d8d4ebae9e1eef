/** Invitations and roles of an account, and the accounts of the wallet that is signed in. */
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import { readAddress } from "../../http/messages/address-input.ts";
import { found, HttpProblem } from "../../http/messages/responses.ts";
import {
  AddressInput,
  AddressText,
  changeProblems,
  ChainIdNumber,
  emptyResponse,
  exactly,
  LabelText,
  nullable,
  readProblems,
  TimeText,
} from "../../http/messages/schemas.ts";
import { servedChain, type ServedNetworks } from "../../http/messages/served-chain.ts";
import { notOwner, sessionOf } from "../../http/access/session.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { SignAnswerBody } from "../sign-in/guard.ts";
import { RoleText, walletResponse, WalletResponse } from "../sign-in/wallet-routes.ts";
import { toWallet, walletsMax } from "../sign-in/wallets.ts";
import type { Invitation } from "./model.ts";
import type { Members } from "./service.ts";
import { changeRole, inviteMember } from "./step-up.ts";

const invitationRow = {
  role: RoleText,
  chainId: nullable(ChainIdNumber),
  invitedBy: AddressText,
  invitedAt: TimeText,
  expiresAt: TimeText,
};

export const InvitationResponse = exactly({ address: AddressText, ...invitationRow });

export const MembershipsResponse = exactly({
  accounts: Type.Array(exactly({ account: AddressText, label: LabelText, role: RoleText }), {
    description: "The wallet's own account first",
  }),
  invitations: Type.Array(exactly({ account: AddressText, ...invitationRow })),
});

interface MemberRouteDeps extends ServedNetworks {
  readonly members: Members;
}

export function registerMembers(server: TypedServer, deps: MemberRouteDeps): void {
  registerInviting(server, deps);
  registerInvitations(server, deps);
  registerRoles(server, deps);
  registerMemberships(server, deps);
}

function registerInviting(server: TypedServer, deps: MemberRouteDeps): void {
  const { members } = deps;
  server.post("/v1/account/invitations", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "inviteMember",
      tags: ["Wallets"],
      summary: "Invite a member",
      description:
        "The wallet joins with `POST /v1/account/memberships` within seven days; another invitation of the same wallet replaces this one. `chainId` is the chain of a contract wallet, and null for any other. Takes a step-up signature: `invite_member` with the other members of the body.",
      body: exactly({ ...inviteMember.details, stepUp: SignAnswerBody }),
      response: { 201: InvitationResponse, ...changeProblems("step_up_failed", "conflict") },
    },
    handler: async (request, reply) => {
      const session = sessionOf(request);
      const { stepUp, role, chainId: chain } = request.body;
      const address = readAddress(request.body.address);
      const chainId = chain === null ? null : servedChain(deps, chain);
      const outcome = await members.invite(session, { address, role, chainId }, stepUp);
      switch (outcome.kind) {
        case "invited":
          return reply.status(201).send(invitationResponse(outcome.invitation));
        case "known":
          throw new HttpProblem("conflict", "This wallet is a member of the account already.");
        case "too_many":
          throw new HttpProblem(
            "conflict",
            `The account has ${walletsMax} members and invitations, as many as may be; remove one first.`,
          );
        case "not_owner":
          throw notOwner();
        default:
          return outcome satisfies never;
      }
    },
  });
}

function registerInvitations(server: TypedServer, { members }: MemberRouteDeps): void {
  server.get("/v1/account/invitations", {
    config: { permission: "read" },
    schema: {
      operationId: "listInvitations",
      tags: ["Wallets"],
      summary: "List invitations",
      response: {
        200: exactly({ invitations: Type.Array(InvitationResponse) }),
        ...readProblems(),
      },
    },
    handler: async (request) => {
      const list = await members.listInvitations(sessionOf(request).account);
      return { invitations: list.map(invitationResponse) };
    },
  });
  server.delete("/v1/account/invitations/:address", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "withdrawInvitation",
      tags: ["Wallets"],
      summary: "Withdraw an invitation",
      params: exactly({ address: AddressInput }),
      response: {
        204: emptyResponse("The wallet can no longer join"),
        ...changeProblems("not_found"),
      },
    },
    handler: async (request, reply) => {
      const { account } = sessionOf(request);
      const address = readAddress(request.params.address);
      found(await members.removeInvitation(account, address), "invitation");
      return reply.status(204).send(null);
    },
  });
}

function registerRoles(server: TypedServer, { members }: MemberRouteDeps): void {
  server.patch("/v1/account/wallets/:address", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "changeRole",
      tags: ["Wallets"],
      summary: "Change the role of a member",
      description:
        "Sessions of the wallet go on with the new role. The account's own address is always an owner. Takes a step-up signature: `change_role` with the `address` and the `role`.",
      params: exactly({ address: AddressInput }),
      body: exactly({ role: changeRole.details.role, stepUp: SignAnswerBody }),
      response: {
        200: WalletResponse,
        ...changeProblems("step_up_failed", "not_found", "conflict"),
      },
    },
    handler: async (request) => {
      const { role, stepUp } = request.body;
      const address = readAddress(request.params.address);
      const outcome = await members.changeRole(sessionOf(request), { address, role }, stepUp);
      switch (outcome.kind) {
        case "changed":
          return walletResponse(toWallet(outcome.wallet));
        case "unknown":
          throw new HttpProblem("not_found", "This wallet is not a member of the account.");
        case "own":
          throw new HttpProblem(
            "conflict",
            "The account's own address receives its payments and is always an owner.",
          );
        case "not_owner":
          throw notOwner();
        default:
          return outcome satisfies never;
      }
    },
  });
}

function registerMemberships(server: TypedServer, { members }: MemberRouteDeps): void {
  server.get("/v1/account/memberships", {
    config: { permission: "read" },
    schema: {
      operationId: "listMemberships",
      tags: ["Wallets"],
      summary: "List the accounts and invitations of the wallet that is signed in",
      description: "To use another account, sign in with it as `account`.",
      response: { 200: MembershipsResponse, ...readProblems() },
    },
    handler: async (request) => {
      const { memberships, invitations } = await members.memberships(sessionOf(request));
      return {
        accounts: memberships,
        invitations: invitations.map((one) => ({ account: one.account, ...invitedRow(one) })),
      };
    },
  });
  server.post("/v1/account/memberships", {
    config: { permission: "own_access" },
    schema: {
      operationId: "joinAccount",
      tags: ["Wallets"],
      summary: "Accept an invitation",
      description: "The wallet that is signed in becomes a member of `account`.",
      body: exactly({ account: AddressInput }),
      response: { 201: WalletResponse, ...changeProblems("not_found", "conflict") },
    },
    handler: async (request, reply) => {
      const outcome = await members.join(sessionOf(request), readAddress(request.body.account));
      if (outcome.kind === "joined") {
        return reply.status(201).send(walletResponse(toWallet(outcome.wallet)));
      }
      if (outcome.kind === "too_many") {
        throw new HttpProblem("conflict", `The account has ${walletsMax} members already.`);
      }
      throw new HttpProblem(
        "not_found",
        "This account has not invited the wallet that is signed in, or the invitation has expired; ask an owner for a new one.",
      );
    },
  });
  server.delete("/v1/account/memberships/:account", {
    config: { permission: "own_access" },
    schema: {
      operationId: "leaveAccount",
      tags: ["Wallets"],
      summary: "Leave an account, or decline its invitation",
      description: "The wallet's sessions of that account end.",
      params: exactly({ account: AddressInput }),
      response: {
        204: emptyResponse("The wallet is not a member of it any more"),
        ...changeProblems("not_found"),
      },
    },
    handler: async (request, reply) => {
      const account = readAddress(request.params.account);
      if (!(await members.leave(sessionOf(request), account))) {
        throw new HttpProblem("not_found", "The wallet is neither a member nor invited there.");
      }
      return reply.status(204).send(null);
    },
  });
}

function invitedRow({ role, chainId, invitedBy, ...times }: Invitation) {
  const invitedAt = timeText(times.invitedAt) ?? "";
  const expiresAt = timeText(times.expiresAt) ?? "";
  return { role, chainId, invitedBy, invitedAt, expiresAt };
}

function invitationResponse(invitation: Invitation) {
  return { address: invitation.address, ...invitedRow(invitation) };
}
