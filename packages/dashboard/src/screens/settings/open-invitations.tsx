import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { invitationsPath, invitationsQuery } from "../../api/queries.ts";
import { Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { shortText } from "../../components/format.ts";
import { Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange } from "../../components/use-change.ts";
import { Short, When } from "../../components/values.tsx";
import { roleNames } from "../../signed-in.ts";

/** Invitations that wait for an answer; shown only when there are some. */
export function OpenInvitations() {
  const rows = useQuery(invitationsQuery).data?.invitations ?? [];
  const withdraw = useChange({
    send: (address: string) => call(`${invitationsPath}/${address}`, { method: "DELETE" }),
    refreshes: [invitationsQuery],
    announces: "Invitation withdrawn",
  });
  if (rows.length === 0) return null;
  return (
    <Section title="Invitations">
      {withdraw.error && <Problem problem={withdraw.error} />}
      <DataTable
        caption="Open invitations"
        rows={rows}
        keyOf={({ address }) => address}
        columns={[
          {
            title: "Wallet",
            inCard: "whole",
            cell: ({ address }) => <Short text={address} what="wallet" />,
          },
          { title: "Role", cell: ({ role }) => roleNames[role] },
          { title: "Invited", cell: ({ invitedAt }) => <When at={invitedAt} /> },
          { title: "Ends", cell: ({ expiresAt }) => <When at={expiresAt} /> },
          {
            title: "Actions",
            hasNoTitle: true,
            cell: ({ address }) => (
              <Button
                look="quiet small danger"
                needs="manage_members"
                aria-label={`Withdraw the invitation of ${shortText(address)}`}
                disabled={withdraw.isPending}
                onClick={() => withdraw.mutate(address)}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
    </Section>
  );
}
