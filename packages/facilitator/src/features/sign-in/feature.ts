/** Sign-in with a wallet: sessions, step-up signatures, and linked wallets. */
import type { Network } from "@farthing/protocol";
import type { Authentication } from "../../http/access/authenticate.ts";
import type { Throttle } from "../../http/access/limits.ts";
import type { TypedServer } from "../../http/messages/type-provider.ts";
import type { AccountStore } from "../accounts/store.ts";
import { createSignInStore, type SignInStore } from "./store.ts";
import type { Feature, RunningFeature } from "../feature.ts";
import { migrations } from "./migrations.ts";
import { guardAccounts } from "./guard.ts";
import { registerSignIn } from "./routes.ts";
import { createSignIn, type SignInDeps } from "./service.ts";
import { registerSessions } from "./session-routes.ts";
import { createSessions } from "./sessions.ts";
import type { SigningDeps } from "./sign-requests.ts";
import { linkWallet, revokeSessions, unlinkWallet } from "./step-up-schemas.ts";
import { registerStepUp } from "./step-up-routes.ts";
import { createStepUp, type StepUp, type StepUpAction } from "./step-up.ts";
import { registerWallets } from "./wallet-routes.ts";
import { createWallets } from "./wallets.ts";

export interface SignInFeatureDeps extends SigningDeps, Authentication {
  readonly store: SignInStore & Pick<AccountStore, "findAccount">;
  readonly networks: readonly Network[];
  /** The actions of all features that require a signature. */
  readonly actions: readonly StepUpAction[];
  readonly engine: SignInDeps["engine"];
}

/** The feature, with the parts that routes of other features need. */
export interface SignInFeature extends RunningFeature {
  readonly stepUp: StepUp;
  /** Guards the routes of the account API that are registered afterwards. */
  guard(server: TypedServer, throttle: Throttle): void;
}

export const signIn = {
  name: "sign-in",
  createStore: createSignInStore,
  migrations,
  stepUps: [linkWallet, unlinkWallet, revokeSessions],
  tags: [
    { name: "Sign-in", description: "Sign in with a wallet (EIP-4361)" },
    { name: "Wallets", description: "The members: wallets that may sign in, with their roles" },
  ],
  create,
} satisfies Feature;

function create(deps: SignInFeatureDeps): SignInFeature {
  const { store, networks } = deps;
  const sessions = createSessions(deps);
  const stepUp = createStepUp(deps);
  const service = createSignIn({ ...deps, sessions, accounts: store });
  const wallets = createWallets({ ...deps, stepUp, accounts: store });
  return {
    stepUp,
    guard: (server, throttle) => guardAccounts(server, { ...deps, sessions }, throttle),
    routes: {
      account(server, { makeLimit }) {
        registerSignIn(server, { signIn: service, sessions, networks, makeLimit });
        registerStepUp(server, stepUp, deps.actions);
        registerSessions(server, { sessions, stepUp });
        registerWallets(server, { wallets, networks });
      },
    },
  };
}
