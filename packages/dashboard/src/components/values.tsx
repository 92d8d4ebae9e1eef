/** Times, amounts and addresses in the text: short to read, whole on request. */
import { CopyButton } from "./copy-button.tsx";
import { clockText, localDayText, shortText, timeText, usdcText, utcText } from "./format.ts";

/** A moment in local time; UTC on hover. */
export function When({ at }: { readonly at: string | null | undefined }) {
  if (!at) return <span className="muted">–</span>;
  return (
    <time dateTime={at} title={utcText(at)}>
      {timeText(at)}
    </time>
  );
}

/** A moment of the same day as another one, without the day; with it when that is not so. */
export function Clock({ at, start }: { readonly at: string; readonly start: string }) {
  if (new Date(at).toDateString() !== new Date(start).toDateString()) return <When at={at} />;
  return (
    <time dateTime={at} title={utcText(at)}>
      {clockText(at)}
    </time>
  );
}

/** A day in local time; the moment in UTC on hover. */
export function Day({ at }: { readonly at: string }) {
  return (
    <time dateTime={at} title={utcText(at)}>
      {localDayText(at)}
    </time>
  );
}

/** An amount of USDC; base units on hover. */
export function Usdc({ units }: { readonly units: string | bigint }) {
  return (
    <span className="amount" title={`${units} base units`}>
      {usdcText(units)} <span className="unit">USDC</span>
    </span>
  );
}

/** An address, a hash or an id, shortened, with a way to copy all of it. */
export function Short({
  text,
  what,
  href,
}: {
  readonly text: string;
  readonly what: string;
  /** Where the thing can be looked at. */
  readonly href?: string | undefined;
}) {
  const short = <code title={text}>{shortText(text)}</code>;
  return (
    <span className="short">
      {href === undefined ? (
        short
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener">
          {short}
        </a>
      )}
      <CopyButton text={text} what={what} />
    </span>
  );
}

/** Something to be read and copied whole. */
export function Whole({ text, what }: { readonly text: string; readonly what: string }) {
  return (
    <span className="whole">
      <code>{text}</code>
      <CopyButton text={text} what={what} />
    </span>
  );
}
