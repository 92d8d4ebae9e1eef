import { useState } from "react";
import type { LinkedWalletJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { walletsPath, walletsQuery } from "../../api/queries.ts";
import { shortText } from "../../components/format.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";
import { RoleChoice } from "./role-choice.tsx";

export function ChangeRole({
  member: { address, role: before },
  onClose,
}: {
  readonly member: LinkedWalletJson;
  readonly onClose: () => void;
}) {
  const [role, setRole] = useState(before);
  return (
    <SignedDialog
      title={`Change the role of ${shortText(address)}`}
      action="change_role"
      details={{ address, role }}
      send={(stepUp) =>
        call(`${walletsPath}/${address}`, { method: "PATCH", body: { role, stepUp } })
      }
      refreshes={walletsQuery}
      announces="Role changed"
      onClose={onClose}
      label="Sign and change"
      isReady={role !== before}
    >
      <RoleChoice value={role} onChoose={setRole} />
      <p className="muted">The new role counts at once, also where this member is signed in.</p>
    </SignedDialog>
  );
}
