import { useQuery } from "@tanstack/react-query";
import type { Credits } from "@farthing/facilitator/api";
import { creditsQuery } from "../../api/queries.ts";
import { Link } from "../../components/link.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Page } from "../../components/page.tsx";
import { countText, plural } from "../../components/format.ts";
import { useAccount } from "../../signed-in.ts";
import { Ledger } from "./ledger.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { Purchases } from "./purchases.tsx";

/** The balance, how it came about, and the way to more. */
export function CreditsScreen() {
  const { treasury } = useAccount();
  const credits = useQuery(creditsQuery);
  return (
    <Page
      title="Credits"
      lead="One credit costs 0.001 USDC. Credits are reserved when a settlement is accepted, spent when it is confirmed, and returned if it fails."
      actions={
        treasury !== null && (
          <Link to="credits/buy" className="button primary">
            Buy credits
          </Link>
        )
      }
    >
      <QueryBoundary query={credits} lines={3}>
        {(known) => <BalanceTiles credits={known} />}
      </QueryBoundary>
      {treasury !== null && <Purchases />}
      <LowBalanceForm />
      <Ledger />
    </Page>
  );
}

function BalanceTiles({ credits }: { readonly credits: Credits }) {
  const { available, held, perSettlement } = credits;
  return (
    <section className="tiles" aria-label="Balance">
      <div className="tile">
        <h2>Available</h2>
        <p className="figure">{countText(available)}</p>
        {perSettlement > 0 && (
          <p className="muted">≈ {plural(Math.floor(available / perSettlement), "settlement")}</p>
        )}
      </div>
      <div className="tile">
        <h2>Reserved</h2>
        <p className="figure">{countText(held)}</p>
        <p className="muted">for settlements in progress</p>
      </div>
      <div className="tile">
        <h2>Price</h2>
        <p className="figure">{perSettlement === 0 ? "Free" : countText(perSettlement)}</p>
        <p className="muted">{perSettlement === 0 ? "no credits charged" : "per settlement"}</p>
      </div>
    </section>
  );
}
