import { settlementsPath, settlementsQuery } from "../../api/queries.ts";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { SettlementFilterBar, useFilters } from "./settlement-filters.tsx";
import { NoSettlements } from "./no-settlements.tsx";
import { SettlementsTable } from "./settlements-table.tsx";
import { CsvLink } from "../../components/link.tsx";

export function SettlementsScreen() {
  const { cursor, ...filters } = useFilters();
  const isFiltered = Object.entries(filters).some(
    ([name, value]) => name !== "network" && value !== "",
  );
  return (
    <Page
      title="Settlements"
      lead="Every payment accepted with one of your keys, and every refund. The first page updates automatically."
      actions={
        <CsvLink path={settlementsPath} filters={filters} name="settlements" look="button" />
      }
    >
      <SettlementFilterBar />
      <Section title={isFiltered ? "Found" : "Latest"}>
        <QueryBoundary query={settlementsQuery(filters, cursor)} lines={8}>
          {({ settlements: rows, next }) => (
            <>
              {rows.length > 0 ? (
                <SettlementsTable rows={rows} />
              ) : isFiltered ? (
                <Empty title="No matching settlements" link={["settlements", "Clear filters"]}>
                  <p>No settlement matches all of these filters.</p>
                </Empty>
              ) : (
                <NoSettlements />
              )}
              <Pager path="settlements" filters={filters} cursor={cursor} next={next} />
            </>
          )}
        </QueryBoundary>
      </Section>
    </Page>
  );
}
