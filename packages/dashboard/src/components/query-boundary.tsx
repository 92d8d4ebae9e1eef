import { useQuery, type UseQueryOptions } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";

/** Shows a query's data, a skeleton while it loads, or its error, below which data stays. */
export function QueryBoundary<Value>({
  query,
  lines = 4,
  children,
}: {
  readonly query: UseQueryOptions<Value>;
  readonly lines?: number;
  readonly children: (value: Value) => ReactNode;
}) {
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
