/** The frame around each screen: navigation, account and banners. */
import { isSameAddress } from "@farthing/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState, type ComponentType, type ReactNode } from "react";
import { call } from "./api/call.ts";
import { forgetAccount } from "./api/queries.ts";
import * as Icons from "./components/icons.tsx";
import { Link } from "./components/link.tsx";
import { shortText } from "./components/format.ts";
import { chooseNetwork, isLive, useNetwork, useNetworkOfLink } from "./chosen-network.ts";
import { useLocation } from "./location.ts";
import { useSearchKeys } from "./search-keys.ts";
import { roleNames, useAccount } from "./signed-in.ts";
import { SwitchAccount } from "./switch-account.tsx";
import { AccountBanners } from "./account-banners.tsx";
import { Button, Segments } from "./components/button.tsx";

const navigation: readonly (readonly [path: string, title: string, icon: ComponentType])[] = [
  ["", "Overview", Icons.OverviewIcon],
  ["settlements", "Settlements", Icons.SettlementsIcon],
  ["revenue", "Revenue", Icons.RevenueIcon],
  ["customers", "Customers", Icons.CustomersIcon],
  ["channels", "Channels", Icons.ChannelsIcon],
  ["keys", "API keys", Icons.KeysIcon],
  ["requests", "Request log", Icons.RequestsIcon],
  ["credits", "Credits", Icons.CreditsIcon],
  ["integrate", "Integrate", Icons.IntegrateIcon],
  ["listings", "Listings", Icons.ListingsIcon],
  ["webhooks", "Webhooks", Icons.WebhooksIcon],
  ["settings", "Settings", Icons.SettingsIcon],
];

interface ShellProps {
  readonly children: ReactNode;
  /** The account is still being read: the navigation is there, and what needs the account is not. */
  readonly isLoading?: boolean;
}

export function Shell({ children, isLoading = false }: ShellProps) {
  const { path } = useLocation();
  useSearchKeys();
  const [first = ""] = path.split("/");
  const [isOpen, setOpen] = useState(false);
  return (
    <div className="shell">
      <a className="skip" href="#main">
        Skip to content
      </a>
      <header className="side">
        <div className="side-head">
          <Link to="" className="brand">
            <Icons.Mark /> Farthing
          </Link>
          <Button
            look="quiet menu-button"
            aria-expanded={isOpen}
            aria-controls="menu"
            onClick={() => setOpen(!isOpen)}
          >
            <Icons.MenuIcon /> Menu
          </Button>
        </div>
        <div id="menu" className={isOpen ? "menu open" : "menu"}>
          <nav aria-label="Main">
            <ul onClick={() => setOpen(false)}>
              {navigation.map(([to, title, Icon]) => (
                <li key={to}>
                  <Link to={to} className="nav-link" isCurrent={first === to}>
                    <Icon /> {title}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div>
            {!isLoading && <NetworkSwitch />}
            <p className="elsewhere">
              <a href="/docs">API reference</a>
              <a href="/market">Market</a>
            </p>
            {!isLoading && <CurrentAccount />}
          </div>
        </div>
      </header>
      <main id="main" tabIndex={-1}>
        {!isLoading && <TestMode />}
        {!isLoading && <AccountBanners />}
        {children}
      </main>
    </div>
  );
}

/** Shown where the facilitator has live and test money. */
function NetworkSwitch() {
  useNetworkOfLink();
  const { networks } = useAccount();
  const location = useLocation();
  const shown = useNetwork();
  if (networks.length < 2 || !shown) return null;
  return (
    <div className="network-switch">
      <Segments
        label="Money shown"
        options={networks.map((network) => [network.id, isLive(network) ? "Live" : "Test"])}
        value={shown.id}
        onChoose={(id) => chooseNetwork(id, location)}
      />
    </div>
  );
}

/** Test money looks like real money; this line says which it is. */
function TestMode() {
  const { networks } = useAccount();
  const shown = useNetwork();
  if (networks.length < 2 || !shown || isLive(shown)) return null;
  return (
    <p className="test-mode">
      <strong>Test data.</strong> Payments, revenue, keys and listings of {shown.label}; this USDC
      has no value.
    </p>
  );
}

function CurrentAccount() {
  const { account, label, role, wallet } = useAccount();
  const client = useQueryClient();
  const signOut = useMutation({
    mutationFn: () => call("/v1/account/sign-out", { method: "POST", body: {} }),
    // Also when the service is not reached: after signing out, nothing more is shown.
    onSettled: () => forgetAccount(client, "signed-out"),
  });
  return (
    <div className="who">
      {label !== "" && <strong>{label}</strong>}
      <code title={account}>{shortText(account)}</code>
      {!isSameAddress(account, wallet) && <span className="muted">{roleNames[role]}</span>}
      <SwitchAccount />
      <Button look="quiet small" onClick={() => signOut.mutate()}>
        Sign out
      </Button>
    </div>
  );
}
