import type { ReactNode } from "react";
import { CheckIcon, InfoIcon, WarnIcon } from "./icons.tsx";

const signs = { info: InfoIcon, good: CheckIcon, warn: WarnIcon, bad: WarnIcon } as const;

interface NoticeProps {
  readonly tone: keyof typeof signs;
  readonly title: string;
  readonly children?: ReactNode;
  readonly actions?: ReactNode;
}

export function Notice({ tone, title, children, actions }: NoticeProps) {
  const Sign = signs[tone];
  return (
    <div className={`notice ${tone}`} role={tone === "bad" ? "alert" : undefined}>
      <Sign />
      <div className="notice-text">
        <p className="notice-title">{title}</p>
        {children !== undefined && <div>{children}</div>}
      </div>
      {actions !== undefined && <div className="notice-actions">{actions}</div>}
    </div>
  );
}
