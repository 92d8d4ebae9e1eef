import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type FormEvent } from "react";
import { call } from "../../api/call.ts";
import { accountQuery, creditsQuery } from "../../api/queries.ts";
import { announce } from "../../components/announcer.tsx";
import { Field } from "../../components/field.tsx";
import { Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { useAccount } from "../../signed-in.ts";

/** A billion credits are a million USDC: no one needs a higher threshold. */
const digitsMax = 9;

/** Sets the balance at which the account is warned. */
export function LowBalanceForm() {
  const { credits } = useAccount();
  const client = useQueryClient();
  const saved = credits.lowAt === null ? "" : `${credits.lowAt}`;
  const [edited, setEdited] = useState<string>();
  const text = edited ?? saved;
  const isRight = new RegExp(`^\\d{0,${digitsMax}}$`).test(text);
  const save = useMutation({
    mutationFn: () =>
      call("/v1/account", {
        method: "PATCH",
        body: { lowCreditsAt: text === "" ? null : Number(text) },
      }),
    onSuccess: async () => {
      await Promise.all([
        client.invalidateQueries(accountQuery),
        client.invalidateQueries(creditsQuery),
      ]);
      setEdited(undefined);
      announce("Saved");
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isRight) save.mutate();
  };
  return (
    <Section title="Low balance">
      <form className="inline-form" onSubmit={submit}>
        <Field
          label="Warn me when credits fall to"
          hint="Shown on every screen and sent as the webhook event credits.low. Leave empty for no warning."
          error={isRight ? undefined : "Enter a whole number of credits."}
        >
          {(props) => (
            <input
              {...props}
              inputMode="numeric"
              value={text}
              placeholder="none"
              autoComplete="off"
              onChange={(event) => setEdited(event.target.value.trim())}
            />
          )}
        </Field>
        <button
          type="submit"
          className="button"
          disabled={text === saved || !isRight || save.isPending}
        >
          Save
        </button>
      </form>
      {save.error && <Problem problem={save.error} />}
    </Section>
  );
}
