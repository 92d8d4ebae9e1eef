/** The wallets of this browser to choose from, or what to do where there is none. */
import type { Wallet } from "@farthing/buyer/wallet";
import { useWallets } from "../wallet/use-wallets.ts";
import { Notice } from "./notice.tsx";
import { Skeleton } from "./skeleton.tsx";

export function WalletList({
  onChoose,
  isDisabled = false,
}: {
  readonly onChoose: (wallet: Wallet) => void;
  readonly isDisabled?: boolean;
}) {
  const wallets = useWallets();
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
        <button type="button" className="button small" onClick={() => location.reload()}>
          Reload the page
        </button>
      }
    >
      <p>
        Sign in with the wallet of the address that receives your API’s payments. Install one that
        runs in this browser and knows XDC, such as{" "}
        <a href="https://metamask.io/download" target="_blank" rel="noreferrer noopener">
          MetaMask
        </a>
        ,{" "}
        <a href="https://rabby.io" target="_blank" rel="noreferrer noopener">
          Rabby
        </a>{" "}
        or XDCPay, then reload this page. On a phone, open this page in the wallet’s own browser.
      </p>
    </Notice>
  );
}
