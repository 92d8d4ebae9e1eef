import { useEffect, useState } from "react";
import { announce } from "./announcer.tsx";
import { CheckIcon, CopyIcon } from "./icons.tsx";

/** Long enough to be seen, short enough to copy again. */
const copiedMs = 2_000;

interface CopyButtonProps {
  readonly text: string;
  readonly what: string;
  /** Text beside the icon. */
  readonly label?: string;
}

/** Copies a text. `what` names it for screen readers. */
export function CopyButton({ text, what, label }: CopyButtonProps) {
  const [outcome, setOutcome] = useState<"copied" | "failed">();
  useEffect(() => {
    if (!outcome) return undefined;
    const timer = setTimeout(() => setOutcome(undefined), copiedMs);
    return () => clearTimeout(timer);
  }, [outcome]);
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      setOutcome("copied");
      announce(`Copied ${what}`);
    } catch {
      setOutcome("failed");
      announce("Could not copy. Select the text and copy it manually.");
    }
  };
  const shown = outcome === "copied" ? "Copied" : outcome === "failed" ? "Not copied" : label;
  return (
    <button
      type="button"
      className={label === undefined ? "icon-button" : "button quiet small"}
      aria-label={label === undefined ? `Copy ${what}` : undefined}
      title={`Copy ${what}`}
      onClick={() => void copy()}
    >
      {outcome === "copied" ? <CheckIcon /> : <CopyIcon />}
      {label !== undefined && (
        <span>
          {shown}
          <span className="unseen"> {what}</span>
        </span>
      )}
    </button>
  );
}
