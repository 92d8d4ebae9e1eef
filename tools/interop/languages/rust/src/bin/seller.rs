//! A shop of numbered reports on the stock crates and Axum. Prints the address once it listens. Without
//! a port it takes a free one, and ends with its standard input.

use std::io::Read;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use alloy_primitives::Address;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::{Json, Router, routing::get};
use serde_json::{Value, json};
use x402_axum::X402Middleware;
use x402_axum::facilitator_client::FacilitatorClient;
use x402_chain_eip155::V2Eip155Exact;
use x402_chain_eip155::chain::{AssetTransferMethod, Eip155ChainReference, Eip155TokenDeployment};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings: Value = serde_json::from_str(&std::env::var("SETTINGS")?)?;
    let text = |name: &str| settings[name].as_str().unwrap_or_default();
    let mut headers = HeaderMap::new();
    for (name, value) in settings["headers"].as_object().into_iter().flatten() {
        let value = HeaderValue::from_str(value.as_str().unwrap_or_default())?;
        headers.insert(HeaderName::from_bytes(name.as_bytes())?, value);
    }
    let facilitator = FacilitatorClient::try_from(text("facilitatorUrl"))?.with_headers(headers);
    let x402 = X402Middleware::from_facilitator(Arc::new(facilitator));

    // The crates know USDC of XDC mainnet as `USDC::xdc()`, and nothing of Apothem.
    let usdc = Eip155TokenDeployment {
        chain_reference: Eip155ChainReference::new(51),
        address: "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4".parse()?,
        decimals: 6,
        transfer_method: AssetTransferMethod::Eip3009 {
            name: "USDC".into(),
            version: "2".into(),
        },
    };
    let pay_to: Address = text("payTo").parse()?;
    let price = V2Eip155Exact::price_tag(pay_to, usdc.parse("0.01")?);
    let sold = Arc::new(AtomicU64::new(0));
    let report =
        || async move { Json(json!({ "report": sold.fetch_add(1, Ordering::Relaxed) + 1 })) };
    let app = Router::new().route("/report", get(report).layer(x402.with_price_tag(price)));

    let port = text("port").parse().unwrap_or(0);
    if port == 0 {
        std::thread::spawn(|| {
            let _ = std::io::stdin().read_to_end(&mut Vec::new());
            std::process::exit(0);
        });
    }
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    println!("The program listens on http://{}", listener.local_addr()?);
    axum::serve(listener, app).await?;
    Ok(())
}
