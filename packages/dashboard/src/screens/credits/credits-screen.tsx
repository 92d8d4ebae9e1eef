import type { Credits } from "@farthing/facilitator/api";
import { creditsQuery } from "../../api/queries.ts";
import { Allowed } from "../../components/button.tsx";
import { Link } from "../../components/link.tsx";
import { Page, QueryBoundary } from "../../components/page.tsx";
import { countText, plural, timeText } from "../../components/format.ts";
import { useAccount } from "../../signed-in.ts";
import { Ledger } from "./ledger.tsx";
import { LowBalanceForm } from "./low-balance-form.tsx";
import { Purchases } from "./purchases.tsx";

export function CreditsScreen() {
  const { treasury } = useAccount();
  return (
    <Page
      title="Credits"
      lead="One credit costs 0.001 USDC. Credits are reserved when a settlement is accepted, spent when it is confirmed, and returned if it fails."
      actions={
        treasury !== null && (
          <Allowed to="buy_credits">
            <Link to="credits/buy" className="button primary">
              Buy credits
            </Link>
          </Allowed>
        )
      }
    >
      <QueryBoundary query={creditsQuery} lines={3}>
        {(known) => <BalanceTiles credits={known} />}
      </QueryBoundary>
      {treasury !== null && <Purchases />}
      <LowBalanceForm />
      <Ledger />
    </Page>
  );
}

function BalanceTiles({ credits }: { readonly credits: Credits }) {
  const { available, held, perSettlement, perSettlementSince: since } = credits;
  const isFree = perSettlement === 0;
  const left = isFree ? "" : `≈ ${plural(Math.floor(available / perSettlement), "settlement")}`;
  const tiles = [
    ["Available", countText(available), left],
    ["Reserved", countText(held), "for settlements in progress"],
    isFree
      ? ["Price", "Free", "no credits charged"]
      : [
          "Price",
          countText(perSettlement),
          `${perSettlement === 1 ? "credit" : "credits"} per settlement${since === null ? "" : `, since ${timeText(since)}`}`,
        ],
  ] as const;
  return (
    <section className="tiles" aria-label="Balance">
      {tiles.map(([title, figure, note]) => (
        <div key={title} className="tile">
          <h2>{title}</h2>
          <p className="figure">{figure}</p>
          {note !== "" && <p className="muted">{note}</p>}
        </div>
      ))}
    </section>
  );
}
