import type { ReactNode } from "react";

/** Nothing here yet: why, and what comes next. */
export function Empty({
  title,
  children,
  action,
}: {
  readonly title: string;
  readonly children: ReactNode;
  readonly action?: ReactNode;
}) {
  return (
    <div className="empty">
      <p className="empty-title">{title}</p>
      <div>{children}</div>
      {action !== undefined && <div className="empty-action">{action}</div>}
    </div>
  );
}
