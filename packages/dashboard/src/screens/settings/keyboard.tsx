import { Section } from "../../components/page.tsx";
import { turnSlashKey, useSlashKey } from "../../slash-key.ts";

/** A key without a modifier can be turned off. */
export function Keyboard() {
  const isOn = useSlashKey();
  return (
    <Section title="Keyboard">
      <div className="choice">
        <label>
          <input
            type="checkbox"
            checked={isOn}
            onChange={({ target }) => turnSlashKey(target.checked)}
          />
          <span>
            <code>/</code> opens the filters of a list. <code>Ctrl</code>+<code>K</code> always
            does. Kept in this browser.
          </span>
        </label>
      </div>
    </Section>
  );
}
