import { useQuery } from "@tanstack/react-query";
import { call } from "../../api/call.ts";
import { invitationsPath, invitationsQuery } from "../../api/queries.ts";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { shortText } from "../../components/format.ts";
import { Section } from "../../components/page.tsx";
import { Short, When } from "../../components/values.tsx";
import { roleNames } from "../../signed-in.ts";

/** Invitations that wait for an answer; shown only when there are some. */
export function OpenInvitations() {
  const rows = useQuery(invitationsQuery).data?.invitations ?? [];
  const [withdrawing, setWithdrawing] = useState<string>();
  if (rows.length === 0) return null;
  return (
    <Section title="Invitations">
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
                onClick={() => setWithdrawing(address)}
              >
                Withdraw
              </Button>
            ),
          },
        ]}
      />
      {withdrawing !== undefined && (
        <ConfirmDialog
          title={`Withdraw the invitation of ${shortText(withdrawing)}?`}
          action="Withdraw invitation"
          send={() => call(`${invitationsPath}/${withdrawing}`, { method: "DELETE" })}
          refreshes={[invitationsQuery]}
          announces="Invitation withdrawn"
          done={() => setWithdrawing(undefined)}
          onClose={() => setWithdrawing(undefined)}
        >
          <p>The wallet can no longer join with it. You can invite the wallet again.</p>
        </ConfirmDialog>
      )}
    </Section>
  );
}
