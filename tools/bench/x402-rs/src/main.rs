//! The published x402-rs 2.0.1 facilitator on 127.0.0.1, wired as upstream's binary wires it
//! (facilitator/src/run.rs), with one EVM chain and without telemetry.
//!
//! `--config <file>` reads the file of upstream's binary, where it has one EVM chain. Without it the
//! environment has the settings: BENCH_RPC_URL, BENCH_RELAYER_KEY, PORT (default 0: a free one) and
//! BENCH_CHAIN_ID (default 50, XDC; the devnet's own default is 51).

use std::collections::HashMap;
use std::io::Write;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::http::Method;
use serde_json::{Value, json};
use tower_http::cors;
use x402_chain_eip155::chain::config::Eip155ChainConfig;
use x402_chain_eip155::chain::{Eip155ChainProvider, Eip155ChainReference};
use x402_chain_eip155::{V1Eip155Exact, V2Eip155Exact};
use x402_facilitator_local::util::SigDown;
use x402_facilitator_local::{FacilitatorLocal, handlers};
use x402_types::chain::{ChainId, ChainProviderOps, ChainRegistry, FromConfig};
use x402_types::scheme::{
    SchemeBlueprints, SchemeConfig, SchemeRegistry, X402SchemeFacilitator,
    X402SchemeFacilitatorBuilder,
};

type AnyError = Box<dyn std::error::Error>;

/// Upstream's enum of chains, with the one that is needed.
struct ChainProvider(Arc<Eip155ChainProvider>);

impl ChainProviderOps for ChainProvider {
    fn signer_addresses(&self) -> Vec<String> {
        self.0.signer_addresses()
    }
    fn chain_id(&self) -> ChainId {
        self.0.chain_id()
    }
}

impl X402SchemeFacilitatorBuilder<&ChainProvider> for V1Eip155Exact {
    fn build(
        &self,
        provider: &ChainProvider,
        config: Option<Value>,
    ) -> Result<Box<dyn X402SchemeFacilitator>, AnyError> {
        self.build(Arc::clone(&provider.0), config)
    }
}

impl X402SchemeFacilitatorBuilder<&ChainProvider> for V2Eip155Exact {
    fn build(
        &self,
        provider: &ChainProvider,
        config: Option<Value>,
    ) -> Result<Box<dyn X402SchemeFacilitator>, AnyError> {
        self.build(Arc::clone(&provider.0), config)
    }
}

fn number_from_env(name: &str, default: u64) -> Result<u64, AnyError> {
    match std::env::var(name) {
        Ok(text) => text.parse().map_err(|e| format!("{name}: {e}").into()),
        Err(_) => Ok(default),
    }
}

struct Settings {
    port: u16,
    chain: u64,
    /// What an operator's file says of the chain; all else is the crate's default.
    inner: Value,
    schemes: Value,
}

fn settings_from_env() -> Result<Settings, AnyError> {
    let chain = number_from_env("BENCH_CHAIN_ID", 50)?;
    Ok(Settings {
        port: u16::try_from(number_from_env("PORT", 0)?)?,
        chain,
        inner: json!({
            "signers": ["$BENCH_RELAYER_KEY"],
            "rpc": [{ "http": "$BENCH_RPC_URL" }],
        }),
        schemes: json!([
            { "id": "v1-eip155-exact", "chains": format!("eip155:{chain}") },
            { "id": "v2-eip155-exact", "chains": format!("eip155:{chain}") },
        ]),
    })
}

fn settings_from_file(path: &str) -> Result<Settings, AnyError> {
    let file: Value = serde_json::from_str(&std::fs::read_to_string(path)?)?;
    let chains = file["chains"].as_object().ok_or("the file has no chains")?;
    let (id, inner) = chains.iter().next().ok_or("the file has no chain")?;
    Ok(Settings {
        port: u16::try_from(file["port"].as_u64().ok_or("the file has no port")?)?,
        chain: id
            .strip_prefix("eip155:")
            .ok_or("it is no EVM chain")?
            .parse()?,
        inner: inner.clone(),
        schemes: file["schemes"].clone(),
    })
}

async fn run() -> Result<(), AnyError> {
    rustls::crypto::CryptoProvider::install_default(rustls::crypto::ring::default_provider())
        .expect("Failed to initialize rustls crypto provider");

    let words: Vec<String> = std::env::args().skip(1).collect();
    let settings = match words.as_slice() {
        [] => settings_from_env()?,
        [flag, path] if flag == "--config" => settings_from_file(path)?,
        _ => return Err("usage: x402-rs-facilitator [--config <file>]".into()),
    };
    let config = Eip155ChainConfig {
        chain_reference: Eip155ChainReference::new(settings.chain),
        inner: serde_json::from_value(settings.inner)?,
    };
    let schemes: Vec<SchemeConfig> = serde_json::from_value(settings.schemes)?;

    let provider = ChainProvider(Arc::new(Eip155ChainProvider::from_config(&config).await?));
    let chains = ChainRegistry::new(HashMap::from([(provider.chain_id(), provider)]));
    let blueprints = SchemeBlueprints::new()
        .and_register(V1Eip155Exact)
        .and_register(V2Eip155Exact);
    let facilitator = FacilitatorLocal::new(SchemeRegistry::build(chains, blueprints, &schemes));

    let app = Router::new()
        .merge(handlers::routes().with_state(Arc::new(facilitator)))
        .layer(
            cors::CorsLayer::new()
                .allow_origin(cors::Any)
                .allow_methods([Method::GET, Method::POST])
                .allow_headers(cors::Any),
        );

    let listener =
        tokio::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, settings.port)))
            .await?;
    let sig_down = SigDown::try_new()?;
    let stop = sig_down.cancellation_token();
    // In one write: standard error is not buffered.
    let line = format!("It listens on http://{}\n", listener.local_addr()?);
    std::io::stderr().write_all(line.as_bytes())?;
    axum::serve(listener, app)
        .with_graceful_shutdown(async move { stop.cancelled().await })
        .await?;
    Ok(())
}

#[tokio::main]
async fn main() {
    if let Err(e) = run().await {
        eprintln!("{e}");
        std::process::exit(1);
    }
}
