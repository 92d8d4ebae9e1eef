import { withSearch } from "../location.ts";
import { DownIcon } from "./icons.tsx";

export function CsvLink({
  path,
  filters = {},
  name,
  look,
}: {
  readonly path: string;
  readonly filters?: Readonly<Record<string, string>>;
  readonly name: string;
  readonly look: string;
}) {
  const href = withSearch(path, { ...filters, format: "csv" });
  return (
    <a className={look} href={href} download={`farthing-${name}.csv`}>
      <DownIcon /> CSV
    </a>
  );
}
