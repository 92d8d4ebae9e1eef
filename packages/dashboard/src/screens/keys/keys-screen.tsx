import { useState } from "react";
import type { ApiKeyJson, NewApiKeyJson } from "@farthing/facilitator/api";
import { keysQuery } from "../../api/queries.ts";
import { Empty, Page, QueryBoundary, Section } from "../../components/page.tsx";
import { SecretReveal } from "../../components/dialog.tsx";
import { CreateKey } from "./create-key.tsx";
import { KeysTable } from "./keys-table.tsx";
import { RevokeKey } from "./revoke-key.tsx";
import { RotateKey } from "./rotate-key.tsx";
import { isLive, useNetwork } from "../../chosen-network.ts";
import { useAccount } from "../../signed-in.ts";
import { Button } from "../../components/button.tsx";

type Open =
  | { readonly what: "create" }
  | { readonly what: "rotate" | "revoke"; readonly key: ApiKeyJson }
  | { readonly what: "shown"; readonly key: NewApiKeyJson };

export function KeysScreen() {
  const [open, setOpen] = useState<Open>();
  const [showsAll, setShowsAll] = useState(false);
  const { networks } = useAccount();
  const network = useNetwork();
  const modeShown = network && isLive(network) ? "live" : "test";
  const close = () => setOpen(undefined);
  const show = (key: NewApiKeyJson) => setOpen({ what: "shown", key });
  const create = (
    <Button look="primary" needs="manage_keys" onClick={() => setOpen({ what: "create" })}>
      Create key
    </Button>
  );
  return (
    <Page
      title="API keys"
      lead="Your server sends a key as Authorization: Bearer … to /verify and /settle. Keep keys on your server, never in a web page or an app."
      actions={create}
    >
      <Section title={showsAll ? "All keys" : "Keys in use"}>
        <QueryBoundary query={keysQuery}>
          {({ keys }) => {
            const all = keys.filter(({ mode }) => networks.length < 2 || mode === modeShown);
            const ended = all.filter(({ status }) => status === "revoked" || status === "expired");
            const shown = showsAll ? all : all.filter((key) => !ended.includes(key));
            return (
              <>
                {shown.length === 0 ? (
                  <Empty title="No keys yet" action={create}>
                    <p>Your server needs a key to verify and settle payments.</p>
                  </Empty>
                ) : (
                  <KeysTable
                    keys={shown}
                    onRotate={(key) => setOpen({ what: "rotate", key })}
                    onRevoke={(key) => setOpen({ what: "revoke", key })}
                  />
                )}
                {ended.length > 0 && (
                  <Button
                    look="quiet small at-start"
                    aria-pressed={showsAll}
                    onClick={() => setShowsAll(!showsAll)}
                  >
                    {showsAll ? "Hide" : "Show"} revoked and expired ({ended.length})
                  </Button>
                )}
              </>
            );
          }}
        </QueryBoundary>
      </Section>
      {open?.what === "create" && <CreateKey mode={modeShown} onClose={close} onCreated={show} />}
      {open?.what === "rotate" && <RotateKey apiKey={open.key} onClose={close} onCreated={show} />}
      {open?.what === "revoke" && <RevokeKey apiKey={open.key} onClose={close} />}
      {open?.what === "shown" && (
        <SecretReveal title="Your new key" secret={open.key.key} what="API key" onSaved={close}>
          <p>
            Add it to your server’s environment, for example as <code>FARTHING_API_KEY</code>. Only
            a hash is stored, so it cannot be shown again. You can create another key at any time.
          </p>
        </SecretReveal>
      )}
    </Page>
  );
}
