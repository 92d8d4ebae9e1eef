/** An error with its request ID, which people can name when they ask for help. */
import { ApiProblem } from "../api/call.ts";
import { WalletProblem } from "@farthing/buyer/wallet";
import { Notice } from "./notice.tsx";
import { Whole } from "./values.tsx";
import { Button } from "./button.tsx";

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
  const { status } = problem.details;
  if (status === 0) return "Cannot reach the service";
  if (status === 429) return "Too many requests";
  if (status === 404) return "Not found";
  return status >= 500 ? "The service is having problems" : "The request could not be completed";
}

export function Problem({
  problem,
  again,
}: {
  readonly problem: unknown;
  readonly again?: (() => unknown) | undefined;
}) {
  const isOurs = problem instanceof ApiProblem || problem instanceof WalletProblem;
  const isQuiet = problem instanceof WalletProblem && problem.code === "rejected";
  const isMissing = problem instanceof ApiProblem && problem.details.status === 404;
  const requestId = problem instanceof ApiProblem ? problem.details.requestId : "";
  return (
    <Notice
      tone={isQuiet ? "warn" : "bad"}
      title={titleOf(problem)}
      actions={
        again &&
        !isMissing && (
          <Button look="small" onClick={() => void again()}>
            Try again
          </Button>
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
