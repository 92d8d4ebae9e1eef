import { findNetwork } from "@farthing/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Purchase, PurchaseState } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { accountQuery, creditsQuery, purchaseQuery, purchasesPath } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { plural } from "../../components/format.ts";
import { Short, Usdc, When, Whole } from "../../components/values.tsx";
import { PayPurchase } from "./pay-purchase.tsx";
import { PurchaseBadge } from "./purchase-badge.tsx";
import { PurchaseOutcome } from "./purchase-outcome.tsx";
import { PurchaseSteps } from "./purchase-steps.tsx";

/** One purchase: what is paid for what, the signature, and its way to the balance. */
export function PurchaseScreen({ id }: { readonly id: string }) {
  const purchase = useQuery(purchaseQuery(id));
  const client = useQueryClient();
  const state = purchase.data?.state;
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
      <QueryBoundary query={purchase} lines={6}>
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
  const network = findNetwork(chainId);
  return (
    <dl className="facts">
      <dt>Price</dt>
      <dd>
        <Usdc units={amount} />
      </dd>
      <dt>From</dt>
      <dd>{payer === null ? "any linked wallet" : <Short text={payer} what="payer" />}</dd>
      <dt>To the treasury</dt>
      <dd>{payTo === null ? "–" : <Short text={payTo} what="treasury address" />}</dd>
      <dt>Network</dt>
      <dd>{network?.name ?? chainId}</dd>
      <dt>Started</dt>
      <dd>
        <When at={createdAt} />
      </dd>
      {transaction !== null && (
        <>
          <dt>Transaction</dt>
          <dd>
            <Short text={transaction} what="transaction hash" href={explorer ?? undefined} />
          </dd>
        </>
      )}
      <dt>Purchase ID</dt>
      <dd>
        <Whole text={purchase.id} what="purchase id" />
      </dd>
    </dl>
  );
}

function AwaitingPayment({ purchase }: { readonly purchase: Purchase }) {
  const client = useQueryClient();
  const cancel = useMutation({
    mutationFn: () => call(`${purchasesPath}/${purchase.id}`, { method: "DELETE" }),
    onSuccess: () => client.invalidateQueries({ queryKey: ["purchases"] }),
  });
  return (
    <>
      <p className="muted">
        Nothing has moved yet. The offer ends <When at={purchase.expiresAt} />.
      </p>
      {cancel.error && <Problem problem={cancel.error} />}
      <PayPurchase
        purchase={purchase}
        other={
          <button
            type="button"
            className="button quiet"
            disabled={cancel.isPending}
            onClick={() => cancel.mutate()}
          >
            Cancel purchase
          </button>
        }
      />
    </>
  );
}
