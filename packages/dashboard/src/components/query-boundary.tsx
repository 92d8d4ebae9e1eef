import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";
import { Skeleton } from "./skeleton.tsx";

/**
 * What a query gave; bones before it, the problem instead of it. When a later read fails, what is
 * already there stays, with the problem above it.
 */
export function QueryBoundary<Value>({
  query,
  lines = 4,
  children,
}: {
  readonly query: UseQueryResult<Value>;
  readonly lines?: number;
  readonly children: (value: Value) => ReactNode;
}) {
  const { data, error, refetch } = query;
  if (data === undefined && !error) return <Skeleton count={lines} />;
  return (
    <>
      {error && <Problem problem={error} again={refetch} />}
      {data !== undefined && children(data)}
    </>
  );
}
