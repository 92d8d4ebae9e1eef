//! Buys one report with the stock crates, and prints what came back as JSON.

use std::sync::Arc;

use alloy_signer_local::PrivateKeySigner;
use reqwest::Client;
use serde_json::{Value, json};
use x402_chain_eip155::{V1Eip155ExactClient, V2Eip155ExactClient};
use x402_reqwest::{ReqwestWithPayments, ReqwestWithPaymentsBuild, X402Client};

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let settings: Value = serde_json::from_str(&std::env::var("SETTINGS")?)?;
    let text = |name: &str| settings[name].as_str().unwrap_or_default();
    let signer: Arc<PrivateKeySigner> = Arc::new(text("privateKey").parse()?);
    let payments = X402Client::new()
        .register(V1Eip155ExactClient::new(signer.clone()))
        .register(V2Eip155ExactClient::new(signer));
    let http = Client::new().with_payments(payments).build();
    let response = http.get(text("url")).send().await?;
    let receipts: Vec<&str> = ["payment-response", "x-payment-response"]
        .into_iter()
        .filter(|name| response.headers().contains_key(*name))
        .collect();
    let status = response.status().as_u16();
    let body = response.text().await?;
    println!(
        "{}",
        json!({ "status": status, "text": body, "receipts": receipts })
    );
    Ok(())
}
