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
import { useChange } from "../../components/use-change.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";

export function Sessions() {
  const revoke = useChange({
    send: (id: string) => call(`/v1/account/sessions/${id}`, { method: "DELETE" }),
    refreshes: [sessionsQuery],
    announces: "Session ended",
  });
  const [isEndingOthers, setEndingOthers] = useState(false);
  const others =
    useQuery(sessionsQuery).data?.sessions.some(({ isCurrent }) => !isCurrent) === true;
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
                cell: ({ id, isCurrent }) =>
                  isCurrent ? (
                    <Badge tone="good">this browser</Badge>
                  ) : (
                    <Button
                      look="quiet small danger"
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
      <p>This signs every other browser out of this account, whichever wallet it used.</p>
    </SignedDialog>
  );
}
