/** Banners above every screen: conditions that stop the account from working, or soon will. */
import { isSameAddress } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { isNewQuery } from "./api/queries.ts";
import { Allowed } from "./components/button.tsx";
import { Link } from "./components/link.tsx";
import { Notice } from "./components/notice.tsx";
import { countText, plural, shortText } from "./components/format.ts";
import { useLocation } from "./location.ts";
import { useAccount } from "./signed-in.ts";
import { useConnection } from "./wallet/connection.ts";

export function AccountBanners() {
  const { plan } = useAccount();
  return (
    <>
      {plan === "inactive" && (
        <Notice tone="bad" title="This account is inactive">
          <p>
            The operator has deactivated it: your payments are neither verified nor settled. Contact
            the operator to reactivate it.
          </p>
        </Notice>
      )}
      <LowBalance />
      <OtherWallet />
    </>
  );
}

function LowBalance() {
  const { credits, creditsPerSettlement, treasury } = useAccount();
  const { path } = useLocation();
  const { data: isNew } = useQuery(isNewQuery);
  // A new account is guided to its first settlement instead.
  if (creditsPerSettlement === 0 || isNew !== false) return null;
  const left = Math.floor(credits.available / creditsPerSettlement);
  const isOut = left === 0;
  if (!isOut && (credits.lowAt === null || credits.available > credits.lowAt)) return null;
  return (
    <Notice
      tone={isOut ? "bad" : "warn"}
      title={isOut ? "No credits left" : `${plural(credits.available, "credit")} left`}
      actions={
        treasury !== null &&
        !path.startsWith("credits/") && (
          <Allowed to="buy_credits">
            <Link to="credits/buy" className="button primary small">
              Buy credits
            </Link>
          </Allowed>
        )
      }
    >
      <p>
        {isOut
          ? "New payments are refused before anything is sent, until you add credits. Your buyers are not charged in the meantime, and can pay once you have."
          : `Enough for about ${countText(left)} more settlements. Your warning threshold is ${countText(credits.lowAt ?? 0)}.`}
      </p>
    </Notice>
  );
}

function OtherWallet() {
  const { wallet } = useAccount();
  const connection = useConnection();
  const { path } = useLocation();
  // Another member may pay for a purchase; that page names the wallet that has to sign.
  if (path.startsWith("credits/purchases/")) return null;
  const shown = connection?.addresses[0];
  if (!shown || connection.addresses.some((one) => isSameAddress(one, wallet))) return null;
  return (
    <Notice tone="info" title={`${connection.wallet.name} is using a different account`}>
      <p>
        You are signed in with <code title={wallet}>{shortText(wallet)}</code>, but the wallet is
        using <code title={shown}>{shortText(shown)}</code>. Switch it back before signing here, or
        sign out and sign in with the other account.
      </p>
    </Notice>
  );
}
