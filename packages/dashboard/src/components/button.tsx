import type { ComponentProps } from "react";

type ButtonProps = ComponentProps<"button"> & { readonly look?: string };

/** A button; `look` adds variants of the style sheet, such as `primary` or `quiet small`. */
export function Button({ look = "", type = "button", ...props }: ButtonProps) {
  return <button type={type} className={`button ${look}`.trim()} {...props} />;
}

/** Buttons of which one is pressed: a choice that takes effect at once. */
export function Segments<Value extends string | number>({
  label,
  options,
  value,
  onChoose,
}: {
  readonly label: string;
  readonly options: readonly (readonly [value: Value, title: string])[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
}) {
  return (
    <div className="segments" role="group" aria-label={label}>
      {options.map(([one, title]) => (
        <button key={one} type="button" aria-pressed={one === value} onClick={() => onChoose(one)}>
          {title}
        </button>
      ))}
    </div>
  );
}
