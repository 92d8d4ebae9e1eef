import { toXdcAddress } from "@farthing/protocol";
import { AccountTextForm } from "../../components/account-text-form.tsx";
import { labelProblem } from "../../components/label-text.ts";
import { Page, Section, Facts } from "../../components/page.tsx";
import { Whole } from "../../components/values.tsx";
import { useAccount } from "../../signed-in.ts";
import { EmailNotices } from "./email-notices.tsx";
import { Keyboard } from "./keyboard.tsx";
import { Members } from "./members.tsx";
import { OpenInvitations } from "./open-invitations.tsx";
import { Sessions } from "./sessions.tsx";

/** A name fits into the navigation. */
const nameCharactersMax = 60;

export function SettingsScreen() {
  const { account, label, version } = useAccount();
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
        <AccountTextForm
          label="Name"
          hint="Only shown here, never to buyers."
          maxLength={nameCharactersMax}
          saved={label}
          wrongWith={labelProblem}
          changeOf={(text) => ({ label: text })}
        />
      </Section>
      <Members />
      <OpenInvitations />
      <EmailNotices />
      <Keyboard />
      <Sessions />
      <p className="muted">Farthing {version}</p>
    </Page>
  );
}
