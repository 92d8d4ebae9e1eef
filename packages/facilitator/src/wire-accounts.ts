/** The accounts of the service, wired: sign-in, sessions, wallets and keys over one store. */
import type { ChainId } from "@farthing/protocol";
import { createKeyRing } from "./features/api-keys/service.ts";
import { createSessions } from "./features/sign-in/sessions.ts";
import { createSignIn } from "./features/sign-in/service.ts";
import type { Site } from "./features/sign-in/sign-requests.ts";
import { createStepUp } from "./features/sign-in/step-up.ts";
import { createWallets } from "./features/sign-in/wallets.ts";
import type { AccountContext } from "./features/accounts/service.ts";
import { wireCredits, type CreditDeps } from "./wire-credits.ts";
import { wireListings } from "./wire-listings.ts";

/** The accounts, and what has to be told to them once the service listens. */
export interface WiredAccounts extends AccountContext {
  /** `http://127.0.0.1:8402`: its port is that of the default public address. */
  listensAt(url: string): void;
  /** Begins what works by itself; the returned function ends it. */
  start(): () => Promise<void>;
}

/** Wires the accounts. */
export function wireAccounts(deps: CreditDeps): WiredAccounts {
  const { config, store } = deps;
  let port = `${config.port}`;

  function site(): Site {
    const origin = config.publicUrl ?? `http://127.0.0.1:${port}`;
    return { origin, host: new URL(origin).host };
  }

  const chainOf = (chainId: ChainId) => deps.networkOf(chainId)?.chain;
  const signing = { ...deps, chainOf, site };
  const sessions = createSessions(deps);
  const stepUp = createStepUp(signing);
  const credits = wireCredits(deps);
  const listings = wireListings(deps);
  return {
    ...credits,
    ...listings,
    start() {
      const stops = [credits.start(), listings.start()];
      return async () => {
        await Promise.all(stops.map((stop) => stop()));
      };
    },
    signIn: createSignIn({ ...signing, sessions, accounts: store }),
    sessions,
    stepUp,
    wallets: createWallets({ ...signing, stepUp, accounts: store }),
    keys: createKeyRing(deps),
    store,
    treasury: config.treasury ?? null,
    creditsPerSettlement: config.creditsPerSettlement,
    networks: config.networks.map(({ network }) => network),
    site,
    listensAt(url) {
      ({ port } = new URL(url));
    },
  };
}
