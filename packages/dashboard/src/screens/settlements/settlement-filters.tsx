import {
  bookedResource,
  bookedRouteCharsMax,
  isBookText,
  isTransactionHash,
  parseAddress,
  referenceCharsMax,
} from "@farthing/protocol";
import { useEffect, useState } from "react";
import { filterNames, type SettlementFilters } from "../../api/queries.ts";
import { go, useLocation, withSearch } from "../../location.ts";
import { useNetwork } from "../../chosen-network.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { FilterBar } from "../../components/filter-bar.tsx";
import { shortText } from "../../components/format.ts";
import { KeyFilter, useKeyName } from "../keys/key-filter.tsx";

const states = [
  ["", "All"],
  ["queued", "Queued"],
  ["submitted", "Submitted"],
  ["confirmed", "Confirmed"],
  ["failed", "Failed"],
] as const;

export function useFilters(): SettlementFilters & { readonly cursor: string } {
  const { search } = useLocation();
  const parameters = new URLSearchParams(search);
  const texts = filterNames.map((name) => [name, parameters.get(name) ?? ""]);
  const filters: SettlementFilters = Object.fromEntries(texts);
  return {
    ...filters,
    network: useNetwork()?.id ?? "",
    cursor: parameters.get("cursor") ?? "",
  };
}

/** The network is chosen for all screens. */
const titles = {
  state: "State",
  from: "From",
  to: "To",
  payer: "Payer",
  transaction: "Transaction",
  resource: "Resource",
  route: "Route",
  reference: "Reference",
  key: "Key",
} as const satisfies Partial<Record<keyof SettlementFilters, string>>;

const shownNames = filterNames.filter((name) => name !== "network");

export function SettlementFilterBar() {
  const { cursor: _, ...filters } = useFilters();
  const keyName = useKeyName(filters.key);
  const set = (change: Partial<SettlementFilters>) =>
    go(withSearch("settlements", { ...filters, ...change }), { replace: true });
  const textOf = (name: (typeof shownNames)[number]) => {
    if (name === "key") return keyName;
    return name === "payer" || name === "transaction" ? shortText(filters[name]) : filters[name];
  };
  return (
    <FilterBar
      label="Settlements"
      set={shownNames
        .filter((name) => filters[name] !== "")
        .map((name) => ({
          text: `${titles[name]}: ${textOf(name)}`,
          onRemove: () => set({ [name]: "" }),
        }))}
      onClear={() => go("settlements", { replace: true })}
    >
      <SelectField
        label="State"
        value={filters.state}
        options={states}
        onText={(state) => set({ state })}
      />
      <TextField
        label="From (UTC day)"
        type="date"
        value={filters.from}
        onText={(from) => set({ from })}
      />
      <TextField label="To (UTC day)" type="date" value={filters.to} onText={(to) => set({ to })} />
      <TextFilter
        label="Payer"
        placeholder="0x… or xdc…"
        wrong="0x or xdc, then 40 digits"
        read={parseAddress}
        value={filters.payer}
        onChange={(payer) => set({ payer })}
      />
      <TextFilter
        label="Transaction"
        placeholder="0x…"
        wrong="0x, then 64 digits"
        read={readTransaction}
        value={filters.transaction}
        onChange={(transaction) => set({ transaction })}
      />
      <BookFilters filters={filters} set={set} />
      <KeyFilter value={filters.key} onChange={(key) => set({ key })} />
    </FilterBar>
  );
}

function readTransaction(text: string): string | undefined {
  return isTransactionHash(text.trim()) ? text.trim() : undefined;
}

/** What the payments were for. */
function BookFilters({
  filters,
  set,
}: {
  readonly filters: SettlementFilters;
  readonly set: (change: Partial<SettlementFilters>) => void;
}) {
  return (
    <>
      <TextFilter
        label="Resource"
        placeholder="https://…"
        wrong="An address without a query"
        read={bookedResource}
        value={filters.resource}
        onChange={(resource) => set({ resource })}
      />
      <TextFilter
        label="Route"
        placeholder="GET /…"
        wrong="Printable ASCII"
        read={readRoute}
        value={filters.route}
        onChange={(route) => set({ route })}
      />
      <TextFilter
        label="Reference"
        placeholder="Order number"
        wrong="Printable ASCII, at most 64"
        read={readReference}
        value={filters.reference}
        onChange={(reference) => set({ reference })}
      />
    </>
  );
}

const readRoute = (text: string) => readBookText(text, bookedRouteCharsMax);
const readReference = (text: string) => readBookText(text, referenceCharsMax);

function readBookText(text: string, charsMax: number): string | undefined {
  const trimmed = text.trim();
  return isBookText(trimmed, charsMax) ? trimmed : undefined;
}

interface TextFilterProps {
  readonly label: string;
  readonly placeholder: string;
  readonly wrong: string;
  /** Undefined for text that is incomplete. */
  readonly read: (text: string) => string | undefined;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Incomplete text does not filter. */
function TextFilter({ wrong, read, value, onChange, ...field }: TextFilterProps) {
  const [text, setText] = useState(value);
  const isWrong = text.trim() !== "" && read(text) === undefined;
  useEffect(() => {
    // The filters were cleared, or the user went back.
    setText((shown) => ((read(shown) ?? "") === value ? shown : value));
  }, [value, read]);
  return (
    <TextField
      {...field}
      error={isWrong ? wrong : undefined}
      className="mono"
      value={text}
      spellCheck={false}
      autoComplete="off"
      onText={(entered) => {
        setText(entered);
        const whole = read(entered);
        if (whole !== undefined || entered.trim() === "") onChange(whole ?? "");
      }}
    />
  );
}
