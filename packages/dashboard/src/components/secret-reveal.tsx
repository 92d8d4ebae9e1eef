import type { PropsWithChildren } from "react";
import { CopyButton } from "./copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import { Button } from "./button.tsx";

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
