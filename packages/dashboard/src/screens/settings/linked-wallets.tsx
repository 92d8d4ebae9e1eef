import { findNetwork } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { LinkedWallet } from "@farthing/facilitator/api";
import { walletsQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Section } from "../../components/page.tsx";
import { Short, When } from "../../components/values.tsx";
import { LinkWallet } from "./link-wallet.tsx";
import { UnlinkWallet } from "./unlink-wallet.tsx";

/** The wallets that may sign in to the account and pay for its credits. */
export function LinkedWallets() {
  const wallets = useQuery(walletsQuery);
  const [open, setOpen] = useState<"link" | LinkedWallet>();
  const close = () => setOpen(undefined);
  return (
    <Section
      title="Wallets"
      actions={
        <button type="button" className="button small" onClick={() => setOpen("link")}>
          Link a wallet
        </button>
      }
    >
      <p className="muted">
        A linked wallet can sign in to this account, do everything you can do here, and pay for
        credits.
      </p>
      <QueryBoundary query={wallets}>
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
                    <button
                      type="button"
                      className="button quiet small danger"
                      onClick={() => setOpen(wallet)}
                    >
                      Unlink
                    </button>
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
