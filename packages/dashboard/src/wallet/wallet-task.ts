/** A task for wallet and service in turn, one at a time; the user or another account ends it. */
import { useCallback, useEffect, useRef, useState } from "react";
import { watchAccounts } from "./connection.ts";
import { WalletProblem } from "@farthing/buyer/wallet";

export interface TaskStep {
  readonly message: string;
  /** The text that the wallet shows for signing. */
  readonly text?: string;
  /** The user has to look at the wallet. */
  readonly isInWallet?: boolean;
}

export type TaskStatus =
  | { readonly kind: "idle" }
  | ({ readonly kind: "working" } & TaskStep)
  | { readonly kind: "problem"; readonly problem: unknown; readonly again: () => void };

export interface TaskTools {
  readonly showStep: (step: TaskStep) => void;
  readonly signal: AbortSignal;
}

export type WalletTask = ReturnType<typeof useWalletTask>;

const idle = { kind: "idle" } as const;

/** The task of a component, left when the component goes. */
export function useWalletTask() {
  const [status, setStatus] = useState<TaskStatus>(idle);
  const current = useRef<AbortController>(undefined);
  const leave = useCallback(() => {
    current.current?.abort();
    setStatus(idle);
  }, []);
  useEffect(() => () => current.current?.abort(), []);
  useEffect(
    () =>
      watchAccounts(() => {
        current.current?.abort(
          new WalletProblem(
            "account_changed",
            "Your wallet switched to a different account, so nothing was sent. Switch back and start again.",
          ),
        );
      }),
    [],
  );
  // Errors become the status and are not thrown.
  const run = useCallback((work: (tools: TaskTools) => Promise<void>) => {
    current.current?.abort();
    const controller = new AbortController();
    const { signal } = controller;
    current.current = controller;
    const isCurrent = () => current.current === controller;
    const showStep = (step: TaskStep) => {
      if (isCurrent() && !signal.aborted) setStatus({ kind: "working", ...step });
    };
    const again = () => run(work);
    work({ showStep, signal })
      .then(() => isCurrent() && setStatus(idle))
      .catch((error: unknown) => {
        const problem: unknown = signal.aborted ? signal.reason : error;
        // The user has left: there is nothing to report.
        if (!isCurrent() || (signal.aborted && !(problem instanceof WalletProblem))) return;
        setStatus({ kind: "problem", problem, again });
      })
      .finally(() => isCurrent() && (current.current = undefined));
  }, []);
  return { status, isWorking: status.kind === "working", run, leave };
}
