import type { ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";

/** A secret that is shown this one time; the dialog goes when the person says that it is saved. */
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
