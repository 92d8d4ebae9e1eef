import { useQuery } from "@tanstack/react-query";
import { settlementsPath, settlementsQuery } from "../../api/queries.ts";
import { Empty } from "../../components/empty.tsx";
import { DownIcon } from "../../components/icons.tsx";
import { Link } from "../../components/link.tsx";
import { QueryBoundary } from "../../components/query-boundary.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { withSearch } from "../../location.ts";
import { filteredPath, SettlementFilterBar, useFilters } from "./settlement-filters.tsx";
import { SettlementsTable } from "./settlements-table.tsx";

/** All settlements of the account, filtered, a page at a time; the first page is live. */
export function SettlementsScreen() {
  const { cursor, ...filters } = useFilters();
  const settlements = useQuery(settlementsQuery(filters, cursor));
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <Page
      title="Settlements"
      lead="Every payment accepted with one of your keys. The first page updates automatically."
      actions={
        <a
          className="button"
          href={withSearch(settlementsPath, { ...filters, format: "csv" })}
          download="farthing-settlements.csv"
        >
          <DownIcon /> CSV
        </a>
      }
    >
      <SettlementFilterBar />
      <Section title={isFiltered ? "Found" : "Latest"}>
        <QueryBoundary query={settlements} lines={8}>
          {({ settlements: rows, next }) => (
            <>
              {rows.length > 0 ? (
                <SettlementsTable rows={rows} />
              ) : isFiltered ? (
                <Empty
                  title="No matching settlements"
                  action={
                    <Link to="settlements" className="button">
                      Clear filters
                    </Link>
                  }
                >
                  <p>No settlement matches all of these filters.</p>
                </Empty>
              ) : (
                <Empty
                  title="No settlements yet"
                  action={
                    <Link to="integrate" className="button">
                      Integrate
                    </Link>
                  }
                >
                  <p>The first payment your server settles appears here automatically.</p>
                </Empty>
              )}
              <Pager
                newest={cursor === "" ? undefined : filteredPath(filters)}
                older={
                  next === null
                    ? undefined
                    : withSearch("settlements", { ...filters, cursor: next })
                }
              />
            </>
          )}
        </QueryBoundary>
      </Section>
    </Page>
  );
}
