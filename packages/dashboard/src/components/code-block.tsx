import { CopyButton } from "./copy-button.tsx";

/** Code to copy, scrollable by keyboard. */
export function CodeBlock({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <div className="code-block">
      <div className="code-copy">
        <CopyButton text={code} what={what} label="Copy" />
      </div>
      <pre tabIndex={0} role="region" aria-label={what}>
        <code>{code}</code>
      </pre>
    </div>
  );
}
