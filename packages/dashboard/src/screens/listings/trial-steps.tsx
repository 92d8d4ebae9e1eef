import type { ListingTrial } from "../../api/responses.ts";
import { Notice } from "../../components/notice.tsx";

const stepNames: Readonly<Record<string, string>> = {
  reachable: "It is reached over HTTPS",
  returns402: "It answers 402 to a request without payment",
  parse: "Its challenge can be read",
  scheme: "The scheme is exact",
  network: "The network is as listed",
  asset: "The asset is USDC",
  payTo: "This account is paid",
  amount: "The price is as listed",
  resourceHost: "The challenge names this host",
};

/** What a check of an endpoint found, step by step, as far as it came. */
export function TrialSteps({ trial }: { readonly trial: ListingTrial }) {
  if (trial.ok) {
    return (
      <Notice tone="good" title="In order">
        <p>The endpoint asks for what you list.</p>
      </Notice>
    );
  }
  const failed = trial.checks.filter(({ ok, detail }) => !ok && detail !== "Not looked at.");
  return (
    <Notice tone="warn" title="Not yet in order">
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
