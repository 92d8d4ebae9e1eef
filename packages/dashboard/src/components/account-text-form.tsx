import { useState, type ComponentProps } from "react";
import { call } from "../api/call.ts";
import { accountQuery, creditsQuery } from "../api/queries.ts";
import { Button } from "./button.tsx";
import { Form, TextField } from "./field.tsx";
import { useMay } from "../signed-in.ts";
import { Problem } from "./problem.tsx";
import { useChange } from "./use-change.ts";

/** Changes one text of the account; `changeOf` gives the body of the call. */
export function AccountTextForm({
  saved,
  wrongWith,
  changeOf,
  hint,
  ...field
}: Omit<ComponentProps<typeof TextField>, "onText"> & {
  readonly saved: string;
  readonly wrongWith?: (text: string) => string | undefined;
  readonly changeOf: (text: string) => object;
}) {
  const isFixed = !useMay("change_account");
  const [edited, setEdited] = useState<string>();
  const text = (edited ?? saved).trim();
  const wrong = wrongWith?.(text);
  const save = useChange({
    send: () => call("/v1/account", { method: "PATCH", body: changeOf(text) }),
    refreshes: [accountQuery, creditsQuery],
    announces: "Saved",
    done: () => setEdited(undefined),
  });
  return (
    <>
      <Form className="inline-form" onSubmit={() => wrong ?? save.mutate()}>
        <TextField
          {...field}
          hint={isFixed ? <>{hint} Only owners of the account can change it.</> : hint}
          error={wrong}
          value={edited ?? saved}
          disabled={isFixed}
          autoComplete="off"
          onText={setEdited}
        />
        <Button
          type="submit"
          needs="change_account"
          disabled={text === saved || wrong !== undefined || save.isPending}
        >
          Save
        </Button>
      </Form>
      {save.error && <Problem problem={save.error} />}
    </>
  );
}
