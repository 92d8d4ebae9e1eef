import type { ChannelJson } from "@farthing/facilitator/api";
import { channelQuery } from "../../api/queries.ts";
import { DataTable } from "../../components/data-table.tsx";
import { countText, plural } from "../../components/format.ts";
import { Facts, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Short, Usdc, When, Whole } from "../../components/values.tsx";
import { ChannelBadge } from "./channel-badge.tsx";

export function ChannelScreen({ id }: { readonly id: string }) {
  return (
    <Page
      title="Channel"
      back={["channels", "Channels"]}
      lead={<code className="breakable">{id}</code>}
    >
      <QueryBoundary query={channelQuery(id)} lines={8}>
        {(channel) => (
          <>
            <Section title="Money" actions={<ChannelBadge channel={channel} />}>
              <Money channel={channel} />
            </Section>
            <Section title="Events">
              <Events events={channel.events} />
            </Section>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

function Money({ channel }: { readonly channel: ChannelJson }) {
  const { withdrawRequestedAt, closedAt } = channel;
  return (
    <Facts
      rows={[
        ["Payer", <Whole key="payer" text={channel.payer} what="payer" />],
        ["Balance", <Usdc key="balance" units={channel.balance} />],
        ["Charged", <Usdc key="charged" units={channel.charged} />],
        ["Claimed", <Usdc key="claimed" units={channel.claimed} />],
        ["At risk", <Usdc key="risk" units={channel.atRisk} />],
        ["Next claim", <When key="next" at={channel.claimBy} />],
        withdrawRequestedAt !== null && [
          "Withdrawal asked",
          <When key="asked" at={withdrawRequestedAt} />,
        ],
        ["Withdrawals take", delayText(channel.withdrawDelay)],
        ["Signs your claims", <Whole key="by" text={channel.receiverAuthorizer} what="signer" />],
        ["Reserved credits", countText(channel.reservedCredits)],
        ["Opened", <When key="opened" at={channel.openedAt} />],
        closedAt !== null && ["Closed", <When key="closed" at={closedAt} />],
      ]}
    />
  );
}

/** Whole days or hours where it is some, as delays usually are. */
function delayText(seconds: number): string {
  const [day, hour, minute] = [86_400, 3_600, 60] as const;
  if (seconds % day === 0) return plural(seconds / day, "day");
  if (seconds % hour === 0) return plural(seconds / hour, "hour");
  return plural(Math.ceil(seconds / minute), "minute");
}

const names = {
  deposited: "Deposited",
  claimed: "Claimed",
  withdrawing: "Withdrawal started",
  withdrawn: "Withdrawn",
  refunded: "Refunded",
  closed: "Closed",
} as const;

function Events({ events }: Pick<ChannelJson, "events">) {
  return (
    <DataTable
      caption="Events"
      rows={events}
      keyOf={({ transaction, what }) => `${transaction} ${what}`}
      empty={<p className="muted">No event is recorded yet.</p>}
      columns={[
        {
          title: "Event",
          inCard: "start",
          cell: ({ what, isReorganised }) => (
            <>
              {names[what]}
              {isReorganised && <span className="muted"> (reorganised out)</span>}
            </>
          ),
        },
        {
          title: "Amount",
          isNumber: true,
          inCard: "end",
          cell: ({ amount }) => (amount === null ? "–" : <Usdc units={amount} />),
        },
        { title: "Seen", cell: ({ at }) => <When at={at} /> },
        {
          title: "Transaction",
          cell: ({ transaction, explorer }) => (
            <Short text={transaction} what="transaction" href={explorer ?? undefined} />
          ),
        },
      ]}
    />
  );
}
