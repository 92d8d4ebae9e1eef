/** Members: invitations to an account, roles, and the accounts of a wallet. */
import type { Network } from "@farthing/protocol";
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { registerMembers } from "./routes.ts";
import { createMembers, type MemberDeps } from "./service.ts";
import { changeRole, inviteMember } from "./step-up.ts";
import { createMemberStore } from "./store.ts";

export interface MemberFeatureDeps extends MemberDeps {
  readonly networks: readonly Network[];
}

export const members = {
  name: "members",
  createStore: createMemberStore,
  migrations,
  stepUps: [inviteMember, changeRole],
  create,
} satisfies Feature;

function create(deps: MemberFeatureDeps): RunningFeature {
  const service = createMembers(deps);
  const { networks } = deps;
  return {
    routes: { account: (server) => registerMembers(server, { members: service, networks }) },
  };
}
