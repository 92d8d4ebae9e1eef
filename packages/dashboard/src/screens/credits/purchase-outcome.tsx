import type { ReactNode } from "react";
import type { Purchase, PurchaseState } from "@farthing/facilitator/api";
import { Allowed } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { plural } from "../../components/format.ts";

/** Explains how a purchase ended, or why it is held. */
export function PurchaseOutcome({ purchase }: { readonly purchase: Purchase }) {
  return outcomes[purchase.state]?.(purchase) ?? null;
}

const outcomes: Readonly<Partial<Record<PurchaseState, (purchase: Purchase) => ReactNode>>> = {
  credited: ({ credits }) => (
    <Notice
      tone="good"
      title={`${plural(credits, "credit")} added`}
      actions={
        <Link to="credits" className="button small">
          View balance
        </Link>
      }
    />
  ),
  held: ({ reason, contact }) => (
    <Notice tone="warn" title="Held for review">
      <p>
        {reason} Your payment has arrived. Once it is approved, the credits are added and this page
        updates automatically.
      </p>
      <Contact contact={contact} />
    </Notice>
  ),
  rejected: ({ reason, contact }) => (
    <Notice tone="bad" title="Not credited">
      <p>{reason ?? "This payment was reviewed and cannot be credited."}</p>
      <Contact contact={contact} />
    </Notice>
  ),
  failed: ({ reason, contact }) => (
    <Notice
      tone="bad"
      title="The payment failed"
      actions={
        <Allowed to="buy_credits">
          <Link to="credits/buy" className="button small">
            Buy again
          </Link>
        </Allowed>
      }
    >
      <p>{reason ?? "The transfer was rejected on chain. No money was moved."}</p>
      <Contact contact={contact} />
    </Notice>
  ),
  // A signature that could not be settled leads back here, with the reason.
  awaiting_payment: ({ reason }) =>
    reason !== null && (
      <Notice tone="warn" title="Your last payment did not go through">
        <p>{reason}</p>
      </Notice>
    ),
  expired: () => (
    <Notice tone="info" title="Not paid in time">
      <p>No money was moved. Start a new purchase when you are ready.</p>
    </Notice>
  ),
};

function Contact({ contact }: { readonly contact: string | null }) {
  return contact ? <p>Questions: {contact}</p> : null;
}
