import type { ApiKeyJson } from "@farthing/facilitator/api";
import { useQuery } from "@tanstack/react-query";
import { keysQuery } from "../../api/queries.ts";
import { SelectField } from "../../components/field.tsx";

const nameOf = ({ label, lastFour }: ApiKeyJson) => `${label || "Unnamed"} …${lastFour}`;

/** How a key is named among the filters that are set. */
export function useKeyName(id: string): string {
  const { data } = useQuery(keysQuery);
  const key = data?.keys.find((one) => one.id === id);
  return key ? nameOf(key) : id;
}

/** Narrows a list to one key, where the account has several. */
export function KeyFilter({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (id: string) => void;
}) {
  const { data } = useQuery(keysQuery);
  if (!data || data.keys.length < 2) return null;
  const named = data.keys.map((key) => [key.id, nameOf(key)] as const);
  return (
    <SelectField label="Key" value={value} options={[["", "All"], ...named]} onText={onChange} />
  );
}
