import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { accountQuery } from "./api/queries.ts";
import { mayHaveSession } from "./api/session-hint.ts";
import { Announcer } from "./components/announcer.tsx";
import { ErrorBoundary } from "./components/error-boundary.tsx";
import { Empty, Page, Skeleton } from "./components/page.tsx";
import { Problem } from "./components/problem.tsx";
import { useLocation } from "./location.ts";
import { ChannelScreen } from "./screens/channels/channel-screen.tsx";
import { ChannelsScreen } from "./screens/channels/channels-screen.tsx";
import { BuyCredits } from "./screens/credits/buy-credits.tsx";
import { CreditsScreen } from "./screens/credits/credits-screen.tsx";
import { PurchaseScreen } from "./screens/credits/purchase-screen.tsx";
import { CustomersScreen } from "./screens/customers/customers-screen.tsx";
import { IntegrateScreen } from "./screens/integrate/integrate-screen.tsx";
import { KeysScreen } from "./screens/keys/keys-screen.tsx";
import { ListingScreen } from "./screens/listings/listing-screen.tsx";
import { ListingsScreen } from "./screens/listings/listings-screen.tsx";
import { OverviewScreen } from "./screens/overview/overview-screen.tsx";
import { RequestScreen } from "./screens/requests/request-screen.tsx";
import { RequestsScreen } from "./screens/requests/requests-screen.tsx";
import { RevenueScreen } from "./screens/revenue/revenue-screen.tsx";
import { SettingsScreen } from "./screens/settings/settings-screen.tsx";
import { SettlementScreen } from "./screens/settlements/settlement-screen.tsx";
import { SettlementsScreen } from "./screens/settlements/settlements-screen.tsx";
import { SignInScreen } from "./screens/sign-in/sign-in-screen.tsx";
import { WebhookScreen } from "./screens/webhooks/webhook-screen.tsx";
import { WebhooksScreen } from "./screens/webhooks/webhooks-screen.tsx";
import { Shell } from "./shell.tsx";
import { SignedIn } from "./signed-in.ts";

export function App() {
  const account = useQuery(accountQuery);
  return (
    <>
      {typeof account.data === "object" ? (
        <SignedIn value={account.data}>
          <Shell>
            <Screen />
          </Shell>
        </SignedIn>
      ) : account.data !== undefined ? (
        <SignInScreen hasEnded={account.data === "ended"} />
      ) : (
        <Loading>
          {account.error ? (
            <Problem problem={account.error} again={account.refetch} />
          ) : (
            <Skeleton count={5} />
          )}
        </Loading>
      )}
      <Announcer />
    </>
  );
}

/** Who is most likely signed in sees the navigation at once; others would see it vanish. */
function Loading({ children }: { readonly children: ReactNode }) {
  const heading = <h1 className="unseen">Farthing</h1>;
  if (mayHaveSession()) {
    return (
      <Shell isLoading>
        {heading}
        {children}
      </Shell>
    );
  }
  return (
    <main className="alone">
      {heading}
      {children}
    </main>
  );
}

/** Another location begins anew, also after a fault. */
function Screen() {
  const { path } = useLocation();
  return <ErrorBoundary key={path}>{screenAt(path)}</ErrorBoundary>;
}

function screenAt(path: string): ReactNode {
  const [first = "", second, third] = path.split("/");
  const id = second === "purchases" ? third : second;
  if (id !== undefined && id !== "buy" && !/^(?:[a-z]+_[0-9a-f]+|0x[0-9a-f]{64})$/.test(id))
    return <Nowhere />;
  switch (first) {
    case "":
      return <OverviewScreen />;
    case "settlements":
      return second === undefined ? <SettlementsScreen /> : <SettlementScreen id={second} />;
    case "revenue":
      return <RevenueScreen />;
    case "channels":
      return second === undefined ? <ChannelsScreen /> : <ChannelScreen id={second} />;
    case "customers":
      return <CustomersScreen />;
    case "keys":
      return <KeysScreen />;
    case "credits":
      if (second === "buy") return <BuyCredits />;
      return second === "purchases" && third !== undefined ? (
        <PurchaseScreen id={third} />
      ) : (
        <CreditsScreen />
      );
    case "requests":
      return second === undefined ? <RequestsScreen /> : <RequestScreen id={second} />;
    case "integrate":
      return <IntegrateScreen />;
    case "listings":
      return second === undefined ? <ListingsScreen /> : <ListingScreen id={second} />;
    case "webhooks":
      return second === undefined ? <WebhooksScreen /> : <WebhookScreen id={second} />;
    case "settings":
      return <SettingsScreen />;
    default:
      return <Nowhere />;
  }
}

function Nowhere() {
  return (
    <Page title="Page not found">
      <Empty title="There is nothing at this address" link={["", "Go to the overview"]}>
        <p>The address may be mistyped or belong to another version of the dashboard.</p>
      </Empty>
    </Page>
  );
}
