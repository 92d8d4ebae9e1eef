import type { Role } from "@farthing/facilitator/api";
import { RadioChoice } from "../../components/field.tsx";

const options: readonly (readonly [role: Role, text: string])[] = [
  ["owner", "Owner: everything, including members, refunds and credits"],
  ["developer", "Developer: API keys, webhooks and listings; sees everything else"],
  ["read_only", "Read only: sees everything except secrets"],
];

export function RoleChoice({
  value,
  onChoose,
}: {
  readonly value: Role;
  readonly onChoose: (role: Role) => void;
}) {
  return (
    <RadioChoice
      legend="Role"
      name="role"
      options={options}
      value={value}
      onChoose={onChoose}
      isColumn
    />
  );
}
