import { isSameAddress } from "@farthing/protocol";
import { useEffect, useRef, useState } from "react";
import { keysQuery } from "../../api/queries.ts";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { failureName } from "../../components/failure-names.ts";
import { plural, shortText } from "../../components/format.ts";
import { useAccount } from "../../signed-in.ts";
import type { SnippetValues } from "./snippets.ts";
import { adviceFor, tryKey, type KeyTrial } from "./try-key.ts";
import { Form, TextField } from "../../components/field.tsx";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

/** Tries a pasted key from here, the way the server will. The key stays in this field. */
export function TestKey({ values }: { readonly values: SnippetValues }) {
  const [key, setKey] = useState("");
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const trial = useChange({
    // A key that is refused says nothing about the session.
    meta: { isOutsideSession: true },
    send: () => {
      leaving.current = new AbortController();
      return tryKey(key.trim(), values, leaving.current.signal);
    },
    refreshes: [keysQuery],
    announces: "The key works",
  });
  return (
    <>
      <Form className="inline-form" onSubmit={() => trial.mutate()}>
        <TextField
          label="API key"
          hint="Looks up the key, then has a sample payment verified. Nothing is stored or settled."
          className="mono"
          type="password"
          value={key}
          required
          placeholder="fk_…"
          autoComplete="off"
          spellCheck={false}
          onText={(text) => {
            setKey(text);
            trial.reset();
          }}
        />
        <Button type="submit" disabled={trial.isPending}>
          {trial.isPending ? "Testing…" : "Test my key"}
        </Button>
      </Form>
      {trial.error && (
        <>
          <Problem problem={trial.error} />
          {adviceFor(trial.error) !== undefined && <p>{adviceFor(trial.error)}</p>}
        </>
      )}
      {trial.data && <Outcome trial={trial.data} />}
    </>
  );
}

function Outcome({ trial: { key, verification, tookMs } }: { readonly trial: KeyTrial }) {
  const { account } = useAccount();
  const isOurs = isSameAddress(key.account, account);
  // The sample is not signed, so any other result is about something else.
  const isExpected = verification.invalidReason === "invalid_signature";
  return (
    <Notice
      tone={isOurs && isExpected ? "good" : "warn"}
      title={
        isExpected
          ? "The key works"
          : `The sample was not refused as expected: ${failureName(verification.invalidReason ?? "valid")}`
      }
    >
      <p>
        <strong>{key.label || "Unnamed key"}</strong> of <code>{shortText(key.account)}</code>,{" "}
        {key.mode === "live" ? "for XDC" : "for Apothem"}, {plural(key.credits, "credit")} left.{" "}
        {isExpected
          ? `The facilitator responded in ${tookMs} ms and refused the unsigned sample for its signature, as expected.`
          : verification.invalidMessage}
      </p>
      {!isOurs && <p>This key belongs to a different account than the one you are signed in to.</p>}
    </Notice>
  );
}
