import type { ApiKeyJson } from "@farthing/facilitator/api";
import { Link } from "../../components/link.tsx";
import { CheckIcon } from "../../components/icons.tsx";
import { Section } from "../../components/page.tsx";
import { useAccount } from "../../signed-in.ts";

export function SetUp({ keys }: { readonly keys: readonly ApiKeyJson[] }) {
  const { credits, creditsPerSettlement, treasury } = useAccount();
  const usable = keys.filter(({ status }) => status === "active" || status === "expiring");
  const steps = [
    {
      isDone: usable.length > 0,
      title: "Create an API key",
      text: "Your server sends it with each payment that it has verified and settled.",
      to: "keys",
    },
    ...(creditsPerSettlement > 0
      ? [
          {
            isDone: credits.available >= creditsPerSettlement,
            title: treasury === null ? "Get credits from the operator" : "Buy credits",
            text: "One credit costs 0.001 USDC. Failed settlements are free.",
            to: treasury === null ? "credits" : "credits/buy",
          },
        ]
      : []),
    {
      isDone: usable.some(({ lastUsedAt }) => lastUsedAt !== null),
      title: "Make your first call",
      text: "Test the key in the browser, or add a code snippet to your server.",
      to: "integrate",
    },
    {
      isDone: false,
      title: "Settle your first payment",
      text: "Pay for your route once; the settlement appears here.",
      to: "integrate",
    },
  ];
  const next = steps.findIndex(({ isDone }) => !isDone);
  return (
    <Section title="Set up">
      <ol className="steps">
        {steps.map(({ isDone, title, text, to }, index) => (
          <li key={title} className={isDone ? "done" : index === next ? "next" : undefined}>
            <span className="step-sign" aria-hidden="true">
              {isDone ? <CheckIcon /> : index + 1}
            </span>
            <div>
              <p>
                {index === next ? <Link to={to}>{title}</Link> : <span>{title}</span>}
                {isDone && <span className="unseen"> (done)</span>}
              </p>
              <p className="muted">{text}</p>
            </div>
          </li>
        ))}
      </ol>
    </Section>
  );
}
