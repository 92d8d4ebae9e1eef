/** The status of a wallet task: the current step, the message to sign, or the error. */
import { useId } from "react";
import { connect } from "../wallet/connection.ts";
import { WalletProblem } from "@farthing/buyer/wallet";
import type { WalletTask } from "../wallet/wallet-task.ts";
import { Problem } from "./problem.tsx";
import { WalletList } from "./wallet-list.tsx";
import { Button } from "./button.tsx";

export function WalletTaskStatus({ task }: { readonly task: WalletTask }) {
  const { status } = task;
  const textId = useId();
  if (status.kind === "idle") return null;
  if (status.kind === "working") {
    return (
      <div className="task" role="status">
        <div className="task-line">
          <span className="pulse" aria-hidden="true" />
          <p>
            <strong>{status.message}</strong>
          </p>
          <Button look="quiet small" onClick={task.leave}>
            Stop waiting
          </Button>
        </div>
        {status.isInWallet && <p className="hint">If no prompt appears, open your wallet.</p>}
        {status.text !== undefined && (
          <>
            <p id={textId} className="hint">
              Your wallet shows exactly this text. Signing it is free and does not send a
              transaction:
            </p>
            <pre className="sign-text" tabIndex={0} role="region" aria-labelledby={textId}>
              {status.text}
            </pre>
          </>
        )}
      </div>
    );
  }
  const { problem, again } = status;
  if (problem instanceof WalletProblem && problem.code === "not_chosen") {
    return (
      <div className="task">
        <p>{problem.message}</p>
        <WalletList onChoose={(wallet) => void connect(wallet).then(again, again)} />
      </div>
    );
  }
  return (
    <>
      <Problem problem={problem} again={again} />
      {problem instanceof WalletProblem && problem.code === "other_account" && (
        <details className="more">
          <summary>Use a different wallet</summary>
          <WalletList onChoose={(wallet) => void connect(wallet).then(again, again)} />
        </details>
      )}
    </>
  );
}
