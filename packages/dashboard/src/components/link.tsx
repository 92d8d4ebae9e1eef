import type { MouseEvent, PropsWithChildren } from "react";
import { go, hrefOf } from "../location.ts";

/** A link within the dashboard; modified clicks stay with the browser. */
export function Link({
  to,
  className,
  isCurrent = false,
  children,
}: PropsWithChildren<{
  readonly to: string;
  readonly className?: string;
  readonly isCurrent?: boolean;
}>) {
  const follow = (event: MouseEvent) => {
    if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) {
      return;
    }
    event.preventDefault();
    go(to);
  };
  return (
    <a
      href={hrefOf(to)}
      className={className}
      aria-current={isCurrent ? "page" : undefined}
      onClick={follow}
    >
      {children}
    </a>
  );
}

/** Opens another site in a new tab. */
export function ExternalLink({
  href,
  children,
}: PropsWithChildren<{
  readonly href: string;
}>) {
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  );
}
