/** Accounts that delegate their code (EIP-7702), by transactions that somebody else sends and pays. */
import { hostileFlag, type Devnet, type DevnetWallet } from "@farthing/devnet";
import { parseAddress, type Address, type Hex } from "@farthing/protocol";
import * as Authorization from "ox/Authorization";
import * as Secp256k1 from "ox/Secp256k1";
import * as TxEnvelopeEip7702 from "ox/TxEnvelopeEip7702";

/** Returns ERC-1271's magic value, whatever it is asked. */
const agree = "631626ba7e60e01b60005260206000f3";

/** Puts the address that signed the hash of `isValidSignature` on the stack, by the precompile. */
const recoverSigner =
  "60043560005260a43560f81c602052606435604052608435606052602060806080600060015afa50608051";

/** Runtime code of delegates. None looks at the signature, which is an ordinary one. */
const delegateCodes = {
  /** Anybody can sign for the account. */
  "accepts-all": `0x${agree}`,
  /** Returns nothing. */
  "refuses-all": "0x00",
  /** Knows no owner, and returns what is not the magic value. */
  "no-owner": "0x63ffffffff60e01b60005260206000f3",
  /** Recovers the key and compares its address with the account's own. */
  "own-key": `0x${recoverSigner}3014631626ba7e0260e01b60005260206000f3`,
  "burns-gas": "0xfe",
  /** Burns its gas while the flag is up, and accepts otherwise. */
  "burns-by-flag": `0x73${hostileFlag.slice(2).toLowerCase()}3115601b57fe5b${agree}`,
  /** An account without code: the token gets an empty answer. */
  "no-code": "0x",
} as const satisfies Record<string, Hex>;

export type Delegate = keyof typeof delegateCodes;

/** Ends a delegation. */
const noDelegate: Address = "0x0000000000000000000000000000000000000000";

/** Behind every relayer: 1 gwei. */
const behindPrice = 1_000_000_000n;

/** Far ahead of every relayer in a block: 1,000 gwei. */
const aheadPrice = 1_000_000_000_000n;

export type Delegations = Awaited<ReturnType<typeof placeDelegates>>;

/** Puts the delegates on the chain. `sponsor` pays for the delegations. */
export async function placeDelegates(
  devnet: Devnet,
  { sponsor, late }: { readonly sponsor: DevnetWallet; readonly late: DevnetWallet },
) {
  const addresses = new Map<string, Address | undefined>();
  for (const [name, code] of Object.entries(delegateCodes)) {
    const address = parseAddress(`0x7702${"0".repeat(34)}${addresses.size + 10}`);
    addresses.set(name, address);
    await devnet.rpc("anvil_setCode", [address, code]);
  }
  for (const { address } of [sponsor, late]) {
    await devnet.rpc("anvil_setBalance", [address, "0x56bc75e2d63100000"]);
  }
  const nonceOf = async (address: Address, tag: string) =>
    BigInt(await devnet.rpc<Hex>("eth_getTransactionCount", [address, tag]));

  async function send(
    account: DevnetWallet,
    address: Address,
    { by, price, after }: { by: DevnetWallet; price: bigint; after: bigint } = {
      by: sponsor,
      price: aheadPrice,
      after: 0n,
    },
  ): Promise<void> {
    const { chainId } = devnet;
    const nonce = (await nonceOf(account.address, "latest")) + after;
    const given = Authorization.from({ address, chainId, nonce });
    const signature = Secp256k1.sign({
      payload: Authorization.getSignPayload(given),
      privateKey: account.privateKey,
    });
    const envelope = TxEnvelopeEip7702.from({
      authorizationList: [Authorization.from(given, { signature })],
      chainId,
      nonce: await nonceOf(by.address, "pending"),
      to: by.address,
      gas: 200_000n,
      maxFeePerGas: price,
      maxPriorityFeePerGas: price,
    });
    const signed = TxEnvelopeEip7702.from(envelope, {
      signature: Secp256k1.sign({
        payload: TxEnvelopeEip7702.getSignPayload(envelope),
        privateKey: by.privateKey,
      }),
    });
    await devnet.rpc("eth_sendRawTransaction", [TxEnvelopeEip7702.serialize(signed)]);
  }

  return {
    /** Waits for the next block, where it goes first. */
    delegate: (account: DevnetWallet, to: Delegate) =>
      send(account, addresses.get(to) ?? noDelegate),
    end: (account: DevnetWallet) => send(account, noDelegate),
    /** Delegates ahead of all transactions of the next block, and ends it behind them. */
    async flash(account: DevnetWallet, to: Delegate): Promise<void> {
      await send(account, addresses.get(to) ?? noDelegate);
      await send(account, noDelegate, { by: late, price: behindPrice, after: 1n });
    },
    addressOf: (name: Delegate): Address => addresses.get(name) ?? noDelegate,
  };
}
