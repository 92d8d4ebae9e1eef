import { useQuery } from "@tanstack/react-query";
import { keysQuery } from "../../api/queries.ts";
import { SelectField } from "../../components/field.tsx";

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
  const named = data.keys.map(
    ({ id, label, lastFour }) => [id, `${label || "Unnamed"} …${lastFour}`] as const,
  );
  return (
    <SelectField label="Key" value={value} options={[["", "All"], ...named]} onText={onChange} />
  );
}
