/**
 * Sign-in with a wallet (EIP-4361), to the wallet's own account or to one that has linked the
 * wallet. A contract wallet counts on its chain only: another chain's contract at the same address
 * may have another owner.
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

/** The most further accounts of a wallet that a sign-in returns. */
const otherAccountsMax = 20;

/** Wins where an address is a contract on several chains, because mainnet holds money. */
const mainnet: ChainId = 50;

/** The wallet's own account when none is named. */
export interface SignInInput {
  readonly address: Address;
  readonly chainId: ChainId;
  readonly account?: Address | undefined;
}

export type SignInOutcome =
  | {
      readonly ok: true;
      readonly opened: OpenedSession;
      /** Further accounts that the wallet is linked to. */
      readonly otherAccounts: readonly Address[];
    }
  | { readonly ok: false; readonly isUndeployed: boolean };

export type SignIn = ReturnType<typeof createSignIn>;

export interface SignInDeps extends SigningDeps {
  readonly engine: Pick<SettlementEngine, "checkWalletSignature" | "networkOf">;
  readonly sessions: Pick<Sessions, "open">;
  readonly accounts: Pick<WalletStore, "listAccountsOf"> & Pick<AccountStore, "findAccount">;
}

const refused: SignInOutcome = { ok: false, isUndeployed: false };

export function createSignIn(deps: SignInDeps) {
  /**
   * Whether the address is also a contract on mainnet, which takes precedence over the one that
   * signed. Where that one signed in first, the store refuses mainnet's.
   */
  async function isMainnetsContract(request: SignRequest, kind: WalletKind): Promise<boolean> {
    const { address, chainId } = request;
    const chain = deps.engine.networkOf(mainnet)?.chain;
    if (kind === "plain" || chainId === mainnet || !chain) return false;
    const account = await deps.accounts.findAccount(address);
    return account?.contractChainId !== chainId && hasCode(chain, address);
  }

  /** Those that the wallet is linked to as what it signed as; it cannot sign in to others. */
  async function accountsOf(
    { address, chainId }: SignRequest,
    kind: WalletKind,
  ): Promise<Address[]> {
    const links = await deps.accounts.listAccountsOf(address, otherAccountsMax);
    const chain = kind === "contract" ? chainId : null;
    return links.filter((link) => link.chainId === chain).map(({ account }) => account);
  }

  return {
    /** Creates the text; `browser` is the token of the pre-session cookie. */
    begin(
      { address, chainId, account = address }: SignInInput,
      browser: string,
    ): Promise<SignRequest> {
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
    /** Verifies the signature and opens the session. Throws RPC faults. */
    async complete(answer: SignAnswer, browser: string): Promise<SignInOutcome> {
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
      const accounts = await accountsOf(request, walletKind);
      return {
        ok: true,
        opened,
        otherAccounts: accounts.filter((one) => !isSameAddress(one, account)),
      };
    },
  };
}
