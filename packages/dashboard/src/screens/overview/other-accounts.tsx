import { isSameAddress } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import type { Address } from "@farthing/protocol";
import { otherAccountsKey } from "../../api/queries.ts";
import { Notice } from "../../components/notice.tsx";
import { Whole } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";

/** Tells whoever has just signed in of the other accounts that this wallet may administer. */
export function OtherAccounts() {
  const { account } = useAccount();
  const { data } = useQuery<readonly Address[]>({
    queryKey: otherAccountsKey,
    queryFn: () => [],
    // Filled at sign-in, and true for as long as that lasts.
    staleTime: Infinity,
  });
  const others = data?.filter((one) => !isSameAddress(one, account)) ?? [];
  if (others.length === 0) return null;
  return (
    <Notice tone="info" title="Your wallet is linked to another account">
      <p>
        To open it, sign out and give its address below the wallets. This is the account of the
        wallet itself.
      </p>
      {others.map((one) => (
        <p key={one}>
          <Whole text={one} what="account address" />
        </p>
      ))}
    </Notice>
  );
}
