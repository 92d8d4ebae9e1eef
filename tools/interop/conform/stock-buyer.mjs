/**
 * A client of published packages: `node stock-buyer.mjs <folder of the packages> <url>`, with the
 * variables of `farthing conform`.
 */
import { privateKeyToAccount } from "viem/accounts";

const [folder, url] = process.argv.slice(2);
const { CONFORM_KEY, CONFORM_NETWORK } = process.env;
const stock = await import(new URL(`../${folder}/index.mjs`, import.meta.url).href);

const scheme = new stock.ExactEvmBuyer(privateKeyToAccount(CONFORM_KEY));
const client = new stock.x402Client().register(CONFORM_NETWORK, scheme);
const response = await stock.wrapFetchWithPayment(fetch, client)(url, { method: "GET" });
process.exitCode = response.ok ? 0 : 1;
