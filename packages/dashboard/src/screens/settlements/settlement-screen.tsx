import { findNetwork } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import type { SettlementDetail } from "@farthing/facilitator/api";
import { keysQuery, settlementQuery } from "../../api/queries.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { OutIcon } from "../../components/icons.tsx";
import { failureName } from "../../components/failure-names.ts";
import { Notice } from "../../components/notice.tsx";
import { Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { countText, plural, xdcText } from "../../components/format.ts";
import { Usdc, When, Whole } from "../../components/values.tsx";
import { RefundsSection } from "./refunds-section.tsx";
import { SettlementBadge } from "./settlement-badge.tsx";
import { SettlementTimeline } from "./settlement-timeline.tsx";
import { ExternalLink, Link } from "../../components/link.tsx";

export function SettlementScreen({ id }: { readonly id: string }) {
  const { data } = useQuery(settlementQuery(id));
  return (
    <Page
      title={data && data.refundOf !== null ? "Refund" : "Settlement"}
      back={["settlements", "Settlements"]}
      lead={<code>{id}</code>}
      actions={
        data && (
          <CopyButton
            text={JSON.stringify(data, null, 2)}
            what="of the settlement"
            label="Copy as JSON"
          />
        )
      }
    >
      <QueryBoundary query={settlementQuery(id)} lines={8}>
        {(known) => (
          <>
            {known.state === "failed" && <Failure settlement={known} />}
            {known.recoveredAt !== null && <Recovered at={known.recoveredAt} />}
            <div className="columns">
              <Section
                title={known.refundOf === null ? "Payment" : "Refund"}
                actions={
                  <SettlementBadge state={known.state} isFinal={known.finalizedAt !== null} />
                }
              >
                <Money settlement={known} />
              </Section>
              <Section title="Timeline">
                <SettlementTimeline settlement={known} />
              </Section>
            </div>
            {known.refundOf === null && known.finalizedAt !== null && (
              <RefundsSection settlement={known} />
            )}
            <Section title="On chain">
              <OnChain settlement={known} />
            </Section>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function Failure({ settlement }: { readonly settlement: SettlementDetail }) {
  const { failure, failureMessage, nextStep } = settlement;
  const reason = failure === null ? "no reason recorded" : failureName(failure);
  return (
    <Notice tone="bad" title={`Failed: ${reason}`}>
      {failureMessage !== null && <p>{failureMessage}</p>}
      <p>
        {nextStep ??
          "No money was moved and no credits were spent. The buyer can pay again with a new authorization."}
      </p>
      {failure !== null && (
        <p className="muted">
          Code <code>{failure}</code>
        </p>
      )}
    </Notice>
  );
}

/** Its times are those of the recovery, so the page says that the transaction may be older. */
function Recovered({ at }: { readonly at: string }) {
  return (
    <Notice tone="info" title="Recovered from the chain">
      <p>
        The facilitator's database had lost this settlement, and found it on the chain again on{" "}
        <When at={at} />. Its transaction may be much older. You may have had a webhook for it
        before.
      </p>
    </Notice>
  );
}

function Money({ settlement }: { readonly settlement: SettlementDetail }) {
  const { amount, payer, payTo, network, credits, keyId, requestId, state } = settlement;
  const { resource, route, reference, refundOf, refunds, refundedAmount } = settlement;
  const [from, to] = refundOf === null ? ["Payer", "Paid to"] : ["Refunded by", "Refunded to"];
  const units = (
    <>
      <Usdc units={amount} /> <span className="muted">({plural(Number(amount), "base unit")})</span>
    </>
  );
  const price = (
    <>
      {countText(credits)}{" "}
      <span className="muted">
        {state === "failed" ? "returned" : state === "confirmed" ? "spent" : "reserved"}
      </span>
    </>
  );
  return (
    <Facts
      rows={[
        ["Amount", units],
        refunds.length > 0 && ["Refunded", <Usdc units={refundedAmount} />],
        refundOf !== null && ["Payment", <Link to={`settlements/${refundOf}`}>{refundOf}</Link>],
        [from, <Whole text={payer} what={refundOf === null ? "payer" : "payee"} />],
        [to, <Whole text={payTo} what={refundOf === null ? "payee" : "payer"} />],
        ["Network", findNetwork(network)?.name ?? network],
        ["Resource", resource === null ? none : <code>{resource}</code>],
        ["Route", route ?? none],
        ["Reference", reference ?? none],
        ["Credits", price],
        ["Key", keyId === null ? <span className="muted">none</span> : <KeyName id={keyId} />],
        ["Request", requestId === null ? none : <Whole text={requestId} what="request id" />],
      ]}
    />
  );
}

const none = <span className="muted">–</span>;

function KeyName({ id }: { readonly id: string }) {
  const { data } = useQuery(keysQuery);
  const label = data?.keys.find((key) => key.id === id)?.label;
  return (
    <>
      {label !== undefined && label !== "" && `${label} `}
      <code className="muted">{id}</code>
    </>
  );
}

function OnChain({ settlement }: { readonly settlement: SettlementDetail }) {
  const { transaction, explorer, settledBy, refundOf, state } = settlement;
  if (!transaction) {
    const text =
      state === "failed" ? "It failed without a transaction." : "No transaction carries it yet.";
    return <p className="muted">{text}</p>;
  }
  const hash = (
    <>
      <Whole text={transaction} what="transaction hash" />{" "}
      {explorer !== null && (
        <ExternalLink href={explorer}>
          Explorer <OutIcon />
        </ExternalLink>
      )}
    </>
  );
  return (
    <Facts
      rows={[
        ["Transaction", hash],
        ["Block", <Block settlement={settlement} />],
        ["Gas", <Gas settlement={settlement} />],
        [
          "Sent by",
          settledBy === "other"
            ? `a third party, using the same authorization. ${refundOf === null ? "You" : "The payer"} received the ${refundOf === null ? "payment" : "money"} all the same.`
            : "the facilitator",
        ],
      ]}
    />
  );
}

/** The log identifies the payment in a transaction with several. */
function Block({ settlement }: { readonly settlement: SettlementDetail }) {
  const { blockNumber, logIndex } = settlement;
  if (blockNumber === null) return none;
  return (
    <>
      {countText(blockNumber)}
      {logIndex !== null && <span className="muted">, log {logIndex}</span>}
    </>
  );
}

function Gas({ settlement }: { readonly settlement: SettlementDetail }) {
  const { gasUsed, gasPaidWei, sharedBy } = settlement;
  if (gasUsed === null) return <span className="muted">not known yet</span>;
  return (
    <>
      {countText(gasUsed)}
      <span className="muted">
        , paid by the facilitator
        {gasPaidWei !== null && ` · ${xdcText(gasPaidWei)}`}
        {sharedBy !== null &&
          sharedBy > 1 &&
          ` · share of a transaction with ${countText(sharedBy)} payments`}
      </span>
    </>
  );
}
