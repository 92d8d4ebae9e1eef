/** GET and PATCH /v1/account: the session and the profile of its account. */
import type { Address, Network } from "@farthing/protocol";
import { Type } from "typebox";
import { timeText } from "@farthing/engine/base";
import type { PresentFee } from "../../payments/present-fee.ts";
import type { Explorers } from "../../http/site/explorers.ts";
import type { MemberSession } from "../sign-in/model.ts";
import { windowSeconds } from "../../http/access/limits.ts";
import {
  AddressText,
  ChainIdNumber,
  exactly,
  LabelText,
  nullable,
  TimeText,
  oneOf,
  WalletKindText,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { CreditBalance } from "../credits/model.ts";
import type { Accounts } from "./service.ts";
import { permissions, permissionsOf, roles } from "../../http/access/permissions.ts";
import { sessionOf } from "../../http/access/session.ts";

/** The largest threshold: a billion credits are a million USDC. */
const creditsMax = 1_000_000_000;

export const BalanceResponse = {
  available: Type.Integer({ description: "May be spent" }),
  held: Type.Integer({ description: "Taken for settlements that are open" }),
  lowAt: nullable(Type.Integer({ description: "Below this the owner wants to hear of it" })),
};

/** Since when a settlement costs what it costs. */
export const FeeSinceText = nullable(TimeText);

export const ProfileResponse = exactly({
  account: AddressText,
  wallet: AddressText,
  walletKind: WalletKindText,
  chainId: ChainIdNumber,
  role: oneOf(roles, "Of the wallet in the account"),
  permissions: Type.Array(oneOf(permissions.map(({ name }) => name)), {
    description: "What the role allows",
  }),
  plan: oneOf(["active", "inactive"], "`inactive`: nothing settles with its keys"),
  label: LabelText,
  credits: exactly(BalanceResponse),
  limits: exactly({
    requests: nullable(Type.Integer({ description: "Per account and window; null for no limit" })),
    windowSeconds: Type.Integer(),
    keys: Type.Integer({ description: "API keys that work at once" }),
    wallets: Type.Integer({ description: "Linked wallets" }),
  }),
  creditsPerSettlement: Type.Integer(),
  creditsPerSettlementSince: FeeSinceText,
  treasury: nullable(AddressText),
  networks: Type.Array(
    exactly({
      id: Type.String({ description: "CAIP-2" }),
      label: Type.String({ description: "For people" }),
      chainId: ChainIdNumber,
      usdc: AddressText,
      explorer: nullable(Type.String({ description: "Null for a chain that no explorer shows" })),
    }),
  ),
  publicUrl: Type.String({ format: "uri" }),
  version: Type.String(),
});

export interface ProfileDeps extends PresentFee {
  readonly accounts: Accounts;
  findCredits(account: Address): Promise<CreditBalance>;
  /** `requests` is null for no limit. */
  readonly limits: {
    readonly requests: number | null;
    readonly keys: number;
    readonly wallets: number;
  };
  /** The address that receives payments for credits; undefined when none are sold. */
  readonly treasury: Address | undefined;
  readonly networks: readonly Network[];
  readonly explorers: Explorers;
  readonly version: string;
  site(): { readonly origin: string };
}

export function registerProfile(server: TypedServer, deps: ProfileDeps): void {
  const { accounts } = deps;
  server.get("/v1/account", {
    config: { permission: "read" },
    schema: {
      operationId: "readAccount",
      tags: ["Account"],
      summary: "Read the account",
      response: { 200: ProfileResponse, ...readProblems() },
    },
    handler: async (request) => profileResponse(deps, sessionOf(request)),
  });
  server.patch("/v1/account", {
    config: { permission: "change_account" },
    schema: {
      operationId: "changeAccount",
      tags: ["Account"],
      summary: "Change the account",
      body: exactly({
        label: Type.Optional(LabelText),
        lowCreditsAt: Type.Optional(nullable(Type.Integer({ minimum: 0, maximum: creditsMax }))),
      }),
      response: { 200: ProfileResponse, ...changeProblems() },
    },
    handler: async (request) => {
      const session = sessionOf(request);
      await accounts.update(session.account, request.body);
      return profileResponse(deps, session);
    },
  });
}

async function profileResponse(deps: ProfileDeps, session: MemberSession) {
  const { account, wallet, walletKind, chainId, role } = session;
  const [stored, credits] = await Promise.all([
    deps.accounts.find(account),
    deps.findCredits(account),
  ]);
  const { plan, label, lowCreditsAt } = stored;
  return {
    account,
    wallet,
    walletKind,
    chainId,
    role,
    permissions: permissionsOf(role),
    plan,
    label,
    credits: { ...credits, lowAt: lowCreditsAt },
    limits: { ...deps.limits, windowSeconds },
    creditsPerSettlement: deps.fee(),
    creditsPerSettlementSince: timeText(deps.feeSince()),
    treasury: deps.treasury ?? null,
    networks: networksOf(deps),
    publicUrl: deps.site().origin,
    version: deps.version,
  };
}

function networksOf({ networks, explorers }: ProfileDeps) {
  return networks.map(({ id, name, chainId, usdc }) => ({
    id,
    label: name,
    chainId,
    usdc,
    explorer: explorers.get(chainId) ?? null,
  }));
}
