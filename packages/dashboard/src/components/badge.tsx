import { CheckIcon, ClockIcon, CrossIcon, PauseIcon, WarnIcon } from "./icons.tsx";

/** How a state feels. The words and the sign say it too, never the colour alone. */
export type Tone = "good" | "busy" | "warn" | "bad" | "plain";

const signs = {
  good: CheckIcon,
  busy: ClockIcon,
  warn: WarnIcon,
  bad: CrossIcon,
  plain: PauseIcon,
} as const;

/** A state in one or two words. */
export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  const Sign = signs[tone];
  return (
    <span className={`badge ${tone}`}>
      <Sign />
      {children}
    </span>
  );
}
