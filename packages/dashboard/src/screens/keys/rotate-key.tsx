import { useState } from "react";
import type { ApiKeyJson, NewApiKeyJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { RadioChoice } from "../../components/field.tsx";
import { SignedDialog } from "../../components/signed-dialog.tsx";

const overlaps = [
  ["24h", "For 24 hours", "time to deploy the new key"],
  ["1h", "For an hour", ""],
  ["7d", "For 7 days", "when several teams need to switch"],
  ["0", "Not at all", "the old key has leaked"],
] as const;

const options = overlaps.map(([value, title, why]) => {
  const note = why !== "" && <span className="muted"> · {why}</span>;
  return [
    value,
    <span>
      {title}
      {note}
    </span>,
  ] as const;
});

interface RotateKeyProps {
  readonly apiKey: ApiKeyJson;
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKeyJson) => void;
}

export function RotateKey({ apiKey, onClose, onCreated }: RotateKeyProps) {
  const { id } = apiKey;
  const [overlap, setOverlap] = useState<string>(overlaps[0][0]);
  return (
    <SignedDialog
      title={`Rotate ${apiKey.label || "key"}`}
      action="rotate_key"
      details={{ id, overlap }}
      send={(stepUp) =>
        call<NewApiKeyJson>(`/v1/account/keys/${id}/rotate`, {
          method: "POST",
          body: { overlap, stepUp },
        })
      }
      refreshes={keysQuery}
      onDone={onCreated}
      onClose={onClose}
      label="Sign and rotate"
    >
      <p>
        A new key with the same name replaces{" "}
        <code>
          {apiKey.prefix}…{apiKey.lastFour}
        </code>
        .
      </p>
      <RadioChoice
        legend="Keep the old key working"
        name="overlap"
        options={options}
        value={overlap}
        onChoose={setOverlap}
        isColumn
      />
    </SignedDialog>
  );
}
