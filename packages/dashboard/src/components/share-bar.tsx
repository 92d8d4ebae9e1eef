/** A row's share of the largest amount of its list, as a bar below the name; the amount is in the row. */
export function ShareBar({
  units,
  of,
}: {
  readonly units: string;
  readonly of: readonly string[];
}) {
  const most = of.reduce((max, one) => (BigInt(one) > max ? BigInt(one) : max), 1n);
  const percent = Number((BigInt(units) * 1000n) / most) / 10;
  return (
    <span className="share" aria-hidden="true">
      <span style={{ width: `${Math.max(0, percent)}%` }} />
    </span>
  );
}
