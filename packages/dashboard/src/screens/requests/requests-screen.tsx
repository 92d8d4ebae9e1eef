import { useQuery } from "@tanstack/react-query";
import type { ApiCallJson, KeyMode } from "@farthing/facilitator/api";
import {
  requestFilterNames,
  requestHoursQuery,
  requestsQuery,
  type RequestFilters,
} from "../../api/queries.ts";
import { isLive, useNetwork } from "../../chosen-network.ts";
import { DataTable } from "../../components/data-table.tsx";
import { failureName } from "../../components/failure-names.ts";
import { SelectField } from "../../components/field.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { countText } from "../../components/format.ts";
import { Link } from "../../components/link.tsx";
import { ExampleRow } from "../../components/example-row.tsx";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Pager } from "../../components/pager.tsx";
import { When } from "../../components/values.tsx";
import { go, useLocation, withSearch } from "../../location.ts";
import { RequestHours } from "./request-hours.tsx";
import { StatusBadge } from "./status-badge.tsx";
import { KeyFilter, useKeyName } from "../keys/key-filter.tsx";

const statuses = [
  ["", "All"],
  ["2xx", "2xx"],
  ["4xx", "4xx"],
  ["5xx", "5xx"],
  ["refused", "Refused, with any status"],
] as const;

const paths = [
  ["", "All"],
  ["/verify", "/verify"],
  ["/settle", "/settle"],
  ["/settlements", "/settlements"],
  ["/v1/refunds", "/v1/refunds"],
  ["/v1/key", "/v1/key"],
  ["/supported", "/supported"],
] as const;

function useRequestFilters(): RequestFilters & { readonly cursor: string } {
  const { search } = useLocation();
  const parameters = new URLSearchParams(search);
  const texts = requestFilterNames.map((name) => [name, parameters.get(name) ?? ""]);
  const filters: RequestFilters = Object.fromEntries(texts);
  return { ...filters, cursor: parameters.get("cursor") ?? "" };
}

export function RequestsScreen() {
  const { cursor, ...filters } = useRequestFilters();
  const network = useNetwork();
  const mode = network && !isLive(network) ? "test" : "live";
  const isFiltered = Object.values(filters).some((value) => value !== "");
  return (
    <Page
      title="Request log"
      lead="Calls made with your API keys: the newest 10,000 of the last 30 days. Keys and signatures are not kept."
    >
      <Today mode={mode} />
      <Filters filters={filters} />
      <Section title={isFiltered ? "Found" : "Latest"}>
        <QueryBoundary query={requestsQuery({ ...filters, mode }, cursor)} lines={8}>
          {({ requests: rows, next }) => (
            <>
              {rows.length > 0 ? (
                <Requests rows={rows} />
              ) : isFiltered ? (
                <Empty title="No matching requests" link={["requests", "Clear filters"]}>
                  <p>No request matches all of these filters.</p>
                </Empty>
              ) : (
                <Empty title="No requests yet" link={["integrate", "Integrate"]} example={example}>
                  <p>The first call with one of your keys appears here within seconds.</p>
                </Empty>
              )}
              <Pager path="requests" filters={filters} cursor={cursor} next={next} />
            </>
          )}
        </QueryBoundary>
      </Section>
    </Page>
  );
}

const example = (
  <ExampleRow
    of="request"
    cells={[
      ["Request", "POST /settle", "start"],
      ["Time", "2 seconds ago", "start"],
      ["Status", "200", "end"],
    ]}
  />
);

/** Nothing while there was no call: the list says why. */
function Today({ mode }: { readonly mode: KeyMode }) {
  const { data } = useQuery(requestHoursQuery(mode));
  const isQuiet = data?.hours.every((hour) => hour.answered + hour.refused + hour.failed === 0);
  if (!data || isQuiet) return null;
  return (
    <Section title="Last 24 hours">
      <RequestHours hours={data.hours} />
    </Section>
  );
}

function Filters({ filters }: { readonly filters: RequestFilters }) {
  const keyName = useKeyName(filters.key);
  const set = (change: Partial<RequestFilters>) =>
    go(withSearch("requests", { ...filters, ...change }), { replace: true });
  const [, status = filters.status] = statuses.find(([one]) => one === filters.status) ?? [];
  const texts = {
    status: `Status: ${status}`,
    path: `Path: ${filters.path}`,
    key: `Key: ${keyName}`,
  };
  return (
    <FilterBar
      label="Requests"
      set={requestFilterNames
        .filter((name) => filters[name] !== "")
        .map((name) => ({ text: texts[name], onRemove: () => set({ [name]: "" }) }))}
      onClear={() => go("requests", { replace: true })}
    >
      <SelectField
        label="Status"
        value={filters.status}
        options={statuses}
        onText={(status) => set({ status })}
      />
      <SelectField
        label="Path"
        value={filters.path}
        options={paths}
        onText={(path) => set({ path })}
      />
      <KeyFilter value={filters.key} onChange={(key) => set({ key })} />
    </FilterBar>
  );
}

function Requests({ rows }: { readonly rows: readonly ApiCallJson[] }) {
  return (
    <DataTable
      caption="Requests"
      rows={rows}
      keyOf={({ requestId }) => requestId}
      columns={[
        {
          title: "Time",
          inCard: "start",
          cell: ({ requestId, createdAt }) => (
            <Link to={`requests/${requestId}`}>
              <When at={createdAt} />
            </Link>
          ),
        },
        {
          title: "Request",
          inCard: "whole",
          cell: ({ method, path }) => (
            <code className="breakable">
              {method} {path}
            </code>
          ),
        },
        {
          title: "Status",
          inCard: "end",
          cell: (row) => (
            <span>
              <StatusBadge call={row} />
              {row.code !== null && (
                <span className="reason" title={row.code}>
                  {failureName(row.code)}
                </span>
              )}
            </span>
          ),
        },
        {
          title: "Key",
          inCard: "start",
          cell: ({ key: { label } }) => label || <span className="muted">Unnamed</span>,
        },
        {
          title: "Duration",
          isNumber: true,
          inCard: "end",
          cell: ({ durationMs }) => `${countText(durationMs)} ms`,
        },
      ]}
    />
  );
}
