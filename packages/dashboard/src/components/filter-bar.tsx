/** The filters of a list behind one button, and what is set of them beside it. */
import { useCallback, useEffect, useId, useRef, useState, type ReactNode } from "react";
import { useSearch } from "../search-keys.ts";
import { useSlashKey } from "../slash-key.ts";
import { Button } from "./button.tsx";
import { Form } from "./field.tsx";

/** A filter that is set. */
export interface SetFilter {
  /** `State: failed` */
  readonly text: string;
  readonly onRemove: () => void;
}

interface FilterBarProps {
  /** What is filtered. */
  readonly label: string;
  readonly set: readonly SetFilter[];
  readonly onClear: () => void;
  /** The fields. */
  readonly children: ReactNode;
}

/** Where a person who searches begins to type, or else to choose. */
function focusFirst(form: HTMLElement | null): void {
  const typed = form?.querySelector<HTMLElement>("input:not([type=date])");
  (typed ?? form?.querySelector("select"))?.focus();
}

export function FilterBar({ label, set, onClear, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const hasSlashKey = useSlashKey();
  const id = useId();
  const [searches, setSearches] = useState(0);
  useSearch(
    useCallback(() => {
      setOpen(true);
      setSearches((count) => count + 1);
    }, []),
  );
  useEffect(() => {
    if (searches > 0) focusFirst(document.getElementById(id));
  }, [searches, id]);
  /** What had the focus is gone afterwards. */
  const removing = (remove: () => void) => () => {
    remove();
    button.current?.focus();
  };
  return (
    <div className="filter-bar">
      <div className="filter-line">
        <Button
          ref={button}
          aria-expanded={isOpen}
          aria-controls={id}
          aria-keyshortcuts={hasSlashKey ? "/ Control+K" : "Control+K"}
          onClick={() => setOpen(!isOpen)}
        >
          Filters
        </Button>
        {set.map(({ text, onRemove }) => (
          <button key={text} type="button" className="chip" onClick={removing(onRemove)}>
            <span className="unseen">Remove the filter </span>
            {text} <span aria-hidden="true">×</span>
          </button>
        ))}
        {set.length > 1 && (
          <Button look="quiet small" onClick={removing(onClear)}>
            Clear all
          </Button>
        )}
      </div>
      <Form
        id={id}
        hidden={!isOpen}
        className="filters"
        role="search"
        aria-label={label}
        onSubmit={() => setOpen(false)}
      >
        {children}
      </Form>
    </div>
  );
}
