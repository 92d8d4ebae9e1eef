import { useState } from "react";
import type { KeyMode, NewApiKeyJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { RadioChoice, SelectField, TextField } from "../../components/field.tsx";
import { labelProblem } from "../../components/label-text.ts";
import { SignedDialog } from "../../components/signed-dialog.tsx";
import { useAccount } from "../../signed-in.ts";

/** Enough for "Production, Frankfurt, second cluster". */
const labelCharactersMax = 60;

const expiries = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

export function CreateKey({
  mode: modeShown,
  onClose,
  onCreated,
}: {
  readonly mode: KeyMode;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKeyJson) => void;
}) {
  const modes = modesOf(useAccount().networks.map(({ chainId }) => chainId));
  const [label, setLabel] = useState("");
  const [mode, setMode] = useState<KeyMode>(modeShown);
  const [days, setDays] = useState("");
  const wrong = labelProblem(label);
  const wanted = { label: label.trim(), mode, expiresInDays: days === "" ? null : Number(days) };
  return (
    <SignedDialog
      title="Create an API key"
      action="create_key"
      details={wanted}
      send={(stepUp) =>
        call<NewApiKeyJson>("/v1/account/keys", { method: "POST", body: { ...wanted, stepUp } })
      }
      refreshes={keysQuery}
      onDone={onCreated}
      onClose={onClose}
      label="Sign and create"
      isReady={wrong === undefined}
    >
      <TextField
        label="Name"
        hint="Describe where the key is used."
        error={wrong}
        value={label}
        required
        maxLength={labelCharactersMax}
        placeholder="Production"
        autoComplete="off"
        onText={setLabel}
      />
      <RadioChoice legend="Network" name="mode" options={modes} value={mode} onChoose={setMode} />
      <SelectField label="Expires" value={days} options={expiries} onText={setDays} />
    </SignedDialog>
  );
}

/** Live keys settle on the main network, test keys on Apothem. */
function modesOf(chainIds: readonly number[]): readonly (readonly [KeyMode, string])[] {
  return [
    ...(chainIds.includes(50) ? [["live", "XDC, real payments"] as const] : []),
    ...(chainIds.includes(51) ? [["test", "Apothem, test payments"] as const] : []),
  ];
}
