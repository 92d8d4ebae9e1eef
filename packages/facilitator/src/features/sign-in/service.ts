/**
 * Signing in with a wallet (EIP-4361). The account is the wallet's own address, or one that has
 * linked the wallet. A contract wallet is one on its chain only: the same address elsewhere may
 * have another owner.
 */
import { isSameAddress, type Address, type ChainId } from "@farthing/protocol";
import { hasCode, type SettlementEngine, type WalletKind } from "@farthing/engine";
import type { SignRequest } from "./model.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { WalletStore } from "./wallet-store.ts";
import type { OpenedSession, Sessions } from "./sessions.ts";
import {
  askToSign,
  bindingOf,
  takeSigned,
  type SignAnswer,
  type SigningDeps,
} from "./sign-requests.ts";

/** Other accounts of a wallet that are named at its sign-in, at most. */
const otherAccountsMax = 20;

/** The chain whose contract an address is when it is one on several: there is money on it. */
const mainnet: ChainId = 50;

/** Who wants to sign in, where; into another account than its own when one is named. */
export interface SignInWish {
  readonly address: Address;
  readonly chainId: ChainId;
  readonly account?: Address | undefined;
}

/** What a sign-in came to. */
export type SignInOutcome =
  | {
      readonly ok: true;
      readonly opened: OpenedSession;
      /** Accounts that the wallet is linked to, besides the one it signed in to. */
      readonly otherAccounts: readonly Address[];
    }
  | { readonly ok: false; readonly isUndeployed: boolean };

/** Signs wallets in. */
export interface SignIn {
  /** Composes the text; `browser` is what the browser's pre-session cookie holds. */
  begin(wish: SignInWish, browser: string): Promise<SignRequest>;
  /** Judges the signature and opens the session. Throws RPC faults. */
  complete(answer: SignAnswer, browser: string): Promise<SignInOutcome>;
}

export interface SignInDeps extends SigningDeps {
  readonly engine: Pick<SettlementEngine, "checkWalletSignature" | "networkOf">;
  readonly sessions: Pick<Sessions, "open">;
  readonly accounts: Pick<WalletStore, "listAccountsOf"> & Pick<AccountStore, "findAccount">;
}

const refused: SignInOutcome = { ok: false, isUndeployed: false };

/** Creates the sign-in. */
export function createSignIn(deps: SignInDeps): SignIn {
  /**
   * Whether the address is a contract on mainnet too, which goes before the one that signed, unless
   * that one was here first: then the store keeps mainnet's out.
   */
  async function isMainnetsContract(request: SignRequest, kind: WalletKind): Promise<boolean> {
    const { address, chainId } = request;
    const chain = deps.engine.networkOf(mainnet)?.chain;
    if (kind === "plain" || chainId === mainnet || !chain) return false;
    const account = await deps.accounts.findAccount(address);
    return account?.contractChainId !== chainId && hasCode(chain, address);
  }

  async function accountsOf({ address, chainId }: SignRequest): Promise<Address[]> {
    const links = await deps.accounts.listAccountsOf(address, otherAccountsMax);
    return links
      .filter((link) => link.chainId === null || link.chainId === chainId)
      .map(({ account }) => account);
  }

  return {
    begin({ address, chainId, account = address }, browser) {
      const isOwn = isSameAddress(account, address);
      return askToSign(deps, {
        purpose: "sign_in",
        address,
        chainId,
        account,
        binding: bindingOf(browser),
        statement: isOwn
          ? "Sign in to the facilitator."
          : `Sign in to the facilitator for the account ${account}.`,
        details: "{}",
      });
    },
    async complete(answer, browser) {
      const binding = bindingOf(browser);
      const outcome = await takeSigned(deps, answer, { purpose: "sign_in", binding });
      if (!outcome.ok) return { ok: false, isUndeployed: outcome.reason === "undeployed" };
      const { request, walletKind } = outcome;
      const { address: wallet, chainId } = request;
      const account = request.account ?? wallet;
      const isOwn = isSameAddress(account, wallet);
      if (isOwn && (await isMainnetsContract(request, walletKind))) {
        deps.log.info(
          { event: "sign_in_refused", wallet, chainId, reason: "contract_on_mainnet" },
          "Sign-in refused",
        );
        return refused;
      }
      const opened = await deps.sessions.open({ account, wallet, walletKind, chainId });
      if (typeof opened === "string") {
        deps.log.info(
          { event: "sign_in_refused", account, wallet, chainId, reason: opened },
          "Sign-in refused",
        );
        return refused;
      }
      const accounts = await accountsOf(request);
      return {
        ok: true,
        opened,
        otherAccounts: accounts.filter((one) => !isSameAddress(one, account)),
      };
    },
  };
}
