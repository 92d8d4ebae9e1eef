import { parseAddress } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { keysQuery, type SettlementFilters } from "../../api/queries.ts";
import { Field } from "../../parts/field.tsx";
import { go, usePlace, withSearch } from "../../place.ts";
import { useAccount } from "../../signed-in.ts";

const states = [
  ["", "All"],
  ["queued", "Queued"],
  ["submitted", "Submitted"],
  ["confirmed", "Confirmed"],
  ["failed", "Failed"],
] as const;

/** The filters in the address. */
export function useFilters(): SettlementFilters & { readonly cursor: string } {
  const { search } = usePlace();
  const parameters = new URLSearchParams(search);
  const read = (name: string) => parameters.get(name) ?? "";
  return {
    state: read("state"),
    payer: read("payer"),
    from: read("from"),
    to: read("to"),
    key: read("key"),
    network: read("network"),
    cursor: read("cursor"),
  };
}

/** The place with these filters, on its first page. */
export const filteredPlace = (filters: Partial<SettlementFilters>) =>
  withSearch("settlements", { ...filters });

/** The controls of the filters; each change is a new address. */
export function SettlementFilterBar() {
  const { cursor: _, ...filters } = useFilters();
  const { networks } = useAccount();
  const { data } = useQuery(keysQuery);
  const set = (change: Partial<SettlementFilters>) =>
    go(filteredPlace({ ...filters, ...change }), { replace: true });
  return (
    <form
      className="filters"
      role="search"
      aria-label="Settlements"
      onSubmit={(event) => event.preventDefault()}
    >
      <Choice
        label="State"
        value={filters.state}
        options={states}
        onChange={(state) => set({ state })}
      />
      <Field label="From">
        {(props) => (
          <input
            {...props}
            type="date"
            value={filters.from}
            onChange={(event) => set({ from: event.target.value })}
          />
        )}
      </Field>
      <Field label="To">
        {(props) => (
          <input
            {...props}
            type="date"
            value={filters.to}
            onChange={(event) => set({ to: event.target.value })}
          />
        )}
      </Field>
      <PayerFilter key={filters.payer} payer={filters.payer} onChange={(payer) => set({ payer })} />
      {data && data.keys.length > 1 && (
        <Choice
          label="Key"
          value={filters.key}
          options={[
            ["", "All"],
            ...data.keys.map(
              ({ id, label, lastFour }) => [id, `${label || "Unnamed"} …${lastFour}`] as const,
            ),
          ]}
          onChange={(key) => set({ key })}
        />
      )}
      {networks.length > 1 && (
        <Choice
          label="Network"
          value={filters.network}
          options={[["", "All"], ...networks.map(({ id, label }) => [id, label] as const)]}
          onChange={(network) => set({ network })}
        />
      )}
    </form>
  );
}

function Choice({
  label,
  value,
  options,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly options: readonly (readonly [value: string, title: string])[];
  readonly onChange: (value: string) => void;
}) {
  return (
    <Field label={label}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onChange(event.target.value)}>
          {options.map(([value, title]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

/** Takes an address when it is one: half of one filters nothing. */
function PayerFilter({
  payer,
  onChange,
}: {
  readonly payer: string;
  readonly onChange: (payer: string) => void;
}) {
  const [text, setText] = useState(payer);
  const isWrong = text.trim() !== "" && parseAddress(text) === undefined;
  return (
    <Field label="Payer" error={isWrong ? "0x or xdc, then 40 digits" : undefined}>
      {(props) => (
        <input
          {...props}
          className="mono"
          value={text}
          placeholder="0x… or xdc…"
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value);
            const address = parseAddress(event.target.value);
            if (address || event.target.value.trim() === "") onChange(address ?? "");
          }}
        />
      )}
    </Field>
  );
}
