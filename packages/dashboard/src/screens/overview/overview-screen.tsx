import { useQuery } from "@tanstack/react-query";
import {
  isNewQuery,
  keysQuery,
  newestSettlementsQuery,
  purchasesQuery,
} from "../../api/queries.ts";
import { Link } from "../../components/link.tsx";
import { Notice } from "../../components/notice.tsx";
import { Page, QueryBoundary, Section } from "../../components/page.tsx";
import { plural } from "../../components/format.ts";
import { useNetwork } from "../../chosen-network.ts";
import { useAccount } from "../../signed-in.ts";
import { NoSettlements } from "../settlements/no-settlements.tsx";
import { SettlementsTable } from "../settlements/settlements-table.tsx";
import { BalanceTile } from "./balance-tile.tsx";
import { Invitations } from "./invitations.tsx";
import { SetUp } from "./set-up.tsx";
import { UsageSection } from "./usage-section.tsx";

export function OverviewScreen() {
  const { label } = useAccount();
  const network = useNetwork();
  const newest = newestSettlementsQuery(network?.id);
  const { data: isNew } = useQuery(isNewQuery);
  const keys = useQuery(keysQuery);
  return (
    <Page title={label === "" ? "Overview" : label}>
      <Invitations />
      <HeldPurchases />
      {isNew && keys.data && <SetUp keys={keys.data.keys} />}
      <BalanceTile />
      {isNew === false && <UsageSection />}
      <Section title="Recent settlements" actions={<Link to="settlements">All settlements</Link>}>
        <QueryBoundary query={newest}>
          {({ settlements }) =>
            settlements.length === 0 ? <NoSettlements /> : <SettlementsTable rows={settlements} />
          }
        </QueryBoundary>
      </Section>
    </Page>
  );
}

function HeldPurchases() {
  const { data } = useQuery(purchasesQuery);
  const held = data?.purchases.filter(({ state }) => state === "held") ?? [];
  const [first] = held;
  if (!first) return null;
  return (
    <Notice
      tone="warn"
      title={`${plural(held.length, "purchase")} held for review`}
      actions={
        <Link to={`credits/purchases/${first.id}`} className="button small">
          View details
        </Link>
      }
    >
      <p>Your payment has arrived. Credits are added once the review is complete.</p>
    </Notice>
  );
}
