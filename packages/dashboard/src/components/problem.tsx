/** What went wrong: in words, with the request id that a person can name when asking for help. */
import { ApiProblem } from "../api/call.ts";
import { WalletProblem } from "@farthing/buyer/wallet";
import { Notice } from "./notice.tsx";
import { Whole } from "./values.tsx";

const walletTitles: Readonly<Record<WalletProblem["code"], string>> = {
  not_chosen: "No wallet selected",
  rejected: "Request rejected in your wallet",
  already_open: "Continue in your wallet",
  other_account: "Your wallet is using a different account",
  account_changed: "The account in your wallet changed",
  other_network: "Your wallet is on a different network",
  unable: "Your wallet does not support this request",
  failed: "Your wallet reported an error",
};

function titleOf(problem: unknown): string {
  if (problem instanceof WalletProblem) return walletTitles[problem.code];
  if (!(problem instanceof ApiProblem)) return "Something went wrong on this page";
  if (problem.status === 0) return "Cannot reach the service";
  if (problem.status === 429) return "Too many requests";
  if (problem.status === 404) return "Not found";
  return problem.status >= 500
    ? "The service is having problems"
    : "The request could not be completed";
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
  const isQuiet = problem instanceof WalletProblem && problem.code === "rejected";
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
      <p>
        {isOurs ? problem.message : "Reload the page. If the problem persists, contact support."}
      </p>
      {requestId !== "" && (
        <p className="request-id">
          Request <Whole text={requestId} what="request id" />
        </p>
      )}
    </Notice>
  );
}
