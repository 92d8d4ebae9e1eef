import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** Shows a secret once; the dialog closes when the user confirms that they have saved it. */
export function SecretReveal({
  title,
  secret,
  what,
  onSaved,
  children,
}: {
  readonly title: string;
  readonly secret: string;
  /** What it is, for the copy button. */
  readonly what: string;
  readonly onSaved: () => void;
  readonly children: ReactNode;
}) {
  return (
    <Dialog title={title} onClose={onSaved} isLocked>
      <div className="secret">
        <code data-secret="">{secret}</code>
        <CopyButton text={secret} what={what} label="Copy" />
      </div>
      {children}
      <div className="dialog-actions">
        <button type="button" className="button primary" onClick={onSaved}>
          I have saved it
        </button>
      </div>
    </Dialog>
  );
}
