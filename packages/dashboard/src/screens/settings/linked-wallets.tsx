import { findNetwork } from "@farthing/protocol";
import { useState } from "react";
import type { LinkedWalletJson } from "@farthing/facilitator/api";
import { walletsQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { QueryBoundary, Section } from "../../components/page.tsx";
import { Short, When } from "../../components/values.tsx";
import { LinkWallet } from "./link-wallet.tsx";
import { Button } from "../../components/button.tsx";
import { call } from "../../api/call.ts";
import { shortText } from "../../components/format.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";

export function LinkedWallets() {
  const [open, setOpen] = useState<"link" | LinkedWalletJson>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Wallets"
      actions={
        <Button look="small" onClick={() => setOpen("link")}>
          Link a wallet
        </Button>
      }
    >
      <p className="muted">
        A linked wallet can sign in to this account, do everything you can do here, and pay for
        credits.
      </p>
      <QueryBoundary query={walletsQuery}>
        {({ wallets: rows }) => (
          <DataTable
            caption="Wallets of the account"
            rows={rows}
            keyOf={({ address }) => address}
            columns={[
              {
                title: "Address",
                inCard: "whole",
                cell: ({ address, isOwn }) => (
                  <span>
                    <Short text={address} what="wallet" />
                    {isOwn && <span className="muted"> this account</span>}
                  </span>
                ),
              },
              {
                title: "Kind",
                cell: ({ kind, chainId }) =>
                  kind === "plain"
                    ? "Wallet"
                    : `Contract on ${findNetwork(chainId)?.name ?? "its network"}`,
              },
              { title: "Linked", cell: ({ linkedAt }) => <When at={linkedAt} /> },
              {
                title: "Actions",
                hasNoTitle: true,
                cell: (wallet) =>
                  !wallet.isOwn && (
                    <Button look="quiet small danger" onClick={() => setOpen(wallet)}>
                      Unlink
                    </Button>
                  ),
              },
            ]}
          />
        )}
      </QueryBoundary>
      {open === "link" && <LinkWallet onClose={close} />}
      {typeof open === "object" && <UnlinkWallet wallet={open} onClose={close} />}
    </Section>
  );
}

function UnlinkWallet({
  wallet: { address },
  onClose,
}: {
  readonly wallet: LinkedWalletJson;
  readonly onClose: () => void;
}) {
  const path = `/v1/account/wallets/${address}`;
  return (
    <SignedDialog
      title={`Unlink ${shortText(address)}?`}
      action="unlink_wallet"
      details={{ address }}
      send={(stepUp) => call(path, { method: "DELETE", body: { stepUp } })}
      refreshes={walletsQuery}
      announces="Wallet unlinked"
      onClose={onClose}
      label="Sign and unlink"
      isDanger
    >
      <p>
        This wallet can no longer sign in to this account or pay for it, and its sessions end. You
        can link it again.
      </p>
    </SignedDialog>
  );
}
