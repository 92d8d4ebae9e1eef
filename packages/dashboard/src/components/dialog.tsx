import { type PropsWithChildren, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";
import { Problem } from "./problem.tsx";
import { useChange, type Change } from "./use-change.ts";
import { CopyButton } from "./copy-button.tsx";

export interface DialogProps {
  readonly title: string;
  readonly onClose: () => void;
  /** Neither Escape nor the cross closes it: its content would be lost. */
  readonly isLocked?: boolean;
}

/** Where people begin: the first entry, or the choice that is made. */
const firstField = "input:not([type=radio]), input:checked, select, textarea";

/** A modal dialog. The focus returns to where it was, or to the heading when that is gone. */
export function Dialog({ title, onClose, isLocked, children }: PropsWithChildren<DialogProps>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
    element?.querySelector<HTMLElement>(firstField)?.focus();
    return () => {
      element?.close();
      const isThere = before instanceof HTMLElement && before.isConnected;
      const place = isThere ? before : document.querySelector<HTMLElement>("h1");
      place?.focus();
    };
  }, []);
  return (
    <dialog
      ref={dialog}
      className="dialog"
      aria-labelledby={titleId}
      onCancel={(event) => {
        event.preventDefault();
        if (!isLocked) onClose();
      }}
      // Browsers close by force when Escape is pressed twice. The event comes late: the dialog may
      // be open again by then.
      onClose={() => {
        if (dialog.current?.open === false) onClose();
      }}
    >
      <div className="dialog-head">
        <h2 id={titleId}>{title}</h2>
        {!isLocked && (
          <button type="button" className="icon-button" aria-label="Close" onClick={onClose}>
            <span aria-hidden="true">×</span>
          </button>
        )}
      </div>
      {children}
    </dialog>
  );
}

export function DialogActions({
  onClose,
  children,
}: PropsWithChildren<Pick<DialogProps, "onClose">>) {
  return (
    <div className="dialog-actions">
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      {children}
    </div>
  );
}

/** Asks for confirmation of something that cannot be undone. */
export function ConfirmDialog({
  title,
  action,
  onClose,
  children,
  ...change
}: PropsWithChildren<Change<void, unknown> & DialogProps & { readonly action: string }>) {
  const mutation = useChange(change);
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

/** Shows a secret once; only the user's confirmation closes the dialog. */
export function SecretReveal({
  title,
  secret,
  what,
  onSaved,
  children,
}: PropsWithChildren<{
  readonly title: string;
  readonly secret: string;
  /** Its name for screen readers. */
  readonly what: string;
  readonly onSaved: () => void;
}>) {
  return (
    <Dialog title={title} onClose={onSaved} isLocked>
      <div className="secret">
        <code data-secret="">{secret}</code>
        <CopyButton text={secret} what={what} label="Copy" />
      </div>
      {children}
      <div className="dialog-actions">
        <Button look="primary" onClick={onSaved}>
          I have saved it
        </Button>
      </div>
    </Dialog>
  );
}
