/** What went wrong: in words, with the request id that a person can name when asking for help. */
import { ApiProblem } from "../api/call.ts";
import { WalletProblem } from "@farthing/buyer/wallet";
import { Notice } from "./notice.tsx";
import { Whole } from "./values.tsx";

const walletTitles: Readonly<Record<WalletProblem["trouble"], string>> = {
  not_chosen: "No wallet is chosen",
  rejected: "Rejected in the wallet",
  already_open: "Your wallet is waiting for you",
  other_account: "The wallet is on another account",
  account_changed: "The wallet changed its account",
  other_network: "The wallet is on another network",
  unable: "The wallet cannot do this",
  failed: "The wallet had a problem",
};

function titleOf(problem: unknown): string {
  if (problem instanceof WalletProblem) return walletTitles[problem.trouble];
  if (!(problem instanceof ApiProblem)) return "Something went wrong in this page";
  if (problem.status === 0) return "The service cannot be reached";
  if (problem.status === 429) return "Too many requests";
  if (problem.status === 404) return "Not found";
  return problem.status >= 500 ? "The service has a problem" : "That did not work";
}

/** Shows a problem; `again` repeats what failed. */
export function Problem({
  problem,
  again,
}: {
  readonly problem: unknown;
  readonly again?: (() => unknown) | undefined;
}) {
  const isOurs = problem instanceof ApiProblem || problem instanceof WalletProblem;
  const isQuiet = problem instanceof WalletProblem && problem.trouble === "rejected";
  const requestId = problem instanceof ApiProblem ? problem.requestId : "";
  return (
    <Notice
      tone={isQuiet ? "warn" : "bad"}
      title={titleOf(problem)}
      actions={
        again && (
          <button type="button" className="button small" onClick={() => void again()}>
            Try again
          </button>
        )
      }
    >
      <p>{isOurs ? problem.message : "Reload the page. If it stays, tell the operator."}</p>
      {requestId !== "" && (
        <p className="request-id">
          Request <Whole text={requestId} what="request id" />
        </p>
      )}
    </Notice>
  );
}
