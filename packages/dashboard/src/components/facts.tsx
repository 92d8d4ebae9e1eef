import { Fragment, type ReactNode } from "react";

/** A name and its value, with the value's class where it needs one. */
export type Fact = readonly [name: string, value: ReactNode, className?: string];

export function Facts({ rows }: { readonly rows: readonly (Fact | false)[] }) {
  return (
    <dl className="facts">
      {rows
        .filter((row) => row !== false)
        .map(([name, value, className]) => (
          <Fragment key={name}>
            <dt>{name}</dt>
            <dd className={className}>{value}</dd>
          </Fragment>
        ))}
    </dl>
  );
}
