/** Decorative icons: text beside them says the same. */
import { createElement, type ReactNode } from "react";

const attributes = {
  className: "icon",
  viewBox: "0 0 16 16",
  width: "16",
  height: "16",
  fill: "none",
  stroke: "currentColor",
  strokeWidth: "1.5",
  strokeLinecap: "round",
  strokeLinejoin: "round",
  "aria-hidden": "true",
} as const;

const icon =
  (...drawing: ReactNode[]) =>
  () =>
    createElement("svg", attributes, ...drawing);

export const CopyIcon = icon(
  <rect x="5.5" y="5.5" width="8" height="8" rx="1.5" />,
  <path d="M10.5 5.5v-2A1.5 1.5 0 0 0 9 2H3.5A1.5 1.5 0 0 0 2 3.5V9a1.5 1.5 0 0 0 1.5 1.5h2" />,
);
export const CheckIcon = icon(<path d="m3 8.5 3.2 3.2L13 4.8" />);
export const CrossIcon = icon(<path d="m4 4 8 8M12 4l-8 8" />);
export const ClockIcon = icon(<circle cx="8" cy="8" r="6" />, <path d="M8 4.8V8l2.2 1.6" />);
export const WarnIcon = icon(<path d="M8 2 14.5 13.5h-13z" />, <path d="M8 6.5v3.2M8 11.6v.1" />);
export const InfoIcon = icon(<circle cx="8" cy="8" r="6" />, <path d="M8 7.5v3.3M8 5.2v.1" />);
export const OutIcon = icon(<path d="M6.5 3H3v10h10V9.5M9.5 2.5h4v4M13 3 7.5 8.5" />);
export const MenuIcon = icon(<path d="M2.5 4.5h11M2.5 8h11M2.5 11.5h11" />);
export const DownIcon = icon(<path d="M8 2.5v8M4.8 7.5 8 10.7l3.2-3.2M3 13.5h10" />);
export const PauseIcon = icon(<path d="M5.5 3.5v9M10.5 3.5v9" />);

export const OverviewIcon = icon(<path d="M2.5 13.5v-5M6.2 13.5v-11M9.8 13.5v-7M13.5 13.5v-9" />);
export const SettlementsIcon = icon(
  <path d="M2.5 5.5h10M10 3l2.5 2.5L10 8M13.5 10.5h-10M6 8l-2.5 2.5L6 13" />,
);
export const RevenueIcon = icon(<path d="M2.5 13.5h11M2.5 10.5l3.5-4 3 2.5 4.5-6M10.5 3h3v3" />);
export const CustomersIcon = icon(
  <circle cx="6" cy="5.5" r="2.5" />,
  <path d="M1.5 13.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M10.5 3.2a2.5 2.5 0 0 1 0 4.6M12 9.9c1.5.5 2.5 1.7 2.5 3.6" />,
);
export const ChannelsIcon = icon(
  <path d="M2.5 4.5c2.8 0 2.8 2 5.5 2s2.7-2 5.5-2M2.5 9.5c2.8 0 2.8 2 5.5 2s2.7-2 5.5-2" />,
);
export const KeysIcon = icon(
  <circle cx="5.5" cy="10.5" r="3" />,
  <path d="m7.7 8.3 5.8-5.8M11 5l2 2" />,
);
export const RequestsIcon = icon(<path d="M2.5 4h11M2.5 8h11M2.5 12h6M11 12h2.5" />);
export const CreditsIcon = icon(
  <circle cx="8" cy="8" r="6" />,
  <path d="M8 8V4.2A3.8 3.8 0 0 1 11.8 8z" />,
);
export const IntegrateIcon = icon(<path d="m5.5 4.5-3.5 3.5 3.5 3.5M10.5 4.5 14 8l-3.5 3.5" />);
export const WebhooksIcon = icon(
  <circle cx="3.8" cy="11.5" r="1.8" />,
  <circle cx="12.2" cy="11.5" r="1.8" />,
  <circle cx="8" cy="4.2" r="1.8" />,
  <path d="M5.6 11.5h4.8M4.7 9.9l2.3-4M11.3 9.9 9 5.9" />,
);
export const ListingsIcon = icon(
  <path d="M2.5 6.5 3.7 2.5h8.6l1.2 4M3.5 8.5v5h9v-5" />,
  <path d="M2.5 6.5a1.8 1.8 0 0 0 3.6 0 1.8 1.8 0 0 0 3.7 0 1.8 1.8 0 0 0 3.7 0" />,
);
export const SettingsIcon = icon(
  <path d="M2.5 5h7M13.5 5h-.6M2.5 11h1M13.5 11H7" />,
  <circle cx="11.2" cy="5" r="1.7" />,
  <circle cx="5.2" cy="11" r="1.7" />,
);

/** A coin with a quarter filled: a farthing was a quarter of a penny. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="26" height="26" aria-hidden="true">
      <circle cx="16" cy="16" r="14" fill="none" stroke="currentColor" strokeWidth="3" />
      <path d="M16 16V6a10 10 0 0 1 10 10z" fill="currentColor" />
    </svg>
  );
}
