/** Placeholder lines while content loads, so that the page does not jump when it arrives. */
export function Skeleton({ count = 3 }: { readonly count?: number }) {
  return (
    <div className="lines" role="status" aria-label="Loading">
      {Array.from({ length: count }, (_, index) => (
        <span key={index} className="bone" />
      ))}
    </div>
  );
}
