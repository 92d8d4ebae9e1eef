import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import { type PropsWithChildren, type ReactNode, useEffect, useRef, Fragment } from "react";
import { Link } from "./link.tsx";
import { Problem } from "./problem.tsx";

/** The first page of a visit does not take the focus from the browser. */
let isFirst = true;

interface PageProps {
  readonly title: string;
  /** The screen above this one: its location and name. */
  readonly back?: readonly [to: string, name: string];
  readonly lead?: ReactNode;
  readonly actions?: ReactNode;
}

/** A screen; its heading takes the focus. */
export function Page({ title, back, lead, actions, children }: PropsWithChildren<PageProps>) {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    document.title = `${title} · Farthing`;
  }, [title]);
  useEffect(() => {
    if (!isFirst) heading.current?.focus({ preventScroll: true });
    isFirst = false;
    scrollTo(0, 0);
  }, []);
  return (
    <>
      <header className="page-head">
        <div>
          {back && (
            <Link to={back[0]} className="back">
              ← {back[1]}
            </Link>
          )}
          <h1 ref={heading} tabIndex={-1}>
            {title}
          </h1>
          {lead !== undefined && <p className="lead">{lead}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </>
  );
}

export function Section({
  title,
  actions,
  children,
}: PropsWithChildren<{ readonly title: string; readonly actions?: ReactNode }>) {
  return (
    <section className="section card">
      <div className="section-head">
        <h2>{title}</h2>
        {actions !== undefined && <div className="section-actions">{actions}</div>}
      </div>
      {children}
    </section>
  );
}

/** A name and its value, with the value's class where it needs one. */
type Fact = readonly [name: string, value: ReactNode, className?: string];

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

interface EmptyProps {
  readonly title: string;
  readonly action?: ReactNode;
  /** A location to go to, and its name. */
  readonly link?: readonly [to: string, name: string];
  readonly example?: ReactNode;
}

/** An empty list: why it is empty, what to do next, and what it will look like. */
export function Empty({ title, children, action, link, example }: PropsWithChildren<EmptyProps>) {
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
      {example}
    </div>
  );
}

interface QueryBoundaryProps<Value> {
  readonly query: UseQueryOptions<Value>;
  readonly lines?: number;
  readonly children: (value: Value) => ReactNode;
}

/** Shows a query's data, a skeleton while it loads, or its error, below which data stays. */
export function QueryBoundary<Value>({ query, lines = 4, children }: QueryBoundaryProps<Value>) {
  const { data, error, refetch } = useQuery(query);
  if (data === undefined && !error) return <Skeleton count={lines} />;
  return (
    <>
      {error && <Problem problem={error} again={refetch} />}
      {data !== undefined && children(data)}
    </>
  );
}

/** Placeholder lines keep the page from jumping when content arrives. */
export function Skeleton({ count = 3 }: { readonly count?: number }) {
  return (
    <div className="lines" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        <span key={index} className="bone" />
      ))}
    </div>
  );
}
