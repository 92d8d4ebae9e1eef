/** Sign-in: request a text, send its signature, get a session; and sign-out. */
import { networkOfAddress } from "@farthing/protocol";
import { Type } from "typebox";
import { newToken, type Sessions } from "./sessions.ts";
import { timeText } from "@farthing/engine/base";
import type { SignRequest } from "./model.ts";
import { HttpProblem } from "../../http/messages/responses.ts";
import type { Limit, MakeLimit } from "../../http/access/limits.ts";
import {
  AddressText,
  ChainIdNumber,
  emptyResponse,
  exactly,
  AddressInput,
  problems,
  TimeText,
  WalletKindText,
} from "../../http/messages/schemas.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { SignIn } from "./service.ts";
import { sessionCookie } from "../../http/access/session.ts";
import {
  setSessionCookie,
  setSignInCookie,
  signInCookie,
  clearCookie,
  tokenOf,
} from "./cookies.ts";
import { readAddress } from "../../http/messages/address-input.ts";
import { SignAnswerBody } from "./guard.ts";
import { servedChain, type ServedNetworks } from "../../http/messages/served-chain.ts";

/** Sign requests and responses of one network address in a minute, enough for repeated attempts. */
const perNetwork = { name: "sign-in", requestsMax: 30, windowSeconds: 60 };

/**
 * Sign requests for one wallet in a minute. Anyone can send them, so this limits load and stops no
 * attacker; it is wide enough that the owner can sign in while another caller uses it up.
 */
const perWallet = { name: "wallet", requestsMax: 60, windowSeconds: 60 };

/** One message for every failure. */
const failed = "The sign-in did not succeed. Begin again, and sign the new text with that wallet.";

const undeployed =
  "The wallet is not deployed on this chain yet. Deploy it, or sign in with another wallet.";

export const SignRequestResponse = exactly({
  requestId: Type.String(),
  message: Type.String({ description: "To be signed as it stands, by `personal_sign`" }),
  expiresAt: TimeText,
});

export function signRequestResponse({ id, message, expiresAt }: SignRequest) {
  return { requestId: id, message, expiresAt: timeText(expiresAt) ?? "" };
}

export interface SignInRouteDeps extends ServedNetworks {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly makeLimit: MakeLimit;
}

export const SignedInResponse = exactly({
  account: AddressText,
  wallet: AddressText,
  walletKind: WalletKindText,
  chainId: ChainIdNumber,
  expiresAt: TimeText,
  accounts: Type.Array(AddressText, {
    description: "Other accounts that have linked this wallet",
  }),
});

export function registerSignIn(server: TypedServer, deps: SignInRouteDeps): void {
  const limits = { network: deps.makeLimit(perNetwork), wallet: deps.makeLimit(perWallet) };
  registerBeginning(server, deps, limits);
  registerCompletion(server, deps, limits.network);
  registerSignOut(server, deps);
}

interface SignInLimits {
  readonly network: Limit;
  readonly wallet: Limit;
}

function registerBeginning(server: TypedServer, deps: SignInRouteDeps, limits: SignInLimits): void {
  server.post("/v1/account/sign-in", {
    config: { isOpen: true },
    schema: {
      operationId: "beginSignIn",
      tags: ["Sign-in"],
      summary: "Request a sign-in text",
      description:
        "The text (EIP-4361) is kept by the service and can be answered once, within ten minutes, by the browser that asked for it. `account` names an account that has linked the wallet; without it the account is the wallet's own address.",
      security: [],
      body: exactly({
        address: AddressInput,
        chainId: ChainIdNumber,
        account: Type.Optional(AddressInput),
      }),
      response: { 200: SignRequestResponse, ...problems("foreign_origin", "service_unavailable") },
    },
    handler: async (request, reply) => {
      await limits.network(request, reply, networkOfAddress(request.ip));
      const address = readAddress(request.body.address);
      await limits.wallet(request, reply, address);
      const { account: named } = request.body;
      const account = named === undefined ? undefined : readAddress(named);
      const chainId = servedChain(deps, request.body.chainId);
      const browser = tokenOf(request, signInCookie) ?? newToken();
      const asked = await deps.signIn.begin({ address, chainId, account }, browser);
      setSignInCookie(reply, browser);
      return signRequestResponse(asked);
    },
  });
}

function registerCompletion(server: TypedServer, deps: SignInRouteDeps, limit: Limit): void {
  server.post("/v1/account/sign-in/complete", {
    config: { isOpen: true },
    schema: {
      operationId: "completeSignIn",
      tags: ["Sign-in"],
      summary: "Complete the sign-in",
      description:
        "Gives the session's cookie. Whatever comes of it, the text is used up. A node that cannot be asked about a contract wallet is a 503; then begin again.",
      security: [],
      body: SignAnswerBody,
      response: {
        200: SignedInResponse,
        ...problems("sign_in_failed", "foreign_origin", "service_unavailable"),
      },
    },
    handler: async (request, reply) => {
      await limit(request, reply, networkOfAddress(request.ip));
      const browser = tokenOf(request, signInCookie) ?? "";
      const outcome = await deps.signIn.complete(request.body, browser);
      if (!outcome.ok) {
        throw new HttpProblem("sign_in_failed", outcome.isUndeployed ? undeployed : failed);
      }
      const { token, session } = outcome.opened;
      await endPrevious(deps.sessions, tokenOf(request, sessionCookie));
      setSessionCookie(reply, token, session.expiresAt - session.createdAt);
      clearCookie(reply, signInCookie);
      const { account, wallet, walletKind, chainId } = session;
      const expiresAt = timeText(session.expiresAt) ?? "";
      const accounts = [...outcome.otherAccounts];
      return { account, wallet, walletKind, chainId, expiresAt, accounts };
    },
  });
}

function registerSignOut(server: TypedServer, deps: SignInRouteDeps): void {
  server.post("/v1/account/sign-out", {
    config: { isOpen: true, isUnlimited: true },
    schema: {
      operationId: "signOut",
      tags: ["Sign-in"],
      summary: "Sign out",
      security: [],
      response: {
        204: emptyResponse("There is no session any more"),
        ...problems("foreign_origin"),
      },
    },
    handler: async (request, reply) => {
      await endPrevious(deps.sessions, tokenOf(request, sessionCookie));
      clearCookie(reply, sessionCookie);
      return reply.status(204).send(null);
    },
  });
}

async function endPrevious(sessions: Sessions, token: string | undefined): Promise<void> {
  const previous = await sessions.find(token);
  if (previous) await sessions.revoke(previous, previous.id);
}
