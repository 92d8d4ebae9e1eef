import type { ChannelListJson } from "@farthing/facilitator/api";
import { channelsPath, channelsQuery } from "../../api/queries.ts";
import { useNetwork } from "../../chosen-network.ts";
import { Segments } from "../../components/button.tsx";
import { CodeBlock } from "../../components/code-block.tsx";
import { DataTable } from "../../components/data-table.tsx";
import { countText, shortText } from "../../components/format.ts";
import { CsvLink, Link } from "../../components/link.tsx";
import { ExampleRow } from "../../components/example-row.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { usdcColumn } from "../../components/usdc-column.tsx";
import { Short, Usdc, When } from "../../components/values.tsx";
import { go, useLocation, withSearch } from "../../location.ts";
import { ChannelBadge } from "./channel-badge.tsx";
import { ChannelBars } from "./channel-bars.tsx";

const states = [
  ["", "All"],
  ["open", "Open"],
  ["closed", "Closed"],
] as const;

export function ChannelsScreen() {
  const chosen = new URLSearchParams(useLocation().search);
  const network = useNetwork()?.id ?? "";
  const [state] = states.find(([one]) => one === chosen.get("state")) ?? states[0];
  const cursor = chosen.get("cursor") ?? "";
  return (
    <Page
      title="Channels"
      lead="Buyers deposit once and sign a voucher for each call. The facilitator claims what you charged in time."
      actions={
        <CsvLink path={channelsPath} filters={{ network, state }} name="channels" look="button" />
      }
    >
      <QueryBoundary query={channelsQuery({ state, network, cursor })} lines={8}>
        {({ sums, channels, next }) => (
          <>
            <Section title="All channels">
              <Sums sums={sums} />
              {sums.days.length > 0 && <ChannelBars days={sums.days} />}
            </Section>
            <Section
              title="List"
              actions={
                <Segments
                  label="Channels shown"
                  options={states}
                  value={state}
                  onChoose={(one) => go(withSearch("channels", { state: one }), { replace: true })}
                />
              }
            >
              <ChannelsTable
                rows={channels}
                empty={state === "" ? noChannel : <p className="muted">None is {state}.</p>}
              />
              <Pager path="channels" filters={{ state }} cursor={cursor} next={next} />
            </Section>
          </>
        )}
      </QueryBoundary>
    </Page>
  );
}

const example = `app.get("/word", charge({ price: "0.001", channel: true }), (request, response) => {
  response.json({ word: "hello" });
});`;

const noChannel = (
  <Empty
    title="No channels yet"
    link={["integrate", "Integrate"]}
    example={
      <ExampleRow
        of="channel"
        cells={[
          ["Payer", "0x7099…79C8", "whole"],
          ["Charged (USDC)", "0.042"],
          ["Deposited (USDC)", "0.10"],
          ["State", "open"],
        ]}
      />
    }
  >
    <p>
      A channel appears here once a buyer has deposited money in it. Offer channels on a route that
      is called often:
    </p>
    <CodeBlock code={example} what="Example of a route" language="typescript" />
  </Empty>
);

function Sums({ sums }: Pick<ChannelListJson, "sums">) {
  const rows = [
    ["Open channels", countText(sums.open)],
    ["Charged", <Usdc key="charged" units={sums.charged} />],
    ["Claimed", <Usdc key="claimed" units={sums.claimed} />],
    ["Settled", <Usdc key="settled" units={sums.settled} />],
    ["At risk", <Usdc key="risk" units={sums.atRisk} />],
    ["Next claim", <When key="next" at={sums.nextClaimAt} />],
  ] as const;
  return (
    <>
      <dl className="sums">
        {rows.map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <p className="muted">
        At risk is what you charged and the facilitator has not claimed yet. Settled is what arrived
        in your wallet.
      </p>
    </>
  );
}

function ChannelsTable({
  rows,
  empty,
}: {
  readonly rows: ChannelListJson["channels"];
  readonly empty: React.ReactNode;
}) {
  return (
    <DataTable
      caption="Channels"
      rows={rows}
      keyOf={({ channelId }) => channelId}
      empty={empty}
      columns={[
        {
          title: "Channel",
          inCard: "start",
          cell: ({ channelId }) => (
            <Link to={`channels/${channelId}`}>
              <code title={channelId}>{shortText(channelId)}</code>
            </Link>
          ),
        },
        { title: "State", inCard: "end", cell: (channel) => <ChannelBadge channel={channel} /> },
        { title: "Payer", cell: ({ payer }) => <Short text={payer} what="payer" /> },
        usdcColumn(rows, { title: "Charged", unitsOf: ({ charged }) => charged }),
        usdcColumn(rows, { title: "At risk", unitsOf: ({ atRisk }) => atRisk }),
        { title: "Next claim", cell: ({ claimBy }) => <When at={claimBy} /> },
        { title: "Opened", cell: ({ openedAt }) => <When at={openedAt} /> },
      ]}
    />
  );
}
