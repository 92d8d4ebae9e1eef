import { CheckIcon, ClockIcon, CrossIcon, PauseIcon, WarnIcon } from "./icons.tsx";

/** Text and icon always say the same as the colour. */
export type Tone = "good" | "busy" | "warn" | "bad" | "plain";

const signs = {
  good: CheckIcon,
  busy: ClockIcon,
  warn: WarnIcon,
  bad: CrossIcon,
  plain: PauseIcon,
} as const;

export function Badge({ tone, children }: { readonly tone: Tone; readonly children: string }) {
  const Sign = signs[tone];
  return (
    <span className={`badge ${tone}`}>
      <Sign />
      {children}
    </span>
  );
}
