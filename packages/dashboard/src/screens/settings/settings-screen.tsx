import { toXdcAddress } from "@farthing/protocol";
import { useState } from "react";
import { call } from "../../api/call.ts";
import { accountQuery } from "../../api/queries.ts";
import { Page, Section, Facts } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { Whole } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";
import { LinkedWallets } from "./linked-wallets.tsx";
import { Sessions } from "./sessions.tsx";
import { Form, TextField } from "../../components/field.tsx";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

export function SettingsScreen() {
  const { account, version } = useAccount();
  const address = (
    <>
      <Whole text={account} what="account address" />
      <div className="muted">Your API’s payments go to this address. It cannot be changed.</div>
    </>
  );
  return (
    <Page title="Settings">
      <Section title="Account">
        <Facts
          rows={[
            ["Address", address],
            [
              "In XDC’s form",
              <Whole text={toXdcAddress(account)} what="account address in XDC’s form" />,
            ],
          ]}
        />
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
  const [edited, setEdited] = useState<string>();
  const text = edited ?? label;
  const save = useChange({
    send: () => call("/v1/account", { method: "PATCH", body: { label: text.trim() } }),
    refreshes: [accountQuery],
    announces: "Saved",
    done: () => setEdited(undefined),
  });
  return (
    <>
      <Form className="inline-form" onSubmit={() => save.mutate()}>
        <TextField
          label="Name"
          hint="Only shown here, never to buyers."
          value={text}
          maxLength={nameCharactersMax}
          autoComplete="off"
          onText={setEdited}
        />
        <Button type="submit" disabled={text.trim() === label || save.isPending}>
          Save
        </Button>
      </Form>
      {save.error && <Problem problem={save.error} />}
    </>
  );
}
