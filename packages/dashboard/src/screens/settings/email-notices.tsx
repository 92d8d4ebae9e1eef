import { useState, type ReactNode } from "react";
import type { EmailJson } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { emailsPath, emailsQuery } from "../../api/queries.ts";
import { Badge, type Tone } from "../../components/badge.tsx";
import { Button } from "../../components/button.tsx";
import { DataTable, type Column } from "../../components/data-table.tsx";
import { ConfirmDialog } from "../../components/dialog.tsx";
import { Link } from "../../components/link.tsx";
import { Empty, QueryBoundary, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { useChange } from "../../components/use-change.ts";
import { When } from "../../components/values.tsx";
import { ChangeEvents } from "../webhooks/change-events.tsx";
import { emailEvents } from "../webhooks/webhook-events.ts";
import { AddEmail } from "./add-email.tsx";

type Open = "add" | { readonly what: "events" | "remove"; readonly email: EmailJson };

/** The e-mail addresses of the account, or that this service sends no mail. */
export function EmailNotices() {
  const [open, setOpen] = useState<Open>();
  const close = () => setOpen(undefined);
  const add = (
    <Button look="small" needs="manage_emails" onClick={() => setOpen("add")}>
      Add an address
    </Button>
  );
  return (
    <>
      <QueryBoundary query={emailsQuery}>
        {({ enabled, emails }) => (
          <Section title="E-mail notices" actions={enabled && emails.length > 0 ? add : undefined}>
            {enabled || emails.length > 0 ? (
              <>
                {!enabled && <NoMail />}
                <Emails rows={emails} add={add} onOpen={setOpen} />
              </>
            ) : (
              <NoMail />
            )}
          </Section>
        )}
      </QueryBoundary>
      {open === "add" && <AddEmail onClose={close} />}
      {typeof open === "object" && open.what === "events" && (
        <ChangeEvents
          path={`${emailsPath}/${open.email.id}`}
          all={emailEvents}
          chosen={open.email.events}
          refreshes={[emailsQuery]}
          onClose={close}
        />
      )}
      {typeof open === "object" && open.what === "remove" && (
        <ConfirmDialog
          title="Remove this address?"
          action="Remove address"
          onClose={close}
          send={() => call(`${emailsPath}/${open.email.id}`, { method: "DELETE" })}
          refreshes={[emailsQuery]}
          announces="Address removed"
          done={close}
        >
          <p className="breakable">
            {open.email.address} gets no more notices, and the service erases it.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function NoMail() {
  return (
    <p className="muted">
      This service sends no e-mail, because its operator has set no mail server. Add a{" "}
      <Link to="webhooks">webhook</Link> to be told about payments, low credits and problems.
    </p>
  );
}

interface EmailsProps {
  readonly rows: readonly EmailJson[];
  readonly add: ReactNode;
  readonly onOpen: (open: Open) => void;
}

function Emails({ rows, add, onOpen }: EmailsProps) {
  const [sentTo, setSentTo] = useState<string>();
  const send = useChange({
    send: (email: EmailJson) =>
      call(`${emailsPath}/${email.id}/link`, { method: "POST", body: {} }).then(() => email),
    announces: "Link sent",
    done: ({ id }) => setSentTo(id),
  });
  const resume = useChange({
    send: ({ id }: EmailJson) =>
      call(`${emailsPath}/${id}`, { method: "PATCH", body: { paused: false } }),
    refreshes: [emailsQuery],
    announces: "Notices resumed",
  });
  const error = send.error ?? resume.error;
  const actions: Column<EmailJson> = {
    title: "Actions",
    hasNoTitle: true,
    cell: (email) => (
      <EmailActions
        email={email}
        isBusy={send.isPending || resume.isPending}
        isSent={sentTo === email.id}
        onSend={() => send.mutate(email)}
        onResume={() => resume.mutate(email)}
        onOpen={onOpen}
      />
    ),
  };
  return (
    <>
      {error && <Problem problem={error} />}
      <DataTable
        caption="E-mail addresses"
        rows={rows}
        keyOf={({ id }) => id}
        columns={[...columns, actions]}
        empty={
          <Empty title="No addresses yet" action={add}>
            <p>
              Add an address to be told about payments, low credits and problems. It gets at most
              one mail in five minutes.
            </p>
          </Empty>
        }
      />
    </>
  );
}

interface EmailActionsProps extends Pick<EmailsProps, "onOpen"> {
  readonly email: EmailJson;
  readonly isBusy: boolean;
  readonly isSent: boolean;
  readonly onSend: () => void;
  readonly onResume: () => void;
}

function EmailActions(props: EmailActionsProps) {
  const { email, isBusy, isSent, onSend, onResume, onOpen } = props;
  return (
    <span className="row-actions">
      {email.state === "unconfirmed" && (
        <Button
          look="quiet small"
          needs="manage_emails"
          aria-label={`${isSent ? "Link sent" : "Send link again"} to ${email.address}`}
          disabled={isBusy || isSent}
          onClick={onSend}
        >
          {isSent ? "Link sent" : "Send link again"}
        </Button>
      )}
      {email.state === "paused" && (
        <Button
          look="quiet small"
          needs="manage_emails"
          aria-label={`Resume notices to ${email.address}`}
          disabled={isBusy}
          onClick={onResume}
        >
          Resume
        </Button>
      )}
      <Button
        look="quiet small"
        needs="manage_emails"
        aria-label={`Change the notices to ${email.address}`}
        onClick={() => onOpen({ what: "events", email })}
      >
        Change
      </Button>
      <Button
        look="quiet small danger"
        needs="manage_emails"
        aria-label={`Remove ${email.address}`}
        onClick={() => onOpen({ what: "remove", email })}
      >
        Remove
      </Button>
    </span>
  );
}

const states: Readonly<Record<EmailJson["state"], readonly [Tone, string]>> = {
  unconfirmed: ["busy", "waits for confirmation"],
  active: ["good", "active"],
  paused: ["bad", "paused"],
};

function StateBadge({ state }: { readonly state: EmailJson["state"] }) {
  const [tone, text] = states[state];
  return <Badge tone={tone}>{text}</Badge>;
}

const columns: readonly Column<EmailJson>[] = [
  {
    title: "Address",
    inCard: "whole",
    cell: ({ address }) => <span className="breakable">{address}</span>,
  },
  {
    title: "Notices",
    cell: ({ events }) => `${events.length} of ${emailEvents.length}`,
  },
  { title: "Status", cell: ({ state }) => <StateBadge state={state} /> },
  { title: "Added", cell: ({ createdAt }) => <When at={createdAt} /> },
];
