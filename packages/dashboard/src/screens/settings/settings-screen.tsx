import { toXdcAddress } from "@farthing/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../../api/call.ts";
import { accountQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Field } from "../../components/field.tsx";
import { Page, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Whole } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";
import { LinkedWallets } from "./linked-wallets.tsx";
import { Sessions } from "./sessions.tsx";

/** The account itself: its address, its name, who may act for it, and from where. */
export function SettingsScreen() {
  const { account, version } = useAccount();
  return (
    <Page title="Settings">
      <Section title="Account">
        <dl className="facts">
          <dt>Address</dt>
          <dd>
            <Whole text={account} what="account address" />
            <div className="muted">
              Your API’s payments go to this address. It cannot be changed.
            </div>
          </dd>
          <dt>In XDC’s form</dt>
          <dd>
            <Whole text={toXdcAddress(account)} what="account address in XDC’s form" />
          </dd>
        </dl>
        <NameForm />
      </Section>
      <LinkedWallets />
      <Sessions />
      <p className="muted">Farthing {version}</p>
    </Page>
  );
}

/** A name fits into the navigation. */
const nameCharactersMax = 60;

function NameForm() {
  const { label } = useAccount();
  const client = useQueryClient();
  const [edited, setEdited] = useState<string>();
  const text = edited ?? label;
  const save = useMutation({
    mutationFn: () => call("/v1/account", { method: "PATCH", body: { label: text.trim() } }),
    onSuccess: async () => {
      await client.invalidateQueries(accountQuery);
      setEdited(undefined);
      announce("Saved");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <Field label="Name" hint="Only shown here, never to buyers.">
          {(props) => (
            <input
              {...props}
              value={text}
              maxLength={nameCharactersMax}
              autoComplete="off"
              onChange={(event) => setEdited(event.target.value)}
            />
          )}
        </Field>
        <button type="submit" className="button" disabled={text.trim() === label || save.isPending}>
          Save
        </button>
      </form>
      {save.error && <Problem problem={save.error} />}
    </>
  );
}
