/** What the account API works with, besides what all routes do. */
import type { Address, Network } from "@farthing/protocol";
import type { KeyRing } from "../../accounts/key-ring.ts";
import type { Sessions } from "../../accounts/sessions.ts";
import type { SignIn } from "../../accounts/sign-in.ts";
import type { Site } from "../../accounts/sign-requests.ts";
import type { StepUp } from "../../accounts/step-up.ts";
import type { Wallets } from "../../accounts/wallets.ts";
import type { Account } from "../../model/account.ts";
import type { AccountStore } from "../../storage/account-store.ts";
import type { HttpContext } from "../context.ts";

/** The accounts behind the routes. */
export interface AccountContext {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly stepUp: StepUp;
  readonly wallets: Wallets;
  readonly keys: KeyRing;
  readonly store: Pick<AccountStore, "findAccount" | "updateAccount" | "findCredits">;
  /** Where credits are paid to; null when none can be bought. */
  readonly treasury: Address | null;
  /** What one settlement costs. */
  readonly creditsPerSettlement: number;
  readonly networks: readonly Network[];
  site(): Site;
}

/** Both. */
export interface AccountHttp {
  readonly context: HttpContext;
  readonly accounts: AccountContext;
}

/** An account as it is, or as it will be when something is first stored of it. */
export function orNew(address: Address, account: Account | undefined): Account {
  const nothing = { label: "", lowCreditsAt: null, contractChainId: null, createdAt: 0 } as const;
  return account ?? { address, plan: "active", ...nothing };
}
