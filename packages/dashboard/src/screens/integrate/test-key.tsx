import { isSameAddress } from "@farthing/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useState, type FormEvent } from "react";
import { keysQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Field } from "../../components/field.tsx";
import { Notice } from "../../components/notice.tsx";
import { Problem } from "../../components/problem.tsx";
import { plural, shortText } from "../../components/format.ts";
import { useAccount } from "../../signed-in.ts";
import type { SnippetValues } from "./snippets.ts";
import { adviceFor, tryKey, type KeyTrial } from "./try-key.ts";

/** Tries a pasted key from here, the way the server will. The key stays in this field. */
export function TestKey({ values }: { readonly values: SnippetValues }) {
  const client = useQueryClient();
  const [key, setKey] = useState("");
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const trial = useMutation({
    // A key that is refused says nothing about the session.
    meta: { isForeign: true },
    mutationFn: () => {
      leaving.current = new AbortController();
      return tryKey(key.trim(), values, leaving.current.signal);
    },
    onSuccess: () => {
      announce("The key works");
      return client.invalidateQueries(keysQuery);
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    trial.mutate();
  };
  return (
    <>
      <form className="inline-form" onSubmit={submit}>
        <Field
          label="API key"
          hint="Looks up the key with /v1/key, then sends a sample payment to /verify. Nothing is stored or settled."
        >
          {(props) => (
            <input
              {...props}
              className="mono"
              type="password"
              value={key}
              required
              placeholder="fk_…"
              autoComplete="off"
              spellCheck={false}
              onChange={(event) => {
                setKey(event.target.value);
                trial.reset();
              }}
            />
          )}
        </Field>
        <button type="submit" className="button" disabled={trial.isPending}>
          {trial.isPending ? "Testing…" : "Test my key"}
        </button>
      </form>
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

function Outcome({ trial: { key, verdict, tookMs } }: { readonly trial: KeyTrial }) {
  const { account } = useAccount();
  const isOurs = isSameAddress(key.account, account);
  // The sample carries no signature of anybody: every other verdict is about something else.
  const isExpected = verdict.invalidReason === "invalid_signature";
  return (
    <Notice
      tone={isOurs && isExpected ? "good" : "warn"}
      title={isExpected ? "The key works" : `/verify returned ${verdict.invalidReason ?? "valid"}`}
    >
      <p>
        <strong>{key.label || "Unnamed key"}</strong> of <code>{shortText(key.account)}</code>,{" "}
        {key.mode === "live" ? "for XDC" : "for Apothem"}, {plural(key.credits, "credit")} left.{" "}
        {isExpected
          ? `/verify responded in ${tookMs} ms and refused the unsigned sample with invalid_signature, as expected.`
          : verdict.invalidMessage}
      </p>
      {!isOurs && <p>This key belongs to a different account than the one you are signed in to.</p>}
    </Notice>
  );
}
