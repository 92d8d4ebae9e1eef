import { useQuery } from "@tanstack/react-query";
import type { MembershipsJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { membershipsPath, membershipsQuery } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange } from "../../components/use-change.ts";
import { Whole } from "../../components/values.tsx";
import { roleNames } from "../../signed-in.ts";

type Invitation = MembershipsJson["invitations"][number];

/** Accounts that invite the wallet of this session. */
export function Invitations() {
  const { data } = useQuery(membershipsQuery);
  return data?.invitations.map((one) => <Invited key={one.account} invitation={one} />);
}

function Invited({ invitation: { account, role } }: { readonly invitation: Invitation }) {
  const join = useChange({
    send: () => call(membershipsPath, { method: "POST", body: { account } }),
    refreshes: [membershipsQuery],
    announces: "You have joined the account",
  });
  const decline = useChange({
    send: () => call(`${membershipsPath}/${account}`, { method: "DELETE" }),
    refreshes: [membershipsQuery],
    announces: "Invitation declined",
  });
  const isBusy = join.isPending || decline.isPending;
  const error = join.error ?? decline.error;
  return (
    <>
      <Notice
        tone="info"
        title={`You are invited to an account (role: ${roleNames[role]})`}
        actions={
          <>
            <Button look="primary small" disabled={isBusy} onClick={() => join.mutate()}>
              Join
            </Button>
            <Button look="quiet small" disabled={isBusy} onClick={() => decline.mutate()}>
              Decline
            </Button>
          </>
        }
      >
        <p>
          <Whole text={account} what="account address" />
        </p>
        <p>Anyone can invite a wallet; join only an account that you expect.</p>
      </Notice>
      {error && <Problem problem={error} />}
    </>
  );
}
