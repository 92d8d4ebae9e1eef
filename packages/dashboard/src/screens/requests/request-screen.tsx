import { findNetwork } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import type { ApiCallJson } from "@farthing/facilitator/api";
import { requestQuery } from "../../api/queries.ts";
import { CopyButton } from "../../components/copy-button.tsx";
import { failureName } from "../../components/failure-names.ts";
import { countText } from "../../components/format.ts";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Usdc, When, Whole } from "../../components/values.tsx";
import { StatusBadge } from "./status-badge.tsx";

export function RequestScreen({ id }: { readonly id: string }) {
  const { data } = useQuery(requestQuery(id));
  return (
    <Page
      title="Request"
      back={["requests", "Request log"]}
      lead={<code>{id}</code>}
      actions={
        data && (
          <CopyButton
            text={JSON.stringify(data, null, 2)}
            what="of the request"
            label="Copy as JSON"
          />
        )
      }
    >
      <QueryBoundary query={requestQuery(id)} lines={8}>
        {(call) => (
          <>
            {call.code !== null && (
              <Notice tone={call.status >= 500 ? "bad" : "warn"} title={failureName(call.code)}>
                {call.message !== null && <p>{call.message}</p>}
                <p className="muted">
                  Code <code>{call.code}</code>
                </p>
              </Notice>
            )}
            <div className="columns">
              <Section title="Request" actions={<StatusBadge call={call} />}>
                <Request call={call} />
              </Section>
              <Section title="Payment">
                <Payment call={call} />
              </Section>
            </div>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function Request({ call }: { readonly call: ApiCallJson }) {
  const { method, path, createdAt, durationMs, key, requestId } = call;
  return (
    <Facts
      rows={[
        [
          "Request",
          <code className="breakable">
            {method} {path}
          </code>,
        ],
        ["Time", <When at={createdAt} />],
        ["Duration", `${countText(durationMs)} ms`],
        [
          "Key",
          <>
            {key.label || "Unnamed"} <code className="muted">{key.id}</code>
          </>,
        ],
        ["Request ID", <Whole text={requestId} what="request id" />],
      ]}
    />
  );
}

function Payment({ call }: { readonly call: ApiCallJson }) {
  const { asked, result, settlementId, transaction } = call;
  const { network, amount, payer, payTo, settlementId: refunded } = asked;
  const rows = [
    amount !== undefined && (["Amount", <Usdc units={amount} />] as const),
    network !== undefined && (["Network", findNetwork(network)?.name ?? network] as const),
    payer !== undefined && (["Payer", <Whole text={payer} what="payer" />] as const),
    payTo !== undefined && (["Paid to", <Whole text={payTo} what="payee" />] as const),
    refunded !== undefined && (["Refund of", <SettlementLink id={refunded} />] as const),
    result !== null && (["Result", result] as const),
    settlementId !== null && (["Settlement", <SettlementLink id={settlementId} />] as const),
    transaction !== null &&
      (["Transaction", <Whole text={transaction} what="transaction hash" />] as const),
  ];
  if (!rows.some(Boolean)) return <p className="muted">This request names no payment.</p>;
  return <Facts rows={rows} />;
}

function SettlementLink({ id }: { readonly id: string }) {
  return (
    <Link to={`settlements/${id}`}>
      <code className="breakable">{id}</code>
    </Link>
  );
}
