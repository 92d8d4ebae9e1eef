import type { MouseEvent, PropsWithChildren } from "react";
import { go, hrefOf, withSearch } from "../location.ts";
import { DownIcon } from "./icons.tsx";

interface LinkProps {
  readonly to: string;
  readonly className?: string;
  readonly isCurrent?: boolean;
}

/** A link within the dashboard; modified clicks stay with the browser. */
export function Link({ to, className, isCurrent = false, children }: PropsWithChildren<LinkProps>) {
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

interface CsvLinkProps {
  readonly path: string;
  readonly filters?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly look: string;
}

export function CsvLink({ path, filters = {}, name, look }: CsvLinkProps) {
  const href = withSearch(path, { ...filters, format: "csv" });
  return (
    <a className={look} href={href} download={`farthing-${name}.csv`}>
      <DownIcon /> CSV
    </a>
  );
}
