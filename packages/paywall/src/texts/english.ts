/**
 * Every text of the page, in English. Other languages have the same shape, so that a missing text
 * does not compile. `{name}` stands for a value; `page-parts.test.ts` compares them.
 */
import { messagesForPayers } from "./messages-for-payers.ts";

/** We know of no outcome: said after each reason for that. */
const open = "We do not know yet whether you have been charged. Do not pay again.";

export const english = {
  /** Written by the server, readable without the script. */
  server: {
    title: "Pay to open this page",
    paidTo: "Paid to",
    network: "Network",
    or: " or ",
    fee: "Network fee",
    noFee: "none for you",
    buys: "Buys",
    pass: "{uses} visits within {time}",
    balance: "a balance; a visit costs at most {amount}",
    noScript:
      "This page asks your wallet for one signature. For that it needs its script, which is not running here.",
    program: "Pay from a program",
    programHow: "The same address takes x402 payments from programs. From a shell:",
    days: "{count} days",
    hours: "{count} hours",
    minutes: "{count} minutes",
    seconds: "{count} seconds",
    day: "1 day",
    hour: "1 hour",
    minute: "1 minute",
    second: "1 second",
  },
  /** Between whole USDC and their parts. */
  decimal: ".",
  networks: { 50: "XDC", 51: "Apothem test network" },
  copy: {
    copy: "Copy",
    copied: "Copied",
    blocked: "Copying is blocked",
    amount: "Copy amount",
    address: "Copy address",
    command: "Copy command",
  },
  actions: {
    tryAgain: "Try again",
    otherWallet: "Use a different wallet",
    continue: "Continue",
    cancel: "Cancel",
    reload: "Reload",
    checkAgain: "Check again",
    startAgain: "Start again",
    sign: "Sign and pay {price}",
    again: "Try again with the same signature",
    findOut: "Check the blockchain",
    showAgain: "Show content again",
    requestAgain: "Request content again",
  },
  terms: {
    amount: "Amount",
    paidTo: "Paid to",
    for: "For",
    network: "Network",
    from: "From",
    balance: "Your balance",
    unknown: "unknown",
    transaction: "Transaction",
    notProvided: "not provided",
    onExplorer: "{transaction} on the explorer",
    seconds: "{count} seconds",
    minute: "1 minute",
    minutes: "{count} minutes",
  },
  before: {
    cannot: "This page cannot take a payment",
    https: "Payments require HTTPS.",
    noOffer: "The seller offers no payment option that this page supports.",
    onlyChannels:
      "The seller takes deposits for many requests here, and no single payments. Programs make them: run the command below.",
    notPayable: "This payment is not possible: {reason}",
    forgetful:
      "This browser blocks storage for this page. Do not reload the page after you have signed.",
    clockAhead:
      "Your clock is {seconds} seconds ahead of the seller's. Correct it first, or the payment may be refused.",
    clockBehind:
      "Your clock is {seconds} seconds behind the seller's. Correct it first, or the payment may be refused.",
  },
  wallets: {
    choose: "Choose your wallet",
    chooseToCheck: "Choose a wallet to check with",
    looking: "Looking for wallets…",
    none: "No wallet found in this browser.",
    install:
      "Install a wallet that takes custom networks, such as {link}, and reload this page. When you pay, the page adds the network to the wallet.",
    openIn: "Open this page in MetaMask",
    phone: "Pay with your phone",
    scan: "Scan this code with the wallet on your phone. It opens this page in the wallet, where you pay.",
    scanPicture: "QR code with the address of this page",
    open: "Open your wallet",
    account: "Choose an account in {wallet}.",
    approveSwitch: "Approve the switch to {network}.",
    confirm: "Confirm in your wallet",
    timeLeft: "{seconds} s left",
    reviewIn: "Review and sign in {wallet}.",
    oneMoment: "One moment",
    checkingBalance: "Checking your balance.",
    checkingChain: "Checking the blockchain.",
    tryingTokens: "Trying what you have paid for here.",
    notEnough: "Not enough USDC",
    lack: "The balance is {balance}, the price {price}. Send USDC on {network} to your address:",
  },
  getUsdc: {
    title: "How to get USDC on {network}",
    exchange:
      "From an exchange: withdraw USDC to your wallet, and choose XDC as the network. Not every exchange offers it.",
    bridge:
      "From another network: use a bridge with Circle's CCTP, where XDC is domain 18. You then receive native USDC.",
    native:
      "Bridged USDC.e is a different token, which cannot be used here. This is the token to receive:",
    test: "Test USDC is worth nothing. {link} gives it away on several test networks; if Apothem is not among them, ask the seller. This is the token:",
    faucet: "Circle's faucet",
    noCoins: "You need no other coins, because the payment costs you no network fee.",
  },
  review: {
    title: "Review and sign",
    what: "This signature pays {price} to {payee}. It is valid for {time} and costs no network fee.",
  },
  progress: {
    signed: "Signed",
    sent: "Sent to the seller",
    confirmed: "Confirmed on chain",
    done: "done",
    current: "in progress",
    ahead: "not yet",
    paying: "Paying…",
    paid: "Paid",
    loading: "Confirmed. Loading your content.",
    step: "{done}. {next}: in progress.",
  },
  open: {
    unfinished: "Your payment is not finished",
    signedBefore: "You signed a payment for this page and have not received a response yet.",
    expired:
      "Your signature has expired. The blockchain shows whether it was used; if not, you can sign again.",
    valid:
      "Sending the same signature again never charges you twice. It is valid until {end}; no new one is made before then.",
    notFinal: "Not final yet",
    waitForChain: "The blockchain does not show a final outcome yet. Check again in a moment.",
    neverUsed: "You have not been charged",
    neverUsedWhy: "Your signature expired unused and can no longer be used.",
  },
  paid: {
    before: "You have already paid for this page",
    beforeWhy: "The seller keeps the content available to you for a few minutes.",
    missing: "Paid, but the content is not available yet",
    received: "The seller received your payment.",
    noSecondCharge: "Requesting it again does not charge you again.",
    status: "The seller responded with status {status}.",
    silent: "The seller did not respond.",
    usesLeft: "Uses left in this browser: {uses}, until {end}.",
    balanceLeft: "Balance left in this browser: {amount}.",
    content: "Your content",
    earlier: "Paid for earlier. Your content is below.",
    below: "Paid. Your content is below.",
    title: "Paid {price}",
    noReceipt: `The seller sent no receipt. ${open}`,
    receipt: "Receipt",
  },
  content: {
    empty: "The content is empty.",
    file: "Your file is ready.",
    bought: "What you paid for",
    ended: "… (ended)",
    save: "Save as {name}",
  },
  /** Why there is no signature. */
  wallet: {
    title: "The request could not be completed",
    rejectedTitle: "Request rejected in your wallet",
    rejected: "You have not been charged.",
    alreadyOpenTitle: "Continue in your wallet",
    alreadyOpen:
      "An earlier request is still open in your wallet. Approve or reject it there, then try again.",
    accountChangedTitle: "The account in your wallet changed",
    accountChanged: "Nothing was sent. Select the account to pay with, then continue.",
    otherNetworkTitle: "Your wallet is on a different network",
    otherNetwork:
      "{wallet} did not switch to {network}. Select {network} (chain {chain}) in the wallet and try again.",
    unable: "This wallet does not support the request. Try a different wallet.",
    failed: "Your wallet reported a problem: {reason}. Try again, or use a different wallet.",
    noAccount: "Your wallet shares no account with this page. Unlock it and try again.",
    badSignature: "Your wallet returned an invalid signature. Try again.",
    inProgress: "A payment for this page is already in progress. Reload the page.",
  },
  /** What the response to a payment means. */
  outcomes: {
    settled: { title: "Paid", why: "" },
    pending: { title: "Not confirmed yet", why: `Your payment is in progress. ${open}` },
    busy: { title: "The seller is busy", why: open },
    server_error: { title: "The seller is having problems", why: open },
    not_charged: {
      title: "The seller is having problems",
      why: "The seller reports that you have not been charged.",
    },
    no_answer: { title: "No response", why: `The seller did not respond. ${open}` },
    refused: { title: "Payment not accepted", why: "The seller did not accept the payment." },
    failed_receipt: { title: "Payment not settled", why: "The payment was not settled." },
    conflict: {
      title: "Payment already used",
      why: "The seller has already received this payment.",
    },
    client_error: { title: "Request refused", why: `The seller refused the request. ${open}` },
    redirect: {
      title: "Redirected",
      why: `The seller redirected to a different address. ${open}`,
    },
    lying_receipt: {
      title: "Receipt does not match",
      why: `The receipt belongs to a different payment. ${open}`,
    },
    served_without_receipt: { title: "No receipt", why: open },
  },
  refusals: messagesForPayers,
} as const;

/** The shape of a language: the same keys, with texts of its own. */
type Shape<T> = T extends string ? string : { readonly [K in keyof T]: Shape<T[K]> };

export type Texts = Shape<typeof english>;
