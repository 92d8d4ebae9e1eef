import { Link } from "./link.tsx";

export function Pager({
  newest,
  older,
}: {
  readonly newest: string | undefined;
  readonly older: string | undefined;
}) {
  if (newest === undefined && older === undefined) return null;
  return (
    <nav className="pager" aria-label="Pages">
      {newest !== undefined && (
        <Link to={newest} className="button small">
          ← Newest
        </Link>
      )}
      {older !== undefined && (
        <Link to={older} className="button small">
          Older →
        </Link>
      )}
    </nav>
  );
}
