import { useId, type ComponentProps, type ReactNode } from "react";

/** A form that this page handles itself. */
export function Form({
  onSubmit,
  ...form
}: Omit<ComponentProps<"form">, "onSubmit"> & { readonly onSubmit: () => void }) {
  return (
    <form
      {...form}
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    />
  );
}

interface FieldTexts {
  readonly label: string;
  readonly hint?: ReactNode;
  readonly error?: string | undefined;
}

interface ControlProps {
  readonly id: string;
  readonly "aria-describedby": string | undefined;
  readonly "aria-invalid": true | undefined;
}

function Field({
  label,
  hint,
  error,
  children,
}: FieldTexts & { readonly children: (props: ControlProps) => ReactNode }) {
  const id = useId();
  const noteId = `${id}-note`;
  const note = error ?? hint;
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      {children({
        id,
        "aria-describedby": note === undefined ? undefined : noteId,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {note !== undefined && (
        <p id={noteId} className={error === undefined ? "hint" : "hint wrong"}>
          {note}
        </p>
      )}
    </div>
  );
}

interface OnText {
  readonly onText: (text: string) => void;
}

export function TextField({
  label,
  hint,
  error,
  onText,
  ...input
}: FieldTexts & OnText & ComponentProps<"input">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => <input {...props} {...input} onChange={(event) => onText(event.target.value)} />}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  onText,
  ...area
}: FieldTexts & OnText & ComponentProps<"textarea">) {
  return (
    <Field label={label} hint={hint} error={error}>
      {(props) => (
        <textarea {...props} {...area} onChange={(event) => onText(event.target.value)} />
      )}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  value,
  options,
  onText,
}: FieldTexts &
  OnText & {
    readonly value: string | number;
    readonly options: readonly (readonly [value: string | number, title: string])[];
  }) {
  return (
    <Field label={label} hint={hint}>
      {(props) => (
        <select {...props} value={value} onChange={(event) => onText(event.target.value)}>
          {options.map(([one, title]) => (
            <option key={one} value={one}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function RadioChoice<Value extends string>({
  legend,
  name,
  options,
  value,
  onChoose,
  isColumn = false,
  disabled,
}: {
  readonly legend: string;
  readonly name: string;
  readonly options: readonly (readonly [value: Value, title: ReactNode])[];
  readonly value: Value;
  readonly onChoose: (value: Value) => void;
  readonly isColumn?: boolean;
  readonly disabled?: boolean;
}) {
  return (
    <fieldset className={isColumn ? "choice column" : "choice"} disabled={disabled}>
      <legend>{legend}</legend>
      {options.map(([one, title]) => (
        <label key={one}>
          <input type="radio" name={name} checked={one === value} onChange={() => onChoose(one)} />
          {title}
        </label>
      ))}
    </fieldset>
  );
}
