import type { ReactNode } from "react";

/** The foot of a dialog: the way out on the left of what it is for. */
export function DialogActions({
  onClose,
  children,
}: {
  readonly onClose: () => void;
  readonly children?: ReactNode;
}) {
  return (
    <div className="dialog-actions">
      <button type="button" className="button quiet" onClick={onClose}>
        Cancel
      </button>
      {children}
    </div>
  );
}
