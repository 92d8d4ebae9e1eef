import { withSearch } from "../location.ts";
import { Link } from "./link.tsx";

interface PagerProps {
  readonly path: string;
  readonly filters?: Readonly<Record<string, string>>;
  readonly cursor: string;
  readonly next: string | null;
  /** Of the links to the first page and to the next one. */
  readonly titles?: readonly [first: string, next: string];
}

/** Links to the next page and back to the first, where there is more than one. */
export function Pager({
  path,
  filters = {},
  cursor,
  next,
  titles = ["← Newest", "Older →"],
}: PagerProps) {
  if (cursor === "" && next === null) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {cursor !== "" && (
        <Link to={withSearch(path, filters)} className="button small">
          {titles[0]}
        </Link>
      )}
      {next !== null && (
        <Link to={withSearch(path, { ...filters, cursor: next })} className="button small">
          {titles[1]}
        </Link>
      )}
    </nav>
  );
}
