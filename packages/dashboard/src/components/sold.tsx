/** What a payment was for: the route, or else the address, with the seller's own name of the sale. */
import { Link } from "./link.tsx";

interface Names {
  readonly resource: string | null;
  readonly route: string | null;
  readonly reference: string | null;
}

/** The scheme tells no two resources apart. */
export function soldName({ route, resource }: Omit<Names, "reference">): string | null {
  return route ?? resource?.replace(/^https?:\/\//, "") ?? null;
}

/** Links to `to`; `unnamed` stands where the seller gave no name. */
export function Sold({
  to,
  unnamed,
  ...names
}: Names & { readonly to: string; readonly unnamed: string }) {
  const name = soldName(names);
  return (
    <span>
      <Link to={to}>
        {name === null ? (
          unnamed
        ) : (
          <code className="breakable" title={names.resource ?? undefined}>
            {name}
          </code>
        )}
      </Link>
      {names.reference !== null && <span className="reason">{names.reference}</span>}
    </span>
  );
}
