import { isSameAddress } from "@farthing/protocol";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { sessionsQuery } from "../../api/queries.ts";
import { Badge } from "../../components/badge.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { QueryBoundary, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Short, When } from "../../components/values.tsx";
import { useQuery } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";
import { useAccount, useMay } from "../../signed-in.ts";
import { useChange } from "../../components/use-change.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";

export function Sessions() {
  const revoke = useChange({
    send: (id: string) => call(`/v1/account/sessions/${id}`, { method: "DELETE" }),
    refreshes: [sessionsQuery],
    announces: "Session ended",
  });
  const [isEndingOthers, setEndingOthers] = useState(false);
  const { wallet } = useAccount();
  const mayEndAll = useMay("manage_members");
  const sessions = useQuery(sessionsQuery).data?.sessions ?? [];
  const others = sessions.some(
    (one) => !one.isCurrent && (mayEndAll || isSameAddress(one.wallet, wallet)),
  );
  return (
    <Section
      title="Sessions"
      actions={
        others && (
          <Button look="small" onClick={() => setEndingOthers(true)}>
            End all others
          </Button>
        )
      }
    >
      {revoke.error && <Problem problem={revoke.error} />}
      <QueryBoundary query={sessionsQuery}>
        {({ sessions: rows }) => (
          <DataTable
            caption="Sessions"
            rows={rows}
            keyOf={({ id }) => id}
            columns={[
              { title: "Signed in", cell: ({ createdAt }) => <When at={createdAt} /> },
              {
                title: "Wallet",
                inCard: "start",
                cell: ({ wallet }) => <Short text={wallet} what="wallet" />,
              },
              { title: "Last seen", cell: ({ lastSeenAt }) => <When at={lastSeenAt} /> },
              { title: "Ends", cell: ({ expiresAt }) => <When at={expiresAt} /> },
              {
                title: "Actions",
                inCard: "end",
                hasNoTitle: true,
                cell: ({ id, wallet: by, isCurrent }) =>
                  isCurrent ? (
                    <Badge tone="good">this browser</Badge>
                  ) : (
                    <Button
                      look="quiet small danger"
                      {...(!isSameAddress(by, wallet) && { needs: "manage_members" as const })}
                      disabled={revoke.isPending}
                      onClick={() => revoke.mutate(id)}
                    >
                      End
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </QueryBoundary>
      {isEndingOthers && <EndOtherSessions onClose={() => setEndingOthers(false)} />}
    </Section>
  );
}

function EndOtherSessions({ onClose }: { readonly onClose: () => void }) {
  const mayEndAll = useMay("manage_members");
  return (
    <SignedDialog
      title="End all other sessions?"
      action="revoke_sessions"
      details={{}}
      send={(stepUp) => call("/v1/account/sessions", { method: "DELETE", body: { stepUp } })}
      refreshes={sessionsQuery}
      announces="All other sessions ended"
      onClose={onClose}
      label="Sign and end them"
      isDanger
    >
      <p>
        {mayEndAll
          ? "This signs every other browser out of this account, whichever wallet it used."
          : "This signs your wallet out of this account in every other browser."}
      </p>
    </SignedDialog>
  );
}
