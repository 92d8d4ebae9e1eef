import { toXdcAddress } from "@farthing/protocol";
import { CodeBlock } from "../../components/code-block.tsx";
import { ExternalLink, Link } from "../../components/link.tsx";
import { Page, Section, Facts } from "../../components/page.tsx";
import { Tabs } from "../../components/tabs.tsx";
import { Whole } from "../../components/values.tsx";
import { useNetwork } from "../../chosen-network.ts";
import { go, useLocation, withSearch } from "../../location.ts";
import { useAccount, useMay } from "../../signed-in.ts";
import { snippetsOf, type SnippetValues } from "./snippets.ts";
import { TestKey } from "./test-key.tsx";

const faucets = {
  usdc: "https://faucet.circle.com",
  gas: "https://faucet.apothem.network",
} as const;

export function IntegrateScreen() {
  const { account, publicUrl } = useAccount();
  const network = useNetwork();
  if (!network) return <Page title="Integrate">This facilitator serves no network.</Page>;
  const values: SnippetValues = {
    facilitatorUrl: publicUrl.replace(/\/+$/, ""),
    payTo: account,
    network: network.id,
    usdc: network.usdc,
  };
  return (
    <Page
      title="Integrate"
      lead="Charge for a route of your server: respond with 402, verify and settle the buyer’s payment, then serve the content."
    >
      <Section title="Your values">
        <Values values={values} hasFaucets={network.chainId === 51 && network.explorer !== null} />
      </Section>
      <Section title="Test my key">
        <TestKey values={values} />
      </Section>
      <Section title="Code">
        <Snippets values={values} />
      </Section>
    </Page>
  );
}

function Values({
  values,
  hasFaucets,
}: {
  readonly values: SnippetValues;
  /** True on Apothem; a devnet, which no explorer shows, has none. */
  readonly hasFaucets: boolean;
}) {
  const paidTo = (
    <>
      <Whole text={values.payTo} what="payout address" />
      <div className="muted breakable">
        the same as <code>{toXdcAddress(values.payTo)}</code>
      </div>
    </>
  );
  const mayCreate = useMay("manage_keys");
  const key = (
    <>
      {mayCreate ? (
        <Link to="keys">Create or rotate a key</Link>
      ) : (
        "Ask an owner or a developer of the account for a key"
      )}
      , and set it on your server as <code>FARTHING_API_KEY</code>
    </>
  );
  return (
    <>
      <Facts
        rows={[
          ["Facilitator", <Whole text={values.facilitatorUrl} what="facilitator address" />],
          ["Network", <Whole text={values.network} what="network" />],
          ["USDC", <Whole text={values.usdc} what="USDC contract" />],
          ["Paid to", paidTo],
          ["Key", key],
        ]}
      />
      {hasFaucets && (
        <p className="muted">
          Apothem is the test network. Test USDC comes from{" "}
          <ExternalLink href={faucets.usdc}>Circle’s faucet</ExternalLink>; buyers need no gas, but
          TXDC is at <ExternalLink href={faucets.gas}>the Apothem faucet</ExternalLink>.
        </p>
      )}
    </>
  );
}

function Snippets({ values }: { readonly values: SnippetValues }) {
  const { search } = useLocation();
  const asked = new URLSearchParams(search).get("with");
  const snippets = snippetsOf(values);
  const snippet = snippets.find(({ name }) => name === asked) ?? snippets[0];
  if (!snippet) return null;
  return (
    <Tabs
      label="Ways to integrate"
      tabs={snippets}
      current={snippet.name}
      onChoose={(name) => go(withSearch("integrate", { with: name }), { replace: true })}
    >
      <p className="muted">{snippet.note}</p>
      {snippet.blocks.map((block) => (
        <CodeBlock key={block.what} {...block} />
      ))}
    </Tabs>
  );
}
