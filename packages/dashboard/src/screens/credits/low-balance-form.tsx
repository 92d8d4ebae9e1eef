import { useState } from "react";
import { call } from "../../api/call.ts";
import { accountQuery, creditsQuery } from "../../api/queries.ts";
import { Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { useAccount } from "../../signed-in.ts";
import { Form, TextField } from "../../components/field.tsx";
import { Button } from "../../components/button.tsx";
import { useChange } from "../../components/use-change.ts";

/** A billion credits are a million USDC: no one needs a higher threshold. */
const digitsMax = 9;

export function LowBalanceForm() {
  const { credits } = useAccount();
  const saved = credits.lowAt === null ? "" : `${credits.lowAt}`;
  const [edited, setEdited] = useState<string>();
  const text = edited ?? saved;
  const isRight = new RegExp(`^\\d{0,${digitsMax}}$`).test(text);
  const lowCreditsAt = text === "" ? null : Number(text);
  const save = useChange({
    send: () => call("/v1/account", { method: "PATCH", body: { lowCreditsAt } }),
    refreshes: [accountQuery, creditsQuery],
    announces: "Saved",
    done: () => setEdited(undefined),
  });
  return (
    <Section title="Low balance">
      <Form className="inline-form" onSubmit={() => isRight && save.mutate()}>
        <TextField
          label="Warn me when credits fall to"
          hint="Shown on every screen and sent as the webhook event credits.low. Leave empty for no warning."
          error={isRight ? undefined : "Enter a whole number of credits."}
          inputMode="numeric"
          value={text}
          placeholder="none"
          autoComplete="off"
          onText={(entered) => setEdited(entered.trim())}
        />
        <Button type="submit" disabled={text === saved || !isRight || save.isPending}>
          Save
        </Button>
      </Form>
      {save.error && <Problem problem={save.error} />}
    </Section>
  );
}
