import type { PropsWithChildren, ReactNode } from "react";
import { Link } from "./link.tsx";

/** An empty list: why it is empty, and what to do next. */
export function Empty({
  title,
  children,
  action,
  link,
}: PropsWithChildren<{
  readonly title: string;
  readonly action?: ReactNode;
  /** A location to go to, and its name. */
  readonly link?: readonly [to: string, name: string];
}>) {
  const [to, name] = link ?? [];
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <div>{children}</div>
      {action !== undefined && <div className="empty-action">{action}</div>}
      {to !== undefined && (
        <div className="empty-action">
          <Link to={to} className="button">
            {name}
          </Link>
        </div>
      )}
    </div>
  );
}
