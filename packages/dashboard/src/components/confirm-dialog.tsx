import type { ReactNode } from "react";
import { DialogActions } from "./dialog-actions.tsx";
import { Dialog } from "./dialog.tsx";
import { Problem } from "./problem.tsx";

/** What a confirmation needs of the work it starts. */
export interface Confirmed {
  readonly mutate: () => void;
  readonly isPending: boolean;
  readonly error: unknown;
}

/** Asks before something that cannot be undone. */
export function ConfirmDialog({
  title,
  action,
  mutation,
  onClose,
  children,
}: {
  readonly title: string;
  /** The words on the button, which say what happens. */
  readonly action: string;
  readonly mutation: Confirmed;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onClose}>
      {children}
      {mutation.error !== null && <Problem problem={mutation.error} />}
      <DialogActions onClose={onClose}>
        <button
          type="button"
          className="button danger-fill"
          disabled={mutation.isPending}
          onClick={() => mutation.mutate()}
        >
          {action}
        </button>
      </DialogActions>
    </Dialog>
  );
}
