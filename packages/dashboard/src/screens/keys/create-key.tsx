import { useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import type { KeyMode, NewApiKey } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { keysQuery } from "../../api/queries.ts";
import { DialogActions } from "../../components/dialog-actions.tsx";
import { Dialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { WalletTaskStatus } from "../../components/wallet-task-status.tsx";
import { useAccount } from "../../signed-in.ts";
import { prove } from "../../wallet/proof.ts";
import { useWalletTask } from "../../wallet/wallet-task.ts";

/** Enough for "Production, Frankfurt, second cluster". */
const labelCharactersMax = 60;

const expiries = [
  ["", "Never"],
  ["30", "In 30 days"],
  ["90", "In 90 days"],
  ["365", "In a year"],
] as const;

/** Asks for a name, a network and an end, has it signed, and hands on the new key. */
export function CreateKey({
  onClose,
  onCreated,
}: {
  readonly onClose: () => void;
  readonly onCreated: (key: NewApiKey) => void;
}) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const modes = modesOf(account.networks.map(({ chainId }) => chainId));
  const [label, setLabel] = useState("");
  const [mode, setMode] = useState<KeyMode>(modes[0] ?? "test");
  const [days, setDays] = useState("");
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const expiresInDays = days === "" ? null : Number(days);
    const wanted = { label: label.trim(), mode, expiresInDays };
    task.run(async (tools) => {
      const stepUp = await prove(account, "create_key", wanted, tools);
      const body = { ...wanted, stepUp };
      const key = await call<NewApiKey>("/v1/account/keys", { method: "POST", body });
      await client.invalidateQueries(keysQuery);
      onCreated(key);
    });
  };
  return (
    <Dialog title="Create an API key" onClose={onClose}>
      <form onSubmit={submit}>
        <fieldset className="plain" disabled={task.isWorking}>
          <Field label="Name" hint="Describe where the key is used.">
            {(props) => (
              <input
                {...props}
                value={label}
                required
                maxLength={labelCharactersMax}
                placeholder="Production"
                autoComplete="off"
                onChange={(event) => setLabel(event.target.value)}
              />
            )}
          </Field>
          <ModeChoice modes={modes} mode={mode} onChoose={setMode} />
          <Field label="Expires">
            {(props) => (
              <select {...props} value={days} onChange={(event) => setDays(event.target.value)}>
                {expiries.map(([value, title]) => (
                  <option key={value} value={value}>
                    {title}
                  </option>
                ))}
              </select>
            )}
          </Field>
        </fieldset>
        <WalletTaskStatus task={task} />
        <DialogActions onClose={onClose}>
          <button type="submit" className="button primary" disabled={task.isWorking}>
            Sign and create
          </button>
        </DialogActions>
      </form>
    </Dialog>
  );
}

/** Live keys settle on the main network, test keys on Apothem. */
function modesOf(chainIds: readonly number[]): readonly KeyMode[] {
  return [
    ...(chainIds.includes(50) ? ["live" as const] : []),
    ...(chainIds.includes(51) ? ["test" as const] : []),
  ];
}

function ModeChoice({
  modes,
  mode,
  onChoose,
}: {
  readonly modes: readonly KeyMode[];
  readonly mode: KeyMode;
  readonly onChoose: (mode: KeyMode) => void;
}) {
  return (
    <fieldset className="choice">
      <legend>Network</legend>
      {modes.map((one) => (
        <label key={one}>
          <input type="radio" name="mode" checked={one === mode} onChange={() => onChoose(one)} />
          {one === "live" ? "XDC, real payments" : "Apothem, test payments"}
        </label>
      ))}
    </fieldset>
  );
}
