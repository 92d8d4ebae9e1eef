/**
 * Further wallets sign in to an account and pay for it. Linking requires two signatures: the new
 * wallet's and, by step-up, that of the session's wallet.
 */
import { isSameAddress, type Address, type ChainId } from "@farthing/protocol";
import type { LinkedWallet, Session } from "./model.ts";
import type { AccountStore } from "../accounts/store.ts";
import type { WalletStore } from "./wallet-store.ts";
import {
  askToSign,
  bindingOf,
  takeSigned,
  type SignAnswer,
  type SigningDeps,
} from "./sign-requests.ts";
import type { StepUp } from "./step-up.ts";

export const walletsMax = 20;

export interface AccountWallet extends Pick<LinkedWallet, "address" | "kind" | "chainId" | "role"> {
  /** Null for the account's own address. */
  readonly linkedAt: number | null;
  readonly isOwn: boolean;
}

export type LinkOutcome =
  | { readonly kind: "linked"; readonly wallet: AccountWallet }
  /** A signature is missing, wrong, late or for something else. */
  | { readonly kind: "step_up_failed" }
  | { readonly kind: "undeployed" }
  /** It is the account's own address, or already linked. */
  | { readonly kind: "known" }
  /** The role was taken away while the request ran. */
  | { readonly kind: "not_owner" }
  | { readonly kind: "too_many" };

export type Wallets = ReturnType<typeof createWallets>;

export interface WalletDeps extends SigningDeps {
  readonly stepUp: StepUp;
  readonly accounts: WalletStore & Pick<AccountStore, "findAccount">;
}

export function createWallets(deps: WalletDeps) {
  const { accounts, clock, log, stepUp } = deps;
  return {
    /** The account's own address first. */
    async list(address: Address): Promise<AccountWallet[]> {
      const [account, linked] = await Promise.all([
        accounts.findAccount(address),
        accounts.listWallets(address),
      ]);
      const chainId = account?.contractChainId ?? null;
      const kind = chainId === null ? "plain" : "contract";
      const own = { address, kind, chainId, role: "owner", linkedAt: null, isOwn: true } as const;
      return [own, ...linked.map(toWallet)];
    },
    askNew(
      session: Session,
      { address, chainId }: { readonly address: Address; readonly chainId: ChainId },
    ) {
      return askToSign(deps, {
        purpose: "link_wallet",
        address,
        chainId,
        account: session.account,
        binding: bindingOfNew(session),
        statement: `Let this wallet sign in and pay for the account ${session.account}.`,
        details: "{}",
      });
    },
    /** Throws RPC faults. */
    async link(session: Session, signed: SignAnswer, approval: SignAnswer): Promise<LinkOutcome> {
      const expected = { purpose: "link_wallet", binding: bindingOfNew(session) } as const;
      const outcome = await takeSigned(deps, signed, expected);
      if (!outcome.ok) {
        return { kind: outcome.reason === "undeployed" ? "undeployed" : "step_up_failed" };
      }
      const { address, chainId } = outcome.request;
      const step = { action: "link_wallet", details: { address } } as const;
      if (!(await stepUp.confirm(session, step, approval))) return { kind: "step_up_failed" };
      if (isSameAddress(address, session.account)) return { kind: "known" };
      const wallet: LinkedWallet = {
        account: session.account,
        address,
        kind: outcome.walletKind,
        chainId: outcome.walletKind === "contract" ? chainId : null,
        role: "owner",
        linkedAt: clock.nowMs(),
      };
      const result = await accounts.linkWallet(wallet, { walletsMax, by: session.wallet });
      if (result !== "linked") return { kind: result };
      log.info(
        { event: "wallet_linked", account: session.account, wallet: address, chainId },
        "Wallet linked",
      );
      return { kind: "linked", wallet: toWallet(wallet) };
    },
    /** Unlinks a wallet and ends its sessions. Throws RPC faults. */
    async unlink(session: Session, address: Address, approval: SignAnswer) {
      const step = { action: "unlink_wallet", details: { address } } as const;
      if (!(await stepUp.confirm(session, step, approval))) return "step_up_failed";
      const { account, wallet: by } = session;
      const isUnlinked = await accounts.unlinkWallet(account, address, { now: clock.nowMs(), by });
      if (!isUnlinked) return "unknown";
      log.info({ event: "wallet_unlinked", account, wallet: address, by }, "Wallet unlinked");
      return "unlinked";
    },
  };
}

/** Differs from a step-up's binding, so that neither wallet can be taken for the other. */
function bindingOfNew({ id }: Session): string {
  return bindingOf(`new wallet of ${id}`);
}

export function toWallet(wallet: LinkedWallet): AccountWallet {
  const { address, kind, chainId, role, linkedAt } = wallet;
  return { address, kind, chainId, role, linkedAt, isOwn: false };
}
