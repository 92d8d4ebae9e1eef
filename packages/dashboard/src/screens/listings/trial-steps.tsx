import type { ListingTrial } from "@farthing/facilitator/api";
import { Notice } from "../../components/notice.tsx";

const stepNames: Readonly<Record<string, string>> = {
  reachable: "Reachable over HTTPS",
  returns402: "Responds with 402 to a request without payment",
  parse: "The challenge is valid",
  scheme: "The scheme is exact",
  network: "The network matches the listing",
  asset: "The asset is USDC",
  payTo: "Payments go to this account",
  amount: "The price matches the listing",
  resourceHost: "The challenge names this host",
};

export function TrialSteps({ trial }: { readonly trial: ListingTrial }) {
  if (trial.ok) {
    return (
      <Notice tone="good" title="Check passed">
        <p>The endpoint matches your listing.</p>
      </Notice>
    );
  }
  const failed = trial.checks.filter(({ ok, detail }) => !ok && detail !== "Not looked at.");
  return (
    <Notice tone="warn" title="Check failed">
      <ul className="plain-list">
        {failed.map(({ name, detail }) => (
          <li key={name} className="breakable">
            <strong>{stepNames[name] ?? name}:</strong> no. {detail}
          </li>
        ))}
      </ul>
    </Notice>
  );
}
