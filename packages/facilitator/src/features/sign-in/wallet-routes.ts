/** Further wallets of an account: list, link and unlink them. */
import { Type } from "typebox";
import { walletsMax, type AccountWallet, type LinkOutcome, type Wallets } from "./wallets.ts";
import { timeText } from "@farthing/engine/base";
import { HttpProblem } from "../../http/messages/responses.ts";
import {
  AddressText,
  ChainIdNumber,
  emptyResponse,
  exactly,
  AddressInput,
  nullable,
  oneOf,
  TimeText,
  WalletKindText,
  changeProblems,
  readProblems,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { roles } from "../../http/access/permissions.ts";
import { notOwner, sessionOf } from "../../http/access/session.ts";
import { SignAnswerBody, stepUpFailed } from "./guard.ts";
import { servedChain, type ServedNetworks } from "../../http/messages/served-chain.ts";
import { signRequestResponse, SignRequestResponse } from "./routes.ts";
import { unlinkWallet } from "./step-up-schemas.ts";

export const RoleText = oneOf(roles, "What the wallet may do in the account");

export const WalletResponse = exactly({
  address: AddressText,
  kind: WalletKindText,
  chainId: nullable(ChainIdNumber),
  role: RoleText,
  linkedAt: nullable(TimeText),
  isOwn: Type.Boolean({ description: "The account's own address, which stays" }),
});

interface WalletRouteDeps extends ServedNetworks {
  readonly wallets: Wallets;
}

export function registerWallets(server: TypedServer, deps: WalletRouteDeps): void {
  const { wallets } = deps;
  server.get("/v1/account/wallets", {
    config: { permission: "read" },
    schema: {
      operationId: "listWallets",
      tags: ["Wallets"],
      summary: "List the wallets that may sign in",
      response: { 200: exactly({ wallets: Type.Array(WalletResponse) }), ...readProblems() },
    },
    handler: async (request) => {
      const list = await wallets.list(sessionOf(request).account);
      return { wallets: list.map(walletResponse) };
    },
  });
  server.post("/v1/account/wallets/link", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "askForNewWallet",
      tags: ["Wallets"],
      summary: "Request a text for a new wallet",
      body: exactly({ address: AddressInput, chainId: ChainIdNumber }),
      response: { 200: SignRequestResponse, ...changeProblems() },
    },
    handler: async (request) => {
      const address = readAddress(request.body.address);
      const chainId = servedChain(deps, request.body.chainId);
      return signRequestResponse(await wallets.askNew(sessionOf(request), { address, chainId }));
    },
  });
  registerLinking(server, deps);
}

function registerLinking(server: TypedServer, { wallets }: WalletRouteDeps): void {
  server.post("/v1/account/wallets", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "linkWallet",
      tags: ["Wallets"],
      summary: "Link a wallet",
      description:
        "`requestId` and `signature` are the new wallet's answer to its text; `stepUp` is the answer of the wallet that is signed in: `link_wallet` with the new `address`.",
      body: exactly({ ...SignAnswerBody.properties, stepUp: SignAnswerBody }),
      response: { 201: WalletResponse, ...changeProblems("step_up_failed", "conflict") },
    },
    handler: async (request, reply) => {
      const { stepUp, ...signed } = request.body;
      const outcome = await wallets.link(sessionOf(request), signed, stepUp);
      return reply.status(201).send(walletResponse(linkedOf(outcome)));
    },
  });
  server.delete("/v1/account/wallets/:address", {
    config: { permission: "manage_members" },
    schema: {
      operationId: "unlinkWallet",
      tags: ["Wallets"],
      summary: "Unlink a wallet",
      description: "Takes a step-up signature: `unlink_wallet` with the `address`.",
      params: exactly(unlinkWallet.details),
      body: exactly({ stepUp: SignAnswerBody }),
      response: {
        204: emptyResponse("It may not sign in any more"),
        ...changeProblems("step_up_failed", "not_found"),
      },
    },
    handler: async (request, reply) => {
      const address = readAddress(request.params.address);
      const outcome = await wallets.unlink(sessionOf(request), address, request.body.stepUp);
      if (outcome === "step_up_failed") throw stepUpFailed();
      if (outcome === "unknown") {
        throw new HttpProblem("not_found", "This wallet is not linked to the account.");
      }
      return reply.status(204).send(null);
    },
  });
}

/** Returns the linked wallet; throws the reason why it was not linked. */
function linkedOf(outcome: LinkOutcome): AccountWallet {
  switch (outcome.kind) {
    case "linked":
      return outcome.wallet;
    case "step_up_failed":
      throw stepUpFailed();
    case "undeployed":
      throw new HttpProblem("conflict", "The wallet is not deployed on this chain yet.");
    case "known":
      throw new HttpProblem("conflict", "This wallet signs in to the account already.");
    case "not_owner":
      throw notOwner();
    case "too_many":
      throw new HttpProblem(
        "conflict",
        `${walletsMax} wallets are linked, as many as may be; unlink one first.`,
      );
    default:
      return outcome satisfies never;
  }
}

export function walletResponse({ linkedAt, ...wallet }: AccountWallet) {
  return { ...wallet, linkedAt: timeText(linkedAt) };
}
