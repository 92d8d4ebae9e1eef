/** What it means for the buyer of credits that a purchase ended this way, or is held. */
import type { ReactNode } from "react";
import type { Purchase, PurchaseState } from "../../api/answers.ts";
import { Link } from "../../parts/link.tsx";
import { Notice } from "../../parts/notice.tsx";
import { plural } from "../../parts/show-text.ts";
import { holdText } from "./hold-text.ts";

/** Shows it, or nothing while the purchase is simply under way. */
export function PurchaseOutcome({ purchase }: { readonly purchase: Purchase }) {
  const why = purchase.reason === null ? "" : holdText(purchase.reason);
  return outcomes[purchase.state]?.(purchase, why) ?? null;
}

const outcomes: Readonly<
  Partial<Record<PurchaseState, (purchase: Purchase, why: string) => ReactNode>>
> = {
  credited: ({ credits }) => (
    <Notice
      tone="good"
      title={`${plural(credits, "credit")} added`}
      actions={
        <Link to="credits" className="button small">
          See the balance
        </Link>
      }
    />
  ),
  held: ({ contact }, why) => (
    <Notice tone="warn" title="Held for review">
      <p>
        {why} The payment has arrived and is safe. A person looks at it, usually within a working
        day; this page then changes by itself.
      </p>
      <Contact contact={contact} />
    </Notice>
  ),
  rejected: ({ contact }, why) => (
    <Notice tone="bad" title="Not credited">
      <p>{why || "The review found that this payment cannot be credited."}</p>
      <Contact contact={contact} />
    </Notice>
  ),
  failed: ({ contact }, why) => (
    <Notice tone="bad" title="The payment failed">
      <p>{why || "The chain refused the transfer."} No money has moved; buy again.</p>
      <Contact contact={contact} />
    </Notice>
  ),
  // An earlier signature that could not be settled leads back to waiting, with the reason.
  awaiting_payment: (_purchase, why) =>
    why !== "" && (
      <Notice tone="warn" title="The last payment did not go through">
        <p>{why} No money has moved. You can sign again.</p>
      </Notice>
    ),
  expired: () => (
    <Notice tone="info" title="Not paid in time">
      <p>No money has moved. Start a new purchase when you are ready.</p>
    </Notice>
  ),
};

function Contact({ contact }: { readonly contact: string | null }) {
  return contact ? <p>Questions: {contact}</p> : null;
}
