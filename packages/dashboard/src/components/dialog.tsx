import { type PropsWithChildren, type ReactNode, useEffect, useId, useRef } from "react";
import { Button } from "./button.tsx";

/**
 * A modal dialog, open while it is rendered. Afterwards the focus returns to where it was, or to
 * the page's heading when that element is gone.
 */
export function Dialog({
  title,
  onClose,
  isLocked = false,
  children,
}: PropsWithChildren<{
  readonly title: string;
  readonly onClose: () => void;
  /** Neither Escape nor the cross closes it: its content would be lost. */
  readonly isLocked?: boolean;
}>) {
  const dialog = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const element = dialog.current;
    const before = document.activeElement;
    element?.showModal();
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
}: {
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <div className="dialog-actions">
      <Button look="quiet" onClick={onClose}>
        Cancel
      </Button>
      {children}
    </div>
  );
}
