/** The wallets of this browser, or what to do when there is none. */
import { findWalletsInTime, watchWallets, type Wallet } from "@farthing/buyer/wallet";
import { useSyncExternalStore } from "react";
import { Notice } from "./notice.tsx";
import { Skeleton } from "./page.tsx";
import { Button } from "./button.tsx";
import { ExternalLink } from "./link.tsx";

export function WalletList({
  onChoose,
  isDisabled = false,
}: {
  readonly onChoose: (wallet: Wallet) => void;
  readonly isDisabled?: boolean;
}) {
  const wallets = useSyncExternalStore(watchWallets, findWalletsInTime);
  if (!wallets) return <Skeleton count={2} />;
  if (wallets.length === 0) return <NoWallet />;
  return (
    <ul className="wallets" aria-label="Wallets">
      {wallets.map((wallet) => (
        <li key={wallet.id}>
          <button
            type="button"
            className="wallet"
            disabled={isDisabled}
            onClick={() => onChoose(wallet)}
          >
            {wallet.icon === "" ? (
              <span className="wallet-letter" aria-hidden="true">
                {wallet.name.slice(0, 1)}
              </span>
            ) : (
              <img src={wallet.icon} alt="" width="28" height="28" />
            )}
            {wallet.name}
          </button>
        </li>
      ))}
    </ul>
  );
}

function NoWallet() {
  return (
    <Notice
      tone="info"
      title="No wallet found in this browser"
      actions={
        <Button look="small" onClick={() => location.reload()}>
          Reload the page
        </Button>
      }
    >
      <p>
        Sign in with the wallet of the address that receives your API’s payments. Install one that
        runs in this browser and knows XDC, such as{" "}
        <ExternalLink href="https://metamask.io/download">MetaMask</ExternalLink>,{" "}
        <ExternalLink href="https://rabby.io">Rabby</ExternalLink> or XDCPay, then reload this page.
        On a phone, open this page in the wallet’s own browser.
      </p>
    </Notice>
  );
}
