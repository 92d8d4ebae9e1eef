/** What the account API works with, besides what all routes do. */
import type { Address, Network } from "@farthing/protocol";
import type { History } from "../history/service.ts";
import type { KeyRing } from "../api-keys/service.ts";
import type { Purchases } from "../purchases/service.ts";
import type { Sessions } from "../sign-in/sessions.ts";
import type { SignIn } from "../sign-in/service.ts";
import type { Site } from "../sign-in/sign-requests.ts";
import type { StepUp } from "../sign-in/step-up.ts";
import type { Webhooks } from "../webhooks/service.ts";
import type { Wallets } from "../sign-in/wallets.ts";
import type { Listings } from "../listings/service.ts";
import type { Account } from "../../model/account.ts";
import type { PayPurchase } from "../purchases/payment.ts";
import type { AccountStore } from "../../storage/account-store.ts";
import type { HttpContext } from "../../http/context.ts";

/** On what terms credits are sold. */
export interface CreditTerms {
  /** USDC base units that are spent at once, at least. */
  readonly minUnits: bigint;
  /** USDC base units above which the operator looks at a purchase first. */
  readonly reviewAboveUnits: bigint;
  /** Where sellers reach the operator; null when he does not say. */
  readonly contact: string | null;
}

/** The accounts behind the routes. */
export interface AccountContext {
  readonly signIn: SignIn;
  readonly sessions: Sessions;
  readonly stepUp: StepUp;
  readonly wallets: Wallets;
  readonly keys: KeyRing;
  readonly purchases: Purchases;
  readonly payPurchase: PayPurchase;
  readonly history: History;
  readonly webhooks: Webhooks;
  /** Webhooks may go to plain http and to this machine. */
  readonly webhookInsecure: boolean;
  readonly listings: Listings;
  /** Listed endpoints may be on this machine. */
  readonly listingLocal: boolean;
  readonly store: Pick<
    AccountStore,
    | "findAccount"
    | "updateAccount"
    | "findCredits"
    | "listCreditEntries"
    | "listAccountSettlements"
    | "listUsage"
  >;
  /** Where credits are paid to; null when none can be bought. */
  readonly treasury: Address | null;
  /** What one settlement costs. */
  readonly creditsPerSettlement: number;
  readonly creditTerms: CreditTerms;
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
