import { withSearch } from "../location.ts";
import { Link } from "./link.tsx";

interface PagerProps {
  readonly path: string;
  readonly filters?: Readonly<Record<string, string>>;
  readonly cursor: string;
  readonly next: string | null;
}

/** Links to older rows and back to the newest, where there is more than one page. */
export function Pager({ path, filters = {}, cursor, next }: PagerProps) {
  if (cursor === "" && next === null) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {cursor !== "" && (
        <Link to={withSearch(path, filters)} className="button small">
          ← Newest
        </Link>
      )}
      {next !== null && (
        <Link to={withSearch(path, { ...filters, cursor: next })} className="button small">
          Older →
        </Link>
      )}
    </nav>
  );
}
