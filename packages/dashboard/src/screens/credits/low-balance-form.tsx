import { AccountTextForm } from "../../components/account-text-form.tsx";
import { Section } from "../../components/page.tsx";
import { useAccount } from "../../signed-in.ts";

/** A billion credits are a million USDC: no one needs a higher threshold. */
const digitsMax = 9;
const isRight = (text: string) => new RegExp(`^\\d{0,${digitsMax}}$`).test(text);

export function LowBalanceForm() {
  const { credits } = useAccount();
  return (
    <Section title="Low balance">
      <AccountTextForm
        label="Warn me when credits fall to"
        hint="Shown on every screen, and sent to your webhooks and e-mail addresses. Leave empty for no warning."
        inputMode="numeric"
        placeholder="none"
        saved={credits.lowAt === null ? "" : `${credits.lowAt}`}
        wrongWith={(text) => (isRight(text) ? undefined : "Enter a whole number of credits.")}
        changeOf={(text) => ({ lowCreditsAt: text === "" ? null : Number(text) })}
      />
    </Section>
  );
}
