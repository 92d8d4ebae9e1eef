import { findNetwork, explorerLink } from "@farthing/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";
import type { Purchase, PurchaseState } from "../../api/answers.ts";
import { call } from "../../api/call.ts";
import { accountQuery, creditsQuery, purchaseQuery, purchasesPath } from "../../api/queries.ts";
import { announce } from "../../parts/announcer.tsx";
import { Link } from "../../parts/link.tsx";
import { Loaded } from "../../parts/loaded.tsx";
import { Notice } from "../../parts/notice.tsx";
import { Page, Section } from "../../parts/page.tsx";
import { Problem } from "../../parts/problem.tsx";
import { plural } from "../../parts/show-text.ts";
import { Short, Usdc, When, Whole } from "../../parts/values.tsx";
import { holdText } from "./hold-text.ts";
import { PayPurchase } from "./pay-purchase.tsx";
import { PurchaseBadge } from "./purchase-badge.tsx";
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
    <Page
      title="Purchase of credits"
      actions={<Link to="credits">Back to credits</Link>}
    >
      <Loaded query={purchase} lines={6}>
        {(known) => (
          <>
            <Outcome purchase={known} />
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
          </>
        )}
      </Loaded>
    </Page>
  );
}

function Terms({ purchase }: { readonly purchase: Purchase }) {
  const { amount, payer, payTo, chainId, transaction, createdAt } = purchase;
  const network = findNetwork(chainId);
  return (
    <dl className="facts">
      <dt>You pay</dt>
      <dd>
        <Usdc units={amount} />
      </dd>
      <dt>From</dt>
      <dd>{payer === null ? "any linked wallet" : <Short text={payer} what="payer" />}</dd>
      <dt>To the treasury</dt>
      <dd>
        <Short text={payTo} what="treasury address" />
      </dd>
      <dt>Network</dt>
      <dd>{network?.name ?? chainId}</dd>
      <dt>Started</dt>
      <dd>
        <When at={createdAt} />
      </dd>
      {transaction !== null && network && (
        <>
          <dt>Transaction</dt>
          <dd>
            <Short
              text={transaction}
              what="transaction hash"
              href={explorerLink(network, transaction)}
            />
          </dd>
        </>
      )}
      <dt>Purchase id</dt>
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
            Cancel the purchase
          </button>
        }
      />
    </>
  );
}

/** What it means for the buyer that it ended this way, or is held. */
function Outcome({ purchase }: { readonly purchase: Purchase }) {
  const { state, reason, contact, credits } = purchase;
  const why = reason === null ? "" : holdText(reason);
  const ask = contact !== null && contact !== "" && <p>Questions: {contact}</p>;
  switch (state) {
    case "credited":
      return (
        <Notice
          tone="good"
          title={`${plural(credits, "credit")} added`}
          actions={
            <Link to="credits" className="button small">
              See the balance
            </Link>
          }
        />
      );
    case "held":
      return (
        <Notice tone="warn" title="Held for review">
          <p>
            {why} The payment has arrived and is safe. A person looks at it, usually within a
            working day; this page then changes by itself.
          </p>
          {ask}
        </Notice>
      );
    case "rejected":
      return (
        <Notice tone="bad" title="Not credited">
          <p>{why || "The review found that this payment cannot be credited."}</p>
          {ask}
        </Notice>
      );
    case "failed":
      return (
        <Notice tone="bad" title="The payment failed">
          <p>{why || "The chain refused the transfer."} No money has moved; buy again.</p>
          {ask}
        </Notice>
      );
    case "awaiting_payment":
      // An earlier signature that could not be settled leads back here, with the reason.
      return why === "" ? null : (
        <Notice tone="warn" title="The last payment did not go through">
          <p>{why} No money has moved. You can sign again.</p>
        </Notice>
      );
    case "expired":
      return (
        <Notice tone="info" title="Not paid in time">
          <p>No money has moved. Start a new purchase when you are ready.</p>
        </Notice>
      );
    case "canceled":
    case "settling":
    case "confirmed":
      return null;
  }
}
