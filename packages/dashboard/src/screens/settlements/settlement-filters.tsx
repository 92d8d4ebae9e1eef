import { isTransactionHash, parseAddress } from "@farthing/protocol";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { keysQuery, type SettlementFilters } from "../../api/queries.ts";
import { Field } from "../../components/field.tsx";
import { go, useLocation, withSearch } from "../../location.ts";
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
  const { search } = useLocation();
  const parameters = new URLSearchParams(search);
  const read = (name: string) => parameters.get(name) ?? "";
  return {
    state: read("state"),
    payer: read("payer"),
    from: read("from"),
    to: read("to"),
    key: read("key"),
    network: read("network"),
    transaction: read("transaction"),
    cursor: read("cursor"),
  };
}

/** The place with these filters, on its first page. */
export const filteredPath = (filters: Partial<SettlementFilters>) =>
  withSearch("settlements", { ...filters });

/** The controls of the filters; each change is a new address. */
export function SettlementFilterBar() {
  const { cursor: _, ...filters } = useFilters();
  const { networks } = useAccount();
  const { data } = useQuery(keysQuery);
  const set = (change: Partial<SettlementFilters>) =>
    go(filteredPath({ ...filters, ...change }), { replace: true });
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
      <Field label="From (UTC day)">
        {(props) => (
          <input
            {...props}
            type="date"
            value={filters.from}
            onChange={(event) => set({ from: event.target.value })}
          />
        )}
      </Field>
      <Field label="To (UTC day)">
        {(props) => (
          <input
            {...props}
            type="date"
            value={filters.to}
            onChange={(event) => set({ to: event.target.value })}
          />
        )}
      </Field>
      <TextFilter kind={addressFilter} value={filters.payer} onChange={(payer) => set({ payer })} />
      <TextFilter
        kind={transactionFilter}
        value={filters.transaction}
        onChange={(transaction) => set({ transaction })}
      />
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

const addressFilter: TextFilterKind = {
  label: "Payer",
  placeholder: "0x… or xdc…",
  wrong: "0x or xdc, then 40 digits",
  read: parseAddress,
};

const transactionFilter: TextFilterKind = {
  label: "Transaction",
  placeholder: "0x…",
  wrong: "0x, then 64 digits",
  read: (text) => (isTransactionHash(text.trim()) ? text.trim() : undefined),
};

/** What a filter by text looks for. */
interface TextFilterKind {
  readonly label: string;
  readonly placeholder: string;
  readonly wrong: string;
  /** The whole value; undefined while it is none. */
  readonly read: (text: string) => string | undefined;
}

/** Takes a value when it is whole: half of one filters nothing. */
function TextFilter({
  kind: { label, placeholder, wrong, read },
  value,
  onChange,
}: {
  readonly kind: TextFilterKind;
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const [text, setText] = useState(value);
  const isWrong = text.trim() !== "" && read(text) === undefined;
  useEffect(() => {
    // The filters were cleared, or the reader went back.
    setText((shown) => ((read(shown) ?? "") === value ? shown : value));
  }, [value, read]);
  return (
    <Field label={label} error={isWrong ? wrong : undefined}>
      {(props) => (
        <input
          {...props}
          className="mono"
          value={text}
          placeholder={placeholder}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => {
            setText(event.target.value);
            const whole = read(event.target.value);
            if (whole !== undefined || event.target.value.trim() === "") onChange(whole ?? "");
          }}
        />
      )}
    </Field>
  );
}
