import { parseAddress } from "@farthing/protocol";
import { useState } from "react";
import type { Role } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { invitationsPath, invitationsQuery } from "../../api/queries.ts";
import { SelectField, TextField } from "../../components/field.tsx";
import { SignedDialog } from "../../components/signed-dialog.tsx";
import { useAccount } from "../../signed-in.ts";
import { RoleChoice } from "./role-choice.tsx";

export function InviteMember({ onClose }: { readonly onClose: () => void }) {
  const { networks } = useAccount();
  const [text, setText] = useState("");
  const [role, setRole] = useState<Role>("developer");
  const [contractOn, setContractOn] = useState("");
  const address = parseAddress(text);
  const chainId = networks.find((one) => `${one.chainId}` === contractOn)?.chainId ?? null;
  const details = { address, role, chainId };
  return (
    <SignedDialog
      title="Invite a member"
      action="invite_member"
      details={details}
      send={(stepUp) => call(invitationsPath, { method: "POST", body: { ...details, stepUp } })}
      refreshes={invitationsQuery}
      announces="Member invited"
      onClose={onClose}
      label="Sign and invite"
      isReady={address !== undefined}
    >
      <TextField
        label="Wallet address"
        hint="The address with which this person signs in, 0x… or xdc…."
        error={
          text.trim() !== "" && !address
            ? "Enter an address: 0x or xdc, followed by 40 hexadecimal digits."
            : undefined
        }
        className="mono"
        value={text}
        spellCheck={false}
        autoComplete="off"
        onText={setText}
      />
      <SelectField
        label="Kind of wallet"
        hint="A contract wallet, such as a Safe, can join on its own network only."
        value={contractOn}
        options={[
          ["", "Wallet with a key"],
          ...networks.map((one) => [`${one.chainId}`, `Contract wallet on ${one.label}`] as const),
        ]}
        onText={setContractOn}
      />
      <RoleChoice value={role} onChoose={setRole} />
      <p className="muted">
        The person signs in here with this wallet and accepts the invitation on their overview
        within seven days.
      </p>
    </SignedDialog>
  );
}
