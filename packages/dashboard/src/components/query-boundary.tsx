import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { Problem } from "./problem.tsx";
import { Skeleton } from "./skeleton.tsx";

/**
 * Shows a query's data, a skeleton while it loads, or its error. When a later read fails, the data
 * stays visible below the error.
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
