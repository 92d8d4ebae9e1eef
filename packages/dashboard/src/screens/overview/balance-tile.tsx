import { useQuery } from "@tanstack/react-query";
import { usageQuery } from "../../api/queries.ts";
import { Allowed } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { countText, daysAgo, daysLeftText, plural } from "../../components/format.ts";
import { useAccount } from "../../signed-in.ts";

/** The average of a week: a day is chance, a month is history. */
const paceDays = 7;

export function BalanceTile() {
  const { credits, creditsPerSettlement, treasury } = useAccount();
  if (creditsPerSettlement === 0) {
    return (
      <section className="tiles" aria-label="Balance">
        <div className="tile">
          <h2>Price of a settlement</h2>
          <p className="figure">Free</p>
          <p className="muted">This facilitator does not charge credits.</p>
        </div>
      </section>
    );
  }
  const left = Math.floor(credits.available / creditsPerSettlement);
  return (
    <section className="tiles" aria-label="Balance">
      <div className="tile wide">
        <h2>Credits</h2>
        <p className="figure">{countText(credits.available)}</p>
        <p className="muted">
          {left === 0 ? (
            "Not enough for a settlement"
          ) : (
            <>
              ≈ {plural(left, "settlement")} left
              <DaysLeft available={credits.available} />
            </>
          )}
          {credits.held > 0 && ` · ${countText(credits.held)} reserved for settlements in progress`}
        </p>
      </div>
      {treasury !== null && (
        <Allowed to="buy_credits">
          <div className="tile-action">
            <Link to="credits/buy" className="button primary">
              Buy credits
            </Link>
          </div>
        </Allowed>
      )}
    </section>
  );
}

function DaysLeft({ available }: { readonly available: number }) {
  const { data } = useQuery(usageQuery(daysAgo(paceDays - 1)));
  const spent = data?.days.reduce((sum, { credits }) => sum + credits, 0) ?? 0;
  if (spent === 0) return null;
  const days = available / (spent / paceDays);
  return <> · {daysLeftText(days)} at the pace of the last week</>;
}
