import {
  networkOfChain,
  parseUsdc,
  type Address,
  type ChainId,
  unitsPerCredit,
} from "@farthing/protocol";
import { useState } from "react";
import type { Credits, Purchase } from "@farthing/facilitator/api";
import { call } from "../../api/call.ts";
import { creditsQuery, purchaseQuery, purchasesPath, walletsQuery } from "../../api/queries.ts";
import { Page, QueryBoundary, Section } from "../../components/page.tsx";
import { Problem } from "../../components/problem.tsx";
import { countText, plural, shortText, usdcText } from "../../components/format.ts";
import { Timeline, type Step } from "../../components/timeline.tsx";
import { go } from "../../location.ts";
import { useAccount, useMay } from "../../signed-in.ts";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Button, Segments } from "../../components/button.tsx";
import { Form, SelectField, TextField } from "../../components/field.tsx";
import { useChange } from "../../components/use-change.ts";

/** From a first try to a busy shop. */
const offers = ["1", "10", "50", "250"] as const;

export function BuyCredits() {
  const mayBuy = useMay("buy_credits");
  return (
    <Page
      title="Buy credits"
      lead="Sign one USDC payment in your wallet. It moves exactly this amount, and we pay the gas."
      back={["credits", "Credits"]}
    >
      <div className="columns">
        <Section title="How much">
          <QueryBoundary query={creditsQuery}>
            {(known) =>
              known.treasury === null ? (
                <p>This facilitator does not sell credits. Contact its operator to get some.</p>
              ) : !mayBuy ? (
                <p>Only owners of the account buy credits. Ask one of them.</p>
              ) : (
                <BuyForm credits={known} />
              )
            }
          </QueryBoundary>
        </Section>
        <Section title="What happens">
          <Timeline steps={way} />
          <p className="muted">
            No money moves before you sign, and your signature cannot be used for anything else or
            twice.
          </p>
        </Section>
      </div>
    </Page>
  );
}

const reviewed = "amount, treasury, network";
const settled = "final within about ten seconds";
const way: readonly Step[] = [
  { key: "review", look: "ahead", title: "You review the payment", note: reviewed },
  { key: "sign", look: "ahead", title: "You sign it in your wallet" },
  { key: "settle", look: "ahead", title: "It is settled on chain", note: settled },
  { key: "credit", look: "ahead", title: "Credits added" },
];

function wrongWith(units: bigint | undefined, minUnits: string): string | undefined {
  if (units === undefined) return "Enter an amount, such as 10 or 2.50.";
  if (units < BigInt(minUnits)) return `Enter at least ${usdcText(minUnits)} USDC.`;
  return units % unitsPerCredit === 0n
    ? undefined
    : "One credit is 0.001 USDC, so use at most three decimals.";
}

/** Where mainnet is served, test USDC buys nothing. */
function soldOn(networks: readonly { readonly chainId: ChainId }[]): readonly ChainId[] {
  const served = networks.map(({ chainId }) => chainId);
  return served.includes(50) ? [50] : served;
}

function BuyForm({ credits }: { readonly credits: Credits }) {
  const account = useAccount();
  const client = useQueryClient();
  const [amount, setAmount] = useState<string>(offers[1]);
  const sold = soldOn(account.networks);
  const [chainId, setChainId] = useState<ChainId>(
    sold.includes(account.chainId) ? account.chainId : (sold[0] ?? account.chainId),
  );
  const [payer, setPayer] = useState<Address>(account.wallet);
  const units = parseUsdc(amount);
  const wrong = wrongWith(units, credits.minUnits);
  const bought = units === undefined || wrong ? 0 : Number(units / unitsPerCredit);
  const body = { credits: bought, chainId, payer };
  const begin = useChange({
    send: () => call<Purchase>(purchasesPath, { method: "POST", body }),
    done: (purchase) => {
      client.setQueryData(purchaseQuery(purchase.id).queryKey, purchase);
      go(`credits/purchases/${purchase.id}`, { replace: true });
    },
  });
  return (
    <Form className="narrow" onSubmit={() => wrong ?? begin.mutate()}>
      <TextField
        label="Amount in USDC"
        error={wrong}
        className="big"
        inputMode="decimal"
        value={amount}
        autoComplete="off"
        onText={setAmount}
      />
      <Segments
        label="Amounts to choose from"
        options={offers.map((one) => [one, `${one} USDC`])}
        value={amount}
        onChoose={setAmount}
      />
      <Preview credits={credits} bought={bought} units={units ?? 0n} />
      <PayFrom chainId={chainId} onChain={setChainId} payer={payer} onPayer={setPayer} />
      {begin.error && <Problem problem={begin.error} />}
      <div className="form-actions">
        <Button type="submit" look="primary" disabled={wrong !== undefined || begin.isPending}>
          Review the payment
        </Button>
      </div>
    </Form>
  );
}

function Preview({
  credits: { available, perSettlement, reviewAboveUnits },
  bought,
  units,
}: {
  readonly credits: Credits;
  readonly bought: number;
  readonly units: bigint;
}) {
  const after = available + bought;
  return (
    <div className="preview" aria-live="polite">
      <p>
        <strong>{plural(bought, "credit")}</strong>
        {perSettlement > 0 && ` · ≈ ${plural(Math.floor(bought / perSettlement), "settlement")}`}
      </p>
      <p className="muted">You will have {countText(after)} credits.</p>
      {units > BigInt(reviewAboveUnits) && (
        <p>
          Payments above {usdcText(reviewAboveUnits)} USDC are reviewed before they are credited.
          Buy a smaller amount to get credits right away.
        </p>
      )}
    </div>
  );
}

interface PayFromProps {
  readonly chainId: ChainId;
  readonly onChain: (chainId: ChainId) => void;
  readonly payer: Address;
  readonly onPayer: (payer: Address) => void;
}

function PayFrom({ chainId, onChain, payer, onPayer }: PayFromProps) {
  const sold = soldOn(useAccount().networks);
  const { data } = useQuery(walletsQuery);
  const wallets = data?.wallets.filter((one) => one.chainId === null || one.chainId === chainId);
  return (
    <>
      {sold.length > 1 && (
        <SelectField
          label="Network"
          value={chainId}
          options={sold.map((id) => [id, networkOfChain(id).name])}
          onText={(text) => onChain(text === "50" ? 50 : 51)}
        />
      )}
      {wallets && wallets.length > 1 && (
        <SelectField
          label="Pay from"
          hint="Your own wallet, or one linked to this account."
          value={payer}
          options={wallets.map(({ address, isOwn }) => [
            address,
            `${shortText(address)}${isOwn ? " (account)" : ""}`,
          ])}
          onText={(text) =>
            onPayer(wallets.find(({ address }) => address === text)?.address ?? payer)
          }
        />
      )}
    </>
  );
}
