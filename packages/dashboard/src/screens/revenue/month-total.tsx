/** The revenue of a month beside that of the same days of the month before. */
import type { RevenueJson } from "@farthing/facilitator/api";
import { changeText, dayText, plural, usdcText } from "../../components/format.ts";

type Counted = RevenueJson["total"];

export function MonthTotal({ total, before }: Pick<RevenueJson, "total" | "before">) {
  const days =
    before.from === before.to
      ? dayText(before.from)
      : `${dayText(before.from)} – ${dayText(before.to)}`;
  return (
    <div>
      <p>
        <strong>{usdcText(total.amount)} USDC</strong> in {plural(total.settlements, "settlement")}{" "}
        <Change now={total} before={before} />
      </p>
      <p className="muted">
        {days}: {usdcText(before.amount)} USDC in {plural(before.settlements, "settlement")}
      </p>
    </div>
  );
}

/** Nothing where there is nothing to compare with. */
export function Change({ now, before }: { readonly now: Counted; readonly before: Counted }) {
  const text = changeText(now.amount, before.amount);
  if (text === undefined) return null;
  return (
    <span className={text.startsWith("−") ? "change down" : "change up"}>
      {text}
      <span className="unseen"> compared with the month before</span>
    </span>
  );
}
