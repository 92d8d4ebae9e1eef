import { Fragment, useEffect, useState, type ReactNode } from "react";
import { CopyButton } from "./copy-button.tsx";
import type { highlight, HighlightedNode, Language } from "./highlight.ts";

let loading: Promise<typeof highlight | undefined> | undefined;

/** Loads the highlighter with the first code that is shown. Without it, the code has no colours. */
async function loadHighlighter(): Promise<typeof highlight | undefined> {
  try {
    return (await import("./highlight.ts")).highlight;
  } catch {
    loading = undefined;
    return undefined;
  }
}

function useHighlight(): typeof highlight | undefined {
  const [loaded, setLoaded] = useState<typeof highlight>();
  useEffect(() => {
    let isShown = true;
    loading ??= loadHighlighter();
    void loading.then((parse) => isShown && setLoaded(() => parse));
    return () => {
      isShown = false;
    };
  }, []);
  return loaded;
}

/** Code to copy, scrollable by keyboard, with its syntax highlighted. */
export function CodeBlock({
  code,
  what,
  language,
}: {
  readonly code: string;
  readonly what: string;
  readonly language: Language;
}) {
  const parse = useHighlight();
  return (
    <div className="code-block">
      <div className="code-copy">
        <CopyButton text={code} what={what} label="Copy" />
      </div>
      <pre tabIndex={0} role="region" aria-label={what}>
        <code>{parse ? coloured(parse(language, code)) : code}</code>
      </pre>
    </div>
  );
}

/** Elements for the nodes of the highlighter; its texts are never read as HTML. */
function coloured(nodes: readonly HighlightedNode[]): ReactNode {
  return nodes.map((node, index) => (
    <Fragment key={index}>
      {node.type === "text" ? (
        node.value
      ) : (
        <span className={node.classes}>{coloured(node.children)}</span>
      )}
    </Fragment>
  ));
}
