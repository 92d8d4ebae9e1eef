/** Examples of every command, which its help shows. Tests run each through the command's parser. */
import type { Command } from "commander";

/** Command lines by the path of a command, without the name of the program. */
export const examples: Readonly<Record<string, readonly string[]>> = {
  serve: ["serve", "serve --self-built"],
  init: [
    "init seller shop --pay-to 0x… --price 0.01",
    "init gateway --to http://127.0.0.1:3000 --pay-to 0x…",
    "init agent",
  ],
  // Of the operator's program alone, whose name it begins with.
  "farthing-operator init": [
    "init pay --domain pay.example.com",
    "init pay --postgres --domain pay.example.com --wallets 2",
    "init shop --gateway",
  ],
  "gateway run": [
    "gateway --to http://127.0.0.1:3000 --price 0.01 --pay-to 0x…",
    "gateway -c gateway.yaml",
  ],
  "gateway check": ["gateway check gateway.yaml", "gateway check --online"],
  "gateway explain": [
    "gateway explain GET '/v1/reports/7?full=1'",
    "gateway explain GET /v1/reports/7 --agent agent.example",
  ],
  "gateway channels list": ["gateway channels list -c gateway.yaml"],
  "gateway channels claim": ["gateway channels claim -c gateway.yaml --json"],
  "gateway channels refund": ["gateway channels refund 0x… -c gateway.yaml"],
  "gateway import": [
    "gateway import openapi.json --prices prices.yaml > gateway.yaml",
    "gateway import openapi.json --against gateway.yaml",
  ],
  dev: ["dev --to http://127.0.0.1:3000 --price 0.01", "dev --to 3000"],
  doctor: ["doctor", "doctor --fix", "doctor --json"],
  "keys create": ["keys create --account 0x… --label shop", "keys create --account 0x… --test"],
  "keys list": ["keys list", "keys list --account 0x… --json"],
  "keys revoke": ["keys revoke Zx81abCD34ef"],
  "accounts list": ["accounts list"],
  "accounts activate": ["accounts activate 0x…"],
  "accounts deactivate": ["accounts deactivate 0x…"],
  "credits review": ["credits review"],
  "credits approve": ['credits approve pur_1 --note "Known customer"'],
  "credits reject": ['credits reject pur_1 --note "Asked to cancel"'],
  "credits grant": ['credits grant 0x… 1000 --note "Welcome"'],
  "credits take": ['credits take 0x… 1000 --note "Granted twice"'],
  "credits balance": ["credits balance 0x…"],
  "credits audit": ["credits audit"],
  "listings list": ["listings list 0x…"],
  "listings block": ["listings block lst_1"],
  "listings unblock": ["listings unblock lst_1"],
  "relayer status": ["relayer status", "relayer status --json"],
  "relayer sweep": ["relayer sweep 0x… --to 0x…", "relayer sweep 0x… --to 0x… --network eip155:51"],
  "relayer rotate": ["relayer rotate 0x…"],
  recover: ["recover --since 2026-11-27T10:00Z", "recover --since 98000000"],
  upgrade: ["upgrade --check", "upgrade --check --rehearse /tmp/rehearsal.db"],
  backup: ["backup /var/backups/farthing.db"],
  "batcher deploy": ["batcher deploy --network eip155:51"],
  "agent-key create": ["agent-key create https://agent.example"],
  "agent-key show": ["agent-key show", "agent-key show old.json new.json"],
  find: [
    "find weather rome --facilitator https://pay.example",
    "find weather --network eip155:50 --json",
  ],
  pay: [
    "pay --dry-run https://api.example.com/report",
    "pay --max-amount 0.05 https://api.example.com/report > report.json",
    "pay --json --request-id order-7 https://api.example.com/report",
    'pay https://api.example.com/ask -d \'{"question":"Why?"}\'',
  ],
  inspect: [
    "inspect https://api.example.com/report",
    "inspect --all https://api.example.com/report",
  ],
  "ledger list": ["ledger list", "ledger list --open", "ledger list --refunds"],
  "ledger show": ["ledger show order-7"],
  "ledger resume": ["ledger resume order-7"],
  "ledger reconcile": ["ledger reconcile", "ledger reconcile order-7"],
  "ledger limits": ["ledger limits"],
  "ledger limits set": [
    "ledger limits set --per-call 0.20 --per-day 5",
    "ledger limits set --hosts api.example.com,shop.example",
  ],
  "passes list": ["passes list"],
  "balances list": ["balances list"],
  "channels list": ["channels list", "channels list --json"],
  "channels show": ["channels show 0x…"],
  "channels refund": ["channels refund 0x…", "channels refund 0x… --amount 0.25"],
  "channels withdraw": ["channels withdraw 0x…"],
  "channels watch": ["channels watch", "channels watch 0x… --interval 30 --json"],
  "channels contract": [
    "channels contract --check --network xdc-apothem",
    "channels contract --deploy --init-code x402BatchSettlement.hex",
  ],
  "receipts list": ["receipts list"],
  "receipts show": ["receipts show order-7", "receipts show order-7 --json > receipt.json"],
  "receipts export": ["receipts export > payments.csv", "receipts export --format json"],
  "receipts verify": [
    "receipts verify order-7",
    "receipts verify receipt.json --jwks https://facilitator.example",
  ],
  "account sign-in": ["account sign-in --facilitator https://pay.example --wallet shop"],
  "account sign-out": ["account sign-out --facilitator https://pay.example"],
  "account members list": ["account members"],
  "account members invite": ["account members invite 0x… --role read_only"],
  "account members withdraw": ["account members withdraw 0x…"],
  "account members role": ["account members role 0x… developer"],
  "account members remove": ["account members remove 0x…"],
  "account join": ["account join 0x…"],
  "account leave": ["account leave 0x…"],
  "account keys list": ["account keys"],
  "account keys create": ["account keys create --label shop"],
  "account keys rotate": ["account keys rotate Zx81abCD34ef --overlap 24h"],
  "account keys revoke": ["account keys revoke Zx81abCD34ef"],
  "account credits show": ["account credits"],
  "account credits buy": ["account credits buy 5000"],
  "account listings list": ["account listings"],
  "account listings add": ["account listings add listing.json"],
  "account listings remove": ["account listings remove lst_1"],
  "account webhooks list": ["account webhooks"],
  "account webhooks add": ["account webhooks add https://shop.example/hooks"],
  "account webhooks events": ["account webhooks events whk_1 settlement.failed credits.low"],
  "account webhooks pause": ["account webhooks pause whk_1"],
  "account webhooks resume": ["account webhooks resume whk_1"],
  "account emails list": ["account emails"],
  "account emails add": ["account emails add anna@shop.example --event credits.low"],
  "account emails link": ["account emails link eml_1"],
  "account emails events": ["account emails events eml_1 all"],
  "account emails pause": ["account emails pause eml_1"],
  "account emails resume": ["account emails resume eml_1"],
  "account emails remove": ["account emails remove eml_1"],
  "account logs": ["account logs", "account logs --status refused --path /settle"],
  "account webhooks remove": ["account webhooks remove whk_1"],
  refund: [
    "refund stl_026b41c5c67b75aac53bb669bd79221c",
    "refund stl_026b41c5c67b75aac53bb669bd79221c --amount 0.01 --yes",
  ],
  "wallet create": ["wallet create shopping"],
  "wallet import": ["wallet import shopping", "wallet import old --keystore geth-file.json"],
  "wallet list": ["wallet list"],
  "wallet use": ["wallet use shopping"],
  "wallet address": ["wallet address"],
  "wallet balance": ["wallet balance", "wallet balance 0x…"],
  mcp: ["mcp --wallet agent --ask-above 0.05 --allow-host api.example.com"],
  devnet: ["devnet", "devnet --port 8545 --block-time 0"],
  "conform facilitator": [
    'conform facilitator --start "node their-facilitator.js"',
    "conform facilitator --start ./server --junit conform.xml",
    "conform facilitator --start ./server --profile money",
  ],
  "conform buyer": ['conform buyer --run "node client.js {url}"'],
  "conform seller": ['conform seller --start "node shop.js" --paid GET:/report'],
  completion: ['eval "$(farthing completion bash)"', "completion zsh > ~/.zfunc/_farthing"],
};

/** Adds the examples to the help of a command and of all below it. */
export function addExamples(command: Command, path: string, program: string): void {
  const own =
    examples[`${program} ${path}`] ??
    examples[path] ??
    command.commands.flatMap((one) => firstOf(one, path));
  if (own.length > 0) {
    const lines = own.map((line) => `  ${lineOf(line, program)}`);
    const title = own.length === 1 ? "Example" : "Examples";
    command.addHelpText("after", `\n${title}:\n${lines.join("\n")}`);
  }
  for (const one of command.commands) addExamples(one, `${path} ${one.name()}`, program);
}

/** The first example of a command, or of the first one below it. */
function firstOf(command: Command, path: string): readonly string[] {
  const own = `${path} ${command.name()}`;
  const [first] = examples[own] ?? command.commands.flatMap((one) => firstOf(one, own));
  return first === undefined ? [] : [first];
}

function lineOf(line: string, program: string): string {
  return line.startsWith("eval") ? line.replace("farthing", program) : `${program} ${line}`;
}
