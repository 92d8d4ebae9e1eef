import { useQueryClient, type InvalidateQueryFilters } from "@tanstack/react-query";
import type { PropsWithChildren } from "react";
import { useAccount } from "../signed-in.ts";
import { prove, type Proof } from "../wallet/proof.ts";
import { useWalletTask } from "../wallet/wallet-task.ts";
import { announce } from "./announcer.tsx";
import { Button } from "./button.tsx";
import { Dialog, DialogActions, type DialogProps } from "./dialog.tsx";
import { WalletTaskStatus } from "./wallet-task-status.tsx";
import { Form } from "./field.tsx";

interface SignedDialogProps<Result> extends DialogProps {
  /** The step-up action and its details, both part of the text to sign. */
  readonly action: string;
  readonly details: object;
  readonly send: (stepUp: Proof) => Promise<Result>;
  readonly refreshes: InvalidateQueryFilters;
  readonly announces?: string;
  /** Closes the dialog by default. */
  readonly onDone?: (result: Result) => void;
  readonly label: string;
  readonly isDanger?: boolean;
  readonly isReady?: boolean;
}

/** A dialog for a change that the session's wallet has to sign. */
export function SignedDialog<Result>({
  title,
  action,
  details,
  send,
  refreshes,
  announces,
  onClose,
  onDone = onClose,
  label,
  isDanger = false,
  isReady = true,
  children,
}: PropsWithChildren<SignedDialogProps<Result>>) {
  const account = useAccount();
  const client = useQueryClient();
  const task = useWalletTask();
  const run = () =>
    task.run(async (tools) => {
      const result = await send(await prove(account, action, details, tools));
      await client.invalidateQueries(refreshes);
      if (announces !== undefined) announce(announces);
      onDone(result);
    });
  return (
    <Dialog title={title} onClose={onClose}>
      <Form onSubmit={run}>
        <fieldset className="plain" disabled={task.isWorking}>
          {children}
        </fieldset>
        <WalletTaskStatus task={task} />
        <DialogActions onClose={onClose}>
          <Button
            type="submit"
            look={isDanger ? "danger-fill" : "primary"}
            disabled={task.isWorking || !isReady}
          >
            {label}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  );
}
