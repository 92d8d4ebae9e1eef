import { isSameAddress, type Address } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { otherAccountsKey } from "../../api/queries.ts";
import { Notice } from "../../components/notice.tsx";
import { Whole } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";

export function OtherAccounts() {
  const { account } = useAccount();
  const { data } = useQuery<readonly Address[]>({
    queryKey: otherAccountsKey,
    queryFn: () => [],
    // Filled at sign-in, and valid for the session.
    staleTime: Infinity,
  });
  const others = data?.filter((one) => !isSameAddress(one, account)) ?? [];
  if (others.length === 0) return null;
  return (
    <Notice tone="info" title="Your wallet is linked to another account">
      <p>
        You are viewing the account of this wallet. To open the other one, sign out and enter its
        address on the sign-in page.
      </p>
      {others.map((one) => (
        <p key={one}>
          <Whole text={one} what="account address" />
        </p>
      ))}
    </Notice>
  );
}
