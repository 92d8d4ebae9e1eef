import { findNetwork } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import type { SettlementDetail } from "@farthing/facilitator/api";
import { keysQuery, settlementQuery } from "../../api/queries.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { OutIcon } from "../../components/icons.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page, Section } from "../../components/page.tsx";
import { countText, xdcText } from "../../components/format.ts";
import { Usdc, Whole } from "../../components/values.tsx";
import { SettlementBadge } from "./settlement-badge.tsx";
import { SettlementTimeline } from "./settlement-timeline.tsx";

/** One settlement: what moved, its way there, what it cost. Changes arrive as they happen. */
export function SettlementScreen({ id }: { readonly id: string }) {
  const settlement = useQuery(settlementQuery(id));
  const { data } = settlement;
  return (
    <Page
      title="Settlement"
      back={["settlements", "Settlements"]}
      lead={<code>{id}</code>}
      actions={
        <>
          {data && (
            <CopyButton
              text={JSON.stringify(data, null, 2)}
              what="of the settlement"
              label="Copy as JSON"
            />
          )}
        </>
      }
    >
      <QueryBoundary query={settlement} lines={8}>
        {(known) => (
          <>
            {known.state === "failed" && <Failure settlement={known} />}
            <div className="columns">
              <Section title="Payment" actions={<SettlementBadge row={known} />}>
                <Money settlement={known} />
              </Section>
              <Section title="Timeline">
                <SettlementTimeline settlement={known} />
              </Section>
            </div>
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
  return (
    <Notice tone="bad" title={`Failed: ${failure ?? "no reason recorded"}`}>
      {failureMessage !== null && <p>{failureMessage}</p>}
      <p>
        {nextStep ??
          "No money was moved and no credits were spent. The buyer can pay again with a new authorization."}
      </p>
    </Notice>
  );
}

function Money({ settlement }: { readonly settlement: SettlementDetail }) {
  const { amount, payer, payTo, network, credits, keyId, requestId, state } = settlement;
  return (
    <dl className="facts">
      <dt>Amount</dt>
      <dd>
        <Usdc units={amount} />{" "}
        <span className="muted">({countText(Number(amount))} base units)</span>
      </dd>
      <dt>Payer</dt>
      <dd>
        <Whole text={payer} what="payer" />
      </dd>
      <dt>Paid to</dt>
      <dd>
        <Whole text={payTo} what="payee" />
      </dd>
      <dt>Network</dt>
      <dd>{findNetwork(network)?.name ?? network}</dd>
      <dt>Credits</dt>
      <dd>
        {countText(credits)}{" "}
        <span className="muted">
          {state === "failed" ? "returned" : state === "confirmed" ? "spent" : "reserved"}
        </span>
      </dd>
      <dt>Key</dt>
      <dd>{keyId === null ? <span className="muted">none</span> : <KeyName id={keyId} />}</dd>
      <dt>Request</dt>
      <dd>
        {requestId === null ? (
          <span className="muted">–</span>
        ) : (
          <Whole text={requestId} what="request id" />
        )}
      </dd>
    </dl>
  );
}

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
  const { transaction, explorer, settledBy } = settlement;
  if (!transaction) return <p className="muted">No transaction carries it yet.</p>;
  return (
    <dl className="facts">
      <dt>Transaction</dt>
      <dd>
        <Whole text={transaction} what="transaction hash" />{" "}
        {explorer !== null && (
          <a href={explorer} target="_blank" rel="noreferrer noopener">
            Explorer <OutIcon />
          </a>
        )}
      </dd>
      <dt>Block</dt>
      <dd>
        <DashboardLocation settlement={settlement} />
      </dd>
      <dt>Gas</dt>
      <dd>
        <Gas settlement={settlement} />
      </dd>
      <dt>Sent by</dt>
      <dd>
        {settledBy === "other"
          ? "a third party, using the same authorization. You received the payment all the same."
          : "the facilitator"}
      </dd>
    </dl>
  );
}

/** The log names the payment where a transaction carries several. */
function DashboardLocation({
  settlement: { blockNumber, logIndex },
}: {
  readonly settlement: SettlementDetail;
}) {
  if (blockNumber === null) return <span className="muted">–</span>;
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
