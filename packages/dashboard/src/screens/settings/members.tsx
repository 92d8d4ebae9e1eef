import { findNetwork, isSameAddress } from "@farthing/protocol";
import { useState } from "react";
import type { LinkedWalletJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { membershipsPath, walletsPath, walletsQuery } from "../../api/queries.ts";
import { Allowed, Button } from "../../components/button.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { shortText } from "../../components/format.ts";
import { QueryBoundary, Section } from "../../components/page.tsx";
import { SignedDialog } from "../../components/signed-dialog.tsx";
import { Short, When } from "../../components/values.tsx";
import { roleNames, useAccount } from "../../signed-in.ts";
import { ChangeRole } from "./change-role.tsx";
import { InviteMember } from "./invite-member.tsx";
import { LinkWallet } from "./link-wallet.tsx";

type Open =
  | { readonly what: "invite" | "link" | "leave" }
  | { readonly what: "role" | "remove"; readonly wallet: LinkedWalletJson };

export function Members() {
  const { account, wallet: current } = useAccount();
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Members"
      actions={
        <>
          <Button look="small" needs="manage_members" onClick={() => setOpen({ what: "invite" })}>
            Invite a member
          </Button>
          <Button
            look="quiet small"
            needs="manage_members"
            onClick={() => setOpen({ what: "link" })}
          >
            Link a wallet
          </Button>
          {!isSameAddress(current, account) && (
            <Button look="quiet small danger" onClick={() => setOpen({ what: "leave" })}>
              Leave account
            </Button>
          )}
        </>
      }
    >
      <p className="muted">
        Members sign in with their own wallet. Owners can do everything, developers manage keys,
        webhooks and listings, and the role read only changes nothing.
        <Allowed to="manage_members"> Link a wallet to add a second one of your own.</Allowed>
      </p>
      <QueryBoundary query={walletsQuery}>
        {({ wallets }) => (
          <MembersTable
            rows={wallets}
            onRole={(wallet) => setOpen({ what: "role", wallet })}
            onRemove={(wallet) => setOpen({ what: "remove", wallet })}
          />
        )}
      </QueryBoundary>
      {open?.what === "invite" && <InviteMember onClose={close} />}
      {open?.what === "link" && <LinkWallet onClose={close} />}
      {open?.what === "leave" && <LeaveAccount onClose={close} />}
      {open?.what === "role" && <ChangeRole member={open.wallet} onClose={close} />}
      {open?.what === "remove" && <RemoveMember member={open.wallet} onClose={close} />}
    </Section>
  );
}

function MembersTable({
  rows,
  onRole,
  onRemove,
}: {
  readonly rows: readonly LinkedWalletJson[];
  readonly onRole: (member: LinkedWalletJson) => void;
  readonly onRemove: (member: LinkedWalletJson) => void;
}) {
  const { wallet: current } = useAccount();
  const noteOf = ({ address, isOwn }: LinkedWalletJson) => {
    if (isOwn) return " this account";
    return isSameAddress(address, current) ? " you" : "";
  };
  return (
    <DataTable
      caption="Members of the account"
      rows={rows}
      keyOf={({ address }) => address}
      columns={[
        {
          title: "Wallet",
          inCard: "whole",
          cell: (member) => (
            <span>
              <Short text={member.address} what="wallet" />
              <span className="muted">{noteOf(member)}</span>
            </span>
          ),
        },
        { title: "Role", cell: ({ role }) => roleNames[role] },
        {
          title: "Kind",
          cell: ({ kind, chainId }) =>
            kind === "plain"
              ? "Wallet"
              : `Contract on ${findNetwork(chainId)?.name ?? "its network"}`,
        },
        { title: "Joined", cell: ({ linkedAt }) => <When at={linkedAt} /> },
        {
          title: "Actions",
          hasNoTitle: true,
          cell: (member) =>
            !member.isOwn && (
              <span className="row-actions">
                <Button
                  look="quiet small"
                  needs="manage_members"
                  aria-label={`Change role of ${shortText(member.address)}`}
                  onClick={() => onRole(member)}
                >
                  Change role
                </Button>
                <Button
                  look="quiet small danger"
                  needs="manage_members"
                  aria-label={`Remove ${shortText(member.address)}`}
                  onClick={() => onRemove(member)}
                >
                  Remove
                </Button>
              </span>
            ),
        },
      ]}
    />
  );
}

function RemoveMember({
  member: { address },
  onClose,
}: {
  readonly member: LinkedWalletJson;
  readonly onClose: () => void;
}) {
  return (
    <SignedDialog
      title={`Remove ${shortText(address)}?`}
      action="unlink_wallet"
      details={{ address }}
      send={(stepUp) => call(`${walletsPath}/${address}`, { method: "DELETE", body: { stepUp } })}
      refreshes={walletsQuery}
      announces="Member removed"
      onClose={onClose}
      label="Sign and remove"
      isDanger
    >
      <p>
        This wallet can no longer sign in to this account, and its sessions end at once. API keys
        that its owner created belong to the account and keep working; revoke those they may have
        copied.
      </p>
      <p>
        E-mail addresses belong to the account too. If notices go to this person, remove their
        address under E-mail notices.
      </p>
    </SignedDialog>
  );
}

function LeaveAccount({ onClose }: { readonly onClose: () => void }) {
  const { account } = useAccount();
  return (
    <ConfirmDialog
      title="Leave this account?"
      action="Leave account"
      onClose={onClose}
      send={() => call(`${membershipsPath}/${account}`, { method: "DELETE" })}
      done={() => location.reload()}
    >
      <p>
        You are signed out and can no longer open <code>{shortText(account)}</code>. An owner can
        invite you again.
      </p>
      <p>
        Your e-mail address stays among the account’s notices until it is removed. Remove it first,
        or use the unsubscribe link of any notice.
      </p>
    </ConfirmDialog>
  );
}
