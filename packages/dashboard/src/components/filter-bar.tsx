/** The filters of a list behind one button, and what is set of them beside it. */
import { useId, useRef, useState, type ReactNode } from "react";
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

export function FilterBar({ label, set, onClear, children }: FilterBarProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const id = useId();
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
