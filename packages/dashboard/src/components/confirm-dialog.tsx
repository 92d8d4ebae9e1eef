import type { PropsWithChildren } from "react";
import { Dialog, DialogActions } from "./dialog.tsx";
import { Problem } from "./problem.tsx";
import { Button } from "./button.tsx";

export interface Confirmed {
  readonly mutate: () => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({
  title,
  action,
  mutation,
  onClose,
  children,
}: PropsWithChildren<{
  readonly title: string;
  /** The button's text. */
  readonly action: string;
  readonly mutation: Confirmed;
  readonly onClose: () => void;
}>) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {mutation.error !== null && <Problem problem={mutation.error} />}
      <DialogActions onClose={onClose}>
        <Button look="danger-fill" disabled={mutation.isPending} onClick={() => mutation.mutate()}>
          {action}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
