import type { ComponentProps, ReactNode } from "react";
import type { Permission } from "@farthing/facilitator/api";
import { useMay } from "../signed-in.ts";

type ButtonProps = ComponentProps<"button"> & {
  readonly look?: string;
  /** Members whose role lacks this do not see the button. */
  readonly needs?: Permission;
};

/** A button; `look` adds variants of the style sheet, such as `primary` or `quiet small`. */
export function Button({ look = "", needs, type = "button", ...props }: ButtonProps) {
  if (!useMay(needs)) return null;
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

/** Shows its children to members whose role allows what they do. */
export function Allowed({
  to,
  children,
}: {
  readonly to: Permission;
  readonly children: ReactNode;
}) {
  return useMay(to) && children;
}
