import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { sessionsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Badge } from "../../components/badge.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Short, When } from "../../components/values.tsx";
import { EndOtherSessions } from "./end-other-sessions.tsx";

/** Who is signed in, and the way to end that. */
export function Sessions() {
  const sessions = useQuery(sessionsQuery);
  const client = useQueryClient();
  const revoke = useMutation({
    mutationFn: (id: string) => call(`/v1/account/sessions/${id}`, { method: "DELETE" }),
    onSuccess: () => {
      announce("Session ended");
      return client.invalidateQueries(sessionsQuery);
    },
  });
  const [isEndingOthers, setEndingOthers] = useState(false);
  const others = sessions.data?.sessions.some(({ isCurrent }) => !isCurrent) === true;
  return (
    <Section
      title="Sessions"
      actions={
        others && (
          <button type="button" className="button small" onClick={() => setEndingOthers(true)}>
            End all others
          </button>
        )
      }
    >
      {revoke.error && <Problem problem={revoke.error} />}
      <QueryBoundary query={sessions}>
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
                    <button
                      type="button"
                      className="button quiet small danger"
                      disabled={revoke.isPending}
                      onClick={() => revoke.mutate(id)}
                    >
                      End
                    </button>
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
