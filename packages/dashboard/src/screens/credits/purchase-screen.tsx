import { findNetwork } from "@farthing/protocol";
import { useEffect, useRef } from "react";
import type { Purchase, PurchaseState } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { accountQuery, creditsQuery, purchaseQuery, purchasesPath } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { plural } from "../../components/format.ts";
import { Short, Usdc, When, Whole } from "../../components/values.tsx";
import { PayPurchase } from "./pay-purchase.tsx";
import { PurchaseBadge } from "./purchase-badge.tsx";
import { PurchaseOutcome } from "./purchase-outcome.tsx";
import { PurchaseSteps } from "./purchase-steps.tsx";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button } from "../../components/button.tsx";
import { useMay } from "../../signed-in.ts";
import { useChange } from "../../components/use-change.ts";

export function PurchaseScreen({ id }: { readonly id: string }) {
  const client = useQueryClient();
  const state = useQuery(purchaseQuery(id)).data?.state;
  const before = useRef<PurchaseState>(undefined);
  useEffect(() => {
    const last = before.current;
    before.current = state;
    if (last === undefined || state === undefined || last === state) return;
    announce(`Purchase: ${state.replaceAll("_", " ")}`);
    void client.invalidateQueries({ queryKey: ["purchases"], exact: true });
    void client.invalidateQueries(creditsQuery);
    void client.invalidateQueries(accountQuery);
  }, [state, client]);
  return (
    <Page title="Purchase" back={["credits", "Credits"]}>
      <QueryBoundary query={purchaseQuery(id)} lines={6}>
        {(known) => (
          <>
            <PurchaseOutcome purchase={known} />
            <div className="columns">
              <Section
                title={plural(known.credits, "credit")}
                actions={<PurchaseBadge state={known.state} />}
              >
                <Terms purchase={known} />
                {known.state === "awaiting_payment" && <AwaitingPayment purchase={known} />}
              </Section>
              <Section title="Progress">
                <PurchaseSteps purchase={known} />
              </Section>
            </div>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function Terms({ purchase }: { readonly purchase: Purchase }) {
  const { amount, payer, payTo, chainId, transaction, explorer, createdAt } = purchase;
  return (
    <Facts
      rows={[
        ["Price", <Usdc units={amount} />],
        ["From", payer === null ? "any wallet of a member" : <Short text={payer} what="payer" />],
        ["To the treasury", payTo === null ? "–" : <Short text={payTo} what="treasury address" />],
        ["Network", findNetwork(chainId)?.name ?? chainId],
        ["Started", <When at={createdAt} />],
        transaction !== null && [
          "Transaction",
          <Short text={transaction} what="transaction hash" href={explorer ?? undefined} />,
        ],
        ["Purchase ID", <Whole text={purchase.id} what="purchase id" />],
      ]}
    />
  );
}

function AwaitingPayment({ purchase }: { readonly purchase: Purchase }) {
  const mayPay = useMay("buy_credits");
  const cancel = useChange({
    send: () => call(`${purchasesPath}/${purchase.id}`, { method: "DELETE" }),
    refreshes: [{ queryKey: ["purchases"] }],
  });
  return (
    <>
      <p className="muted">
        Nothing has moved yet. The offer ends <When at={purchase.expiresAt} />.
        {!mayPay && " Only owners of the account can pay it."}
      </p>
      {cancel.error && <Problem problem={cancel.error} />}
      {mayPay && (
        <PayPurchase
          purchase={purchase}
          other={
            <Button look="quiet" disabled={cancel.isPending} onClick={() => cancel.mutate()}>
              Cancel purchase
            </Button>
          }
        />
      )}
    </>
  );
}
