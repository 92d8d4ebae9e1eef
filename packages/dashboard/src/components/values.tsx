/** Times, amounts and addresses: short, with the whole value on hover or to copy. */
import { CopyButton } from "./copy-button.tsx";
import { clockText, fractionDigits, shortText, timeText, usdcText, utcText } from "./format.ts";
import { ExternalLink } from "./link.tsx";

/** Local time, or as `text` writes it; UTC on hover. */
export function When({
  at,
  text = timeText,
}: {
  readonly at: string | null | undefined;
  readonly text?: (at: string) => string;
}) {
  if (!at) return <span className="muted">–</span>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {text(at)}
    </time>
  );
}

/** The time of day where `start` is of the same day. */
export function Clock({ at, start }: { readonly at: string; readonly start: string }) {
  const isSameDay = new Date(at).toDateString() === new Date(start).toDateString();
  return <When at={at} text={isSameDay ? clockText : timeText} />;
}

interface UsdcProps {
  readonly units: string | bigint;
  /** Digits for which there is room behind the point, so that points are below each other. */
  readonly digits?: number;
}

/** Base units on hover. */
export function Usdc({ units, digits = 0 }: UsdcProps) {
  const padding = Math.max(0, digits - fractionDigits(units));
  return (
    <span className="amount" title={`${units} base units`}>
      {usdcText(units)}
      {padding > 0 && <span className="amount-padding" style={{ width: `${padding}ch` }} />}{" "}
      <span className="unit">USDC</span>
    </span>
  );
}

interface ShortProps {
  readonly text: string;
  readonly what: string;
  readonly href?: string | undefined;
}

/** A shortened address, hash or id that can be copied whole. */
export function Short({ text, what, href }: ShortProps) {
  const short = <code title={text}>{shortText(text)}</code>;
  return (
    <span className="short">
      {href === undefined ? short : <ExternalLink href={href}>{short}</ExternalLink>}
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Text that can be read and copied whole. */
export function Whole({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="whole">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
