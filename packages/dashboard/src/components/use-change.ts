import { useMutation, useQueryClient, type InvalidateQueryFilters } from "@tanstack/react-query";
import { announce } from "./announcer.tsx";

/** A call that changes something, and what follows when it has succeeded, in this order. */
export interface Change<Variables, Result> {
  readonly send: (variables: Variables) => Promise<Result>;
  /** Before anything is read again: leaves a screen whose subject is gone. */
  readonly leave?: () => void;
  /** The queries whose data it changed. */
  readonly refreshes?: readonly InvalidateQueryFilters[];
  /** For people who do not see the screen. */
  readonly announces?: string | ((result: Result) => string);
  readonly done?: (result: Result) => void;
  readonly meta?: Readonly<Record<string, unknown>>;
}

export function useChange<Variables = void, Result = unknown>(change: Change<Variables, Result>) {
  const client = useQueryClient();
  const { send, leave, refreshes = [], announces, done, meta } = change;
  return useMutation({
    mutationFn: send,
    ...(meta && { meta }),
    onSuccess: async (result) => {
      leave?.();
      await Promise.all(refreshes.map((filters) => client.invalidateQueries(filters)));
      if (announces) announce(typeof announces === "string" ? announces : announces(result));
      done?.(result);
    },
  });
}
