import type { ReactNode } from "react";
import { CheckIcon, ClockIcon, CrossIcon, WarnIcon } from "./icons.tsx";
import { spanText } from "./format.ts";
import { Clock, When } from "./values.tsx";

export interface Step {
  readonly key: string;
  readonly title: string;
  readonly look: "done" | "now" | "ahead" | "warn" | "bad";
  /** RFC 3339; missing for steps that have not happened. */
  readonly at?: string;
  readonly note?: ReactNode;
}

const signs = { done: CheckIcon, now: ClockIcon, warn: WarnIcon, bad: CrossIcon } as const;
const unseen = { done: "", now: "now: ", ahead: "later: ", warn: "", bad: "" } as const;

/** Steps in order, with the time since the first. */
export function Timeline({ steps }: { readonly steps: readonly Step[] }) {
  const start = steps.find(({ at }) => at !== undefined)?.at;
  return (
    <ol className="timeline">
      {steps.map(({ key, title, look, at, note }, index) => {
        const Sign = look === "ahead" ? undefined : signs[look];
        return (
          <li key={key} className={look}>
            <span className="step-sign" aria-hidden="true">
              {Sign && <Sign />}
            </span>
            <div>
              <p>
                <span className="unseen">{unseen[look]}</span>
                {title}
              </p>
              {note !== undefined && <div className="muted">{note}</div>}
            </div>
            {at !== undefined && (
              <span className="step-time">
                {index === 0 || !start ? <When at={at} /> : <Clock at={at} start={start} />}
                {start !== undefined && index > 0 && (
                  <span className="muted"> +{spanText(start, at)}</span>
                )}
              </span>
            )}
          </li>
        );
      })}
    </ol>
  );
}
