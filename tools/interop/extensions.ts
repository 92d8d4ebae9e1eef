/**
 * The extensions of `@x402/extensions` 2.27 both ways: our buyer at a stock seller that declares all
 * of them, and stock clients at our seller, with real payments on a local chain.
 */
import { memoryLedger, privateKeySigner, verifySellerStatement, wrapFetch } from "@farthing/buyer";
import { findSignedOffers, findSignedReceipt, isObject, type JsonObject } from "@farthing/protocol";
import { listenAt } from "@farthing/seller/testing/listen";
import express, { type RequestHandler } from "express";
import { privateKeyToAccount } from "viem/accounts";
import { startDeployment, type Deployment } from "./deployment.ts";
import { openShop } from "./own-sellers.ts";
import { headerOf } from "./scenarios/scenario.ts";
import { stockClient } from "./matrix.ts";
import { loadStock, type PaymentRequired } from "./stock-packages.ts";
import { connectStock, readChallenge, termsOf } from "./stock-sellers.ts";

/** What was looked at. */
export interface ExtensionCheck {
  readonly isOk: boolean;
  readonly line: string;
}

type Check = (name: string, isOk: boolean) => void;

/** The members of the stock extensions that are used here. */
interface StockExtensions {
  readonly BAZAAR: { readonly key: string };
  readonly bazaarResourceServerExtension: object;
  declareDiscoveryExtension(config: object): JsonObject;
  validateDiscoveryExtension(extension: unknown): { readonly valid: boolean };
  validateDiscoveryExtensionSpec(extension: unknown): { readonly valid: boolean };
  extractDiscoveryInfo(payment: unknown, terms: unknown): { readonly resourceUrl: string } | null;
  readonly paymentIdentifierResourceServerExtension: object;
  declarePaymentIdentifierExtension(required: boolean): object;
  extractPaymentIdentifier(payment: unknown): string | null;
  appendPaymentIdentifierToExtensions(extensions: JsonObject, id: string): JsonObject;
  generatePaymentId(): string;
  createSIWxResourceServerExtension(options: object): object;
  declareSIWxExtension(options: object): JsonObject;
  readonly InMemorySIWxStorage: new () => object;
  wrapFetchWithSIWx(send: typeof fetch, signer: object): typeof fetch;
  createOfferReceiptExtension(issuer: object): object;
  declareOfferReceiptExtension(): JsonObject;
  createEIP712OfferReceiptIssuer(kid: string, sign: (data: never) => Promise<string>): object;
  extractOffersFromPaymentRequired(required: PaymentRequired): readonly object[];
  decodeSignedOffers(offers: readonly object[]): readonly object[];
  verifyOfferSignatureEIP712(offer: object): Promise<{ readonly signer: string }>;
  extractReceiptFromResponse(response: Response): object | undefined;
  verifyReceiptSignatureEIP712(receipt: object): Promise<{ readonly signer: string }>;
  verifyReceiptMatchesOffer(receipt: object, offer: object, payers: readonly string[]): boolean;
}

/** Tries everything both ways; `onResult` is called for each check. */
export async function tryExtensions(
  onResult: (check: ExtensionCheck) => void,
): Promise<readonly ExtensionCheck[]> {
  const checks: ExtensionCheck[] = [];
  const checkAs =
    (who: string): Check =>
    (name, isOk) => {
      const check = { isOk, line: `${isOk ? "ok  " : "FAIL"} ${who}: ${name}` };
      checks.push(check);
      onResult(check);
    };
  const stock: StockExtensions = await import(
    new URL("stock/2.27/extensions.mjs", import.meta.url).href
  );
  const deployment = await startDeployment({ buyers: 4 });
  try {
    await buyFromStock(deployment, stock, checkAs("our buyer, stock seller"));
    await buyWithStock(deployment, stock, checkAs("stock client, our seller"));
  } finally {
    await deployment.stop();
  }
  return checks;
}

/** The key that signs a seller's offers and receipts. */
const statements = privateKeyToAccount(`0x${"51".repeat(32)}`);

async function buyFromStock(deployment: Deployment, stock: StockExtensions, check: Check) {
  const shop = await openStockShop(deployment, stock);
  try {
    const { privateKey, address } = deployment.newBuyer();
    const ledger = memoryLedger();
    const pay = wrapFetch(fetch, { signer: privateKeySigner(privateKey), ledger });
    const first = await pay(shop.url, { payment: { requestId: "report" } });
    check("the report is served for a payment", first.status === 200);
    const [payment] = shop.payments;
    check("payment-identifier: the payment has an id", hasId(stock, payment));
    const found = stock.extractDiscoveryInfo(payment, {});
    check("bazaar: the declaration comes back whole", found?.resourceUrl === shop.url);
    const record = await ledger.find("report");
    const [offer] = findSignedOffers(isObject(payment) ? payment["extensions"] : undefined);
    const receipt = findSignedReceipt(record?.answer?.receipt?.extensions);
    for (const [kind, signed] of [
      ["offer", offer],
      ["receipt", receipt],
    ] as const) {
      const verified = verifySellerStatement(kind, signed, { address: statements.address });
      check(`offer-receipt: the ${kind} is verified`, verified.ok && verified.isVerified);
    }
    const second = await pay(shop.url);
    const transfers = await deployment.transfers(address);
    const isOpened = second.status === 200 && second.payment.state === "not_required";
    check("sign-in-with-x: a second visit costs nothing", isOpened && transfers.length === 1);
  } finally {
    await shop.close();
  }
}

const hasId = (stock: StockExtensions, payment: unknown): boolean =>
  stock.extractPaymentIdentifier(payment) !== null;

/** A stock seller whose route declares every extension. */
async function openStockShop(deployment: Deployment, stock: StockExtensions) {
  const packages = await loadStock("2.27");
  const payments: unknown[] = [];
  const tap: RequestHandler = (req, _res, next) => {
    const header = req.get("PAYMENT-SIGNATURE");
    if (header !== undefined) payments.push(JSON.parse(Buffer.from(header, "base64").toString()));
    next();
  };
  const { url, close } = await listenAt((origin) => {
    const server = connectStock(packages, deployment.surfaces.hosted);
    const sign = (data: never) => statements.signTypedData(data);
    const issuer = stock.createEIP712OfferReceiptIssuer(
      `did:pkh:eip155:1:${statements.address}`,
      sign,
    );
    const storage = new stock.InMemorySIWxStorage();
    for (const extension of [
      stock.bazaarResourceServerExtension,
      stock.paymentIdentifierResourceServerExtension,
      stock.createSIWxResourceServerExtension({ storage, origin }),
      stock.createOfferReceiptExtension(issuer),
    ]) {
      server.registerExtension(extension);
    }
    const extensions = {
      ...stock.declareDiscoveryExtension({ output: { example: { report: 1 } } }),
      "payment-identifier": stock.declarePaymentIdentifierExtension(false),
      ...stock.declareSIWxExtension({ statement: "Who is it?" }),
      ...stock.declareOfferReceiptExtension(),
    };
    const accepts = termsOf(deployment, "default");
    const routes = { "GET /report": { accepts, description: "Report", extensions } };
    return express()
      .use(tap)
      .use(packages.paymentMiddleware(routes, server))
      .get("/report", (_req, res) => void res.json({ report: 1 }));
  });
  return { url: `${url}/report`, payments, close };
}

async function buyWithStock(deployment: Deployment, stock: StockExtensions, check: Check) {
  const shop = await openShop(deployment, "hosted", {
    pass: { uses: 3, validFor: "1h" },
    describe: { output: { type: "object", properties: { report: { type: "integer" } } } },
    receiptSigner: { format: "eip712", signTypedData: (data) => statements.signTypedData(data) },
  });
  try {
    const wallet = deployment.newBuyer();
    const account = privateKeyToAccount(wallet.privateKey);
    const client = await stockClient("2.27", wallet);
    const id = stock.generatePaymentId();
    const sign = async () => {
      const required = await readChallenge(shop.url);
      const extensions = stock.appendPaymentIdentifierToExtensions({ ...required.extensions }, id);
      return { required, payment: await client.createPaymentPayload({ ...required, extensions }) };
    };
    const { required, payment } = await sign();
    const { bazaar } = { ...required.extensions };
    const isValid = [stock.validateDiscoveryExtension, stock.validateDiscoveryExtensionSpec].every(
      (validate) => validate(bazaar).valid,
    );
    const found = stock.extractDiscoveryInfo(payment, {});
    check("bazaar: the declaration is valid", isValid && found?.resourceUrl === shop.url);
    const bought = await fetch(shop.url, { headers: headerOf(payment) });
    const text = await bought.clone().text();
    check("the report is served for a payment", bought.status === 200);
    await checkStatements({ stock, required, bought, payer: account.address }, check);
    const again = await fetch(shop.url, { headers: headerOf(payment) });
    const isSame = again.status === 200 && (await again.text()) === text;
    check("payment-identifier: the same payment gets the same response", isSame);
    const other = await fetch(shop.url, { headers: headerOf((await sign()).payment) });
    check("payment-identifier: another payment with the id is a 409", other.status === 409);
    const visited = await stock.wrapFetchWithSIWx(fetch, account)(shop.url);
    const transfers = await deployment.transfers(wallet.address);
    const isOpened = visited.status === 200 && transfers.length === 1;
    check("sign-in-with-x: the payer signs in and pays nothing", isOpened);
  } finally {
    await shop.close();
  }
}

interface Bought {
  readonly stock: StockExtensions;
  readonly required: PaymentRequired;
  readonly bought: Response;
  readonly payer: string;
}

async function checkStatements({ stock, required, bought, payer }: Bought, check: Check) {
  const offers = stock.extractOffersFromPaymentRequired(required);
  const [decoded] = stock.decodeSignedOffers(offers);
  const receipt = stock.extractReceiptFromResponse(bought);
  const signers = [
    ...(await Promise.all(offers.map((offer) => stock.verifyOfferSignatureEIP712(offer)))),
    ...(receipt ? [await stock.verifyReceiptSignatureEIP712(receipt)] : []),
  ];
  const isOurs = signers.every(({ signer }) => signer === statements.address);
  const isWhole = offers.length > 0 && signers.length === offers.length + 1;
  check("offer-receipt: offers and receipt are verified", isWhole && isOurs);
  const isMatching =
    receipt && decoded && stock.verifyReceiptMatchesOffer(receipt, decoded, [payer]);
  check("offer-receipt: the receipt is that of the offer", isMatching === true);
}
