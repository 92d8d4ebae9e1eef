import { useEffect, useId, useRef, type ReactNode } from "react";

/**
 * A modal dialog. It is open as long as it is rendered; when it goes, the focus returns to where
 * it was, or to the page's heading when that place is gone.
 */
export function Dialog({
  title,
  onClose,
  isLocked = false,
  children,
}: {
  readonly title: string;
  readonly onClose: () => void;
  /** Neither Escape nor the cross close it: something in it would be lost. */
  readonly isLocked?: boolean;
  readonly children: ReactNode;
}) {
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
      // Browsers close by force when Escape is pressed twice; then it stays closed. The event comes
      // late: the dialog may be open again by then.
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
