/** Written by `npm run openapi-examples`. Do not edit. */
export const examples: Readonly<
  Record<
    string,
    { readonly request?: unknown; readonly responses?: Readonly<Record<string, unknown>> }
  >
> = {
 "addEmail": {
  "responses": {
   "201": {
    "id": "eml_e37384147b387e56c2c5ff9a",
    "address": "anna@shop.example",
    "events": [
     "credits.low"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-29T21:14:45.354Z",
    "confirmedAt": null
   }
  },
  "request": {
   "address": "anna@shop.example",
   "events": [
    "credits.low"
   ]
  }
 },
 "askForNewWallet": {
  "responses": {
   "200": {
    "requestId": "sgn_25f7971e0b3ff5014a665572cd23cb49",
    "message": "127.0.0.1:36437 wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nLet this wallet sign in and pay for the account 0x7A11830374F9a3aA26C125CAa932520D984B1024. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36437/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 57947c7570bb558650f3271ed3920a86\nIssued At: 2026-11-29T21:14:44.587Z\nExpiration Time: 2026-11-29T21:24:44.587Z\nRequest ID: sgn_25f7971e0b3ff5014a665572cd23cb49",
    "expiresAt": "2026-11-29T21:24:44.587Z"
   }
  },
  "request": {
   "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
   "chainId": 51
  }
 },
 "askForStepUp": {
  "responses": {
   "200": {
    "requestId": "sgn_ec91327c5fdafda1612ed164583eec02",
    "message": "127.0.0.1:36437 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nAccount 0x7A11830374F9a3aA26C125CAa932520D984B1024: create the API key 'shop' for test payments, which does not expire. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36437/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: da0b22a09e2b53692c79f678d27e8c28\nIssued At: 2026-11-29T21:14:40.412Z\nExpiration Time: 2026-11-29T21:24:40.412Z\nRequest ID: sgn_ec91327c5fdafda1612ed164583eec02\nResources:\n- http://127.0.0.1:36437/account/facilitator#create_key&expiresInDays=null&label=shop&mode=test",
    "expiresAt": "2026-11-29T21:24:40.412Z"
   }
  },
  "request": {
   "action": "create_key",
   "details": {
    "label": "shop",
    "mode": "test",
    "expiresInDays": null
   }
  }
 },
 "attestSettlement": {
  "responses": {
   "200": {
    "settlementId": "stl_32d89a79abac00b0244b09c5f46285a9",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODEsInNldHRsZW1lbnRJZCI6InN0bF8zMmQ4OWE3OWFiYWMwMGIwMjQ0YjA5YzVmNDYyODVhOSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE0YjQ0MTAwNjMxOGMyNDk2ZWU4NmYzZWEwNjYxNWI5NmNhNzUzOTA2M2M4ZTUwZDg3ZTk2YjdmNTA0Y2E1YTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZTRmMTA5NTI5NDUzNTAwMWRhYzQzZDNhNGEwOTM3ZGNlOWFhODJhNmU5YjQ1MjYzY2I4MGI3NDdlNmM0MzU1OCIsImZpbmFsaXplZCI6ZmFsc2V9.xq4dbMqFYXl5bdUzQVrrxppquFnBhK6rINIspIIhW_BgUNJA29rhp9lpbvjhvQ8sL65U6-SDQR1X_WfuXyelCw"
   }
  }
 },
 "attestSettlementHosted": {
  "responses": {
   "200": {
    "settlementId": "stl_a05e2fbaebebbe0b6e29b4b5fe25a5cd",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODIsInNldHRsZW1lbnRJZCI6InN0bF9hMDVlMmZiYWViZWJiZTBiNmUyOWI0YjVmZTI1YTVjZCIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDA2IiwidHJhbnNhY3Rpb24iOiIweGVhYWVhNjlmYjE1Y2JjMzk3ZTcwZDJlM2YzMWRhZjc5NjJhYWQzYmI2Y2Q0ODkzZTVkNmNjZDBhYzE4N2M3NWYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjUsImJsb2NrSGFzaCI6IjB4MmY4MDcxY2I0N2IxM2M4ZWY2NjMwNTY3MTQ2MmZkMWU3ZTlkYTc5MDEwM2RiMjRmODRjZDE5MTIyMDdmYmI4YSIsImZpbmFsaXplZCI6ZmFsc2V9.Ra7OU90vZQe5r4Ne9dpVBZ9YwvCNNv4iqMfP7JSpujp-NyaoP1ciiE8NLa7ETn2QNJZa_JsHmMs4DT-rfYQNBw"
   }
  }
 },
 "beginSignIn": {
  "responses": {
   "200": {
    "requestId": "sgn_5464712f84a542e729e2c6a1e1614a2c",
    "message": "127.0.0.1:36437 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nSign in to the facilitator. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36437/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 6c59536d14a4cfb8ce772018013479fe\nIssued At: 2026-11-29T21:14:40.059Z\nExpiration Time: 2026-11-29T21:24:40.059Z\nRequest ID: sgn_5464712f84a542e729e2c6a1e1614a2c",
    "expiresAt": "2026-11-29T21:24:40.059Z"
   }
  },
  "request": {
   "address": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
   "chainId": 51
  }
 },
 "buyKey": {
  "responses": {
   "200": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": null,
    "keyId": "LYcueTeO41Ed",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_37e67f21b177d74e118e7f89939ca5e4",
    "state": "settling",
    "settlementId": "stl_39f2b927e73928cfa3eb0d33e18a6274",
    "transaction": "0xd70247b06335efa596adc51b81d5acc325da3f42d5758f794b60a9e2fb68b4a5",
    "nextStep": "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one."
   },
   "201": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "keyId": "LYcueTeO41Ed",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_37e67f21b177d74e118e7f89939ca5e4",
    "state": "settling",
    "settlementId": "stl_39f2b927e73928cfa3eb0d33e18a6274",
    "transaction": "0xd70247b06335efa596adc51b81d5acc325da3f42d5758f794b60a9e2fb68b4a5",
    "nextStep": "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds."
   }
  }
 },
 "cancelPurchase": {
  "responses": {
   "200": {
    "id": "pur_18331cd080376b18e89bccc0bae274cd",
    "state": "canceled",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": null,
    "validAfter": null,
    "validBefore": null,
    "typedData": null,
    "reason": null,
    "reasonCode": null,
    "settlementId": null,
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T21:14:44.678Z"
     },
     {
      "state": "canceled",
      "at": "2026-11-29T21:14:44.718Z"
     }
    ],
    "createdAt": "2026-11-29T21:14:44.678Z",
    "expiresAt": "2026-11-29T22:14:44.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "changeAccount": {
  "responses": {
   "200": {
    "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "walletKind": "plain",
    "chainId": 51,
    "role": "owner",
    "permissions": [
     "read",
     "own_access"
    ],
    "plan": "active",
    "label": "Shop",
    "credits": {
     "available": 17,
     "held": 0,
     "lowAt": 5
    },
    "limits": {
     "requests": 100000,
     "keys": 50,
     "wallets": 20,
     "windowSeconds": 10
    },
    "creditsPerSettlement": 1,
    "creditsPerSettlementSince": null,
    "treasury": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "networks": [
     {
      "id": "eip155:51",
      "label": "Apothem Network",
      "chainId": 51,
      "usdc": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "explorer": null
     }
    ],
    "publicUrl": "http://127.0.0.1:36437",
    "version": "0.1.0"
   }
  },
  "request": {
   "label": "Shop",
   "lowCreditsAt": 5
  }
 },
 "changeEmail": {
  "responses": {
   "200": {
    "id": "eml_e37384147b387e56c2c5ff9a",
    "address": "anna@shop.example",
    "events": [
     "webhook.paused"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-29T21:14:45.354Z",
    "confirmedAt": null
   }
  },
  "request": {
   "events": [
    "webhook.paused"
   ]
  }
 },
 "changeListing": {
  "responses": {
   "200": {
    "id": "lst_c6f5d7a553f9804087ce6b58",
    "resource": "https://127.0.0.1:1/r",
    "method": "GET",
    "title": "Report",
    "description": "",
    "tags": [],
    "mimeType": null,
    "sample": {},
    "advertised": {
     "scheme": "exact",
     "network": "eip155:51",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "amount": "2",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
    },
    "check": {
     "state": "pending",
     "isPublic": false,
     "checkedAt": null,
     "triedAt": null,
     "passedAt": null,
     "nextAt": "2026-11-29T21:14:46.226Z",
     "failures": 0,
     "reason": null,
     "message": "",
     "differences": []
    },
    "lastSeen": null,
    "stats": {
     "settlements30d": 0,
     "volume30d": "0",
     "payers30d": 0,
     "lastSettledAt": null
    },
    "createdAt": "2026-11-29T21:14:45.963Z",
    "updatedAt": "2026-11-29T21:14:46.226Z"
   }
  },
  "request": {
   "resource": "https://127.0.0.1:1/r",
   "method": "GET",
   "network": "eip155:51",
   "amount": "2",
   "title": "Report",
   "description": "",
   "tags": [],
   "mimeType": null
  }
 },
 "changeRole": {
  "responses": {
   "200": {
    "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "kind": "plain",
    "chainId": null,
    "role": "developer",
    "isOwn": false,
    "linkedAt": "2026-11-29T21:14:44.564Z"
   }
  },
  "request": {
   "role": "developer",
   "stepUp": {
    "requestId": "sgn_698e397297f1832423e55811677841f7",
    "signature": "0x200d7ef7c91d79ca3de666bb75dfced8c72e5290a760108fef5872de193b4e6a3dfdca900dd54804104c2727a933bb924371b8812b9b9311b169ceb0bfd1290f1b"
   }
  }
 },
 "changeWebhook": {
  "responses": {
   "200": {
    "id": "whk_3af363644257c8d1bcf915d7",
    "url": "http://127.0.0.1:37815/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T21:14:45.289Z",
    "disabledAt": "2026-11-29T21:14:45.315Z",
    "disabledBy": "owner"
   }
  },
  "request": {
   "paused": true
  }
 },
 "checkHealth": {
  "responses": {
   "200": {
    "status": "ok"
   }
  }
 },
 "checkHealthHosted": {
  "responses": {
   "200": {
    "status": "ok"
   }
  }
 },
 "checkListing": {
  "responses": {
   "200": {
    "id": "lst_c6f5d7a553f9804087ce6b58",
    "resource": "https://127.0.0.1:1/r",
    "method": "GET",
    "title": "Report",
    "description": "",
    "tags": [],
    "mimeType": null,
    "sample": {},
    "advertised": {
     "scheme": "exact",
     "network": "eip155:51",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "amount": "2",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
    },
    "check": {
     "state": "hidden",
     "isPublic": false,
     "checkedAt": "2026-11-29T21:14:46.251Z",
     "triedAt": "2026-11-29T21:14:46.251Z",
     "passedAt": null,
     "nextAt": "2026-11-29T22:18:53.824Z",
     "failures": 2,
     "reason": "unreachable",
     "message": "The connection was refused.",
     "differences": []
    },
    "lastSeen": null,
    "stats": {
     "settlements30d": 0,
     "volume30d": "0",
     "payers30d": 0,
     "lastSettledAt": null
    },
    "createdAt": "2026-11-29T21:14:45.963Z",
    "updatedAt": "2026-11-29T21:14:46.226Z"
   }
  },
  "request": {}
 },
 "checkReadiness": {
  "responses": {
   "200": {
    "status": "ready",
    "checks": [
     {
      "name": "database",
      "ok": true
     },
     {
      "name": "eip155:51",
      "ok": true
     }
    ]
   }
  }
 },
 "checkReadinessHosted": {
  "responses": {
   "200": {
    "status": "ready",
    "checks": [
     {
      "name": "database",
      "ok": true
     },
     {
      "name": "eip155:51",
      "ok": true
     }
    ]
   }
  }
 },
 "claimVouchers": {
  "responses": {
   "202": {
    "accepted": true
   }
  },
  "request": {}
 },
 "completeOffers": {
  "responses": {
   "200": {
    "x402Version": 2,
    "resource": {
     "url": ""
    },
    "accepts": []
   }
  },
  "request": {
   "x402Version": 2,
   "accepts": []
  }
 },
 "completeOffersHosted": {
  "responses": {
   "200": {
    "x402Version": 2,
    "resource": {
     "url": ""
    },
    "accepts": []
   }
  },
  "request": {
   "x402Version": 2,
   "accepts": []
  }
 },
 "completeSignIn": {
  "responses": {
   "200": {
    "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "walletKind": "plain",
    "chainId": 51,
    "expiresAt": "2026-12-06T21:14:40.368Z",
    "accounts": []
   }
  },
  "request": {
   "requestId": "sgn_5464712f84a542e729e2c6a1e1614a2c",
   "signature": "0xe5ab760b1c67902f8dfb8043497cf5453e62d631be63db5dedbdba38c77dbc8450ed02871483ab571d4f3e3c004becf9c0aa157ee3197f788fa8cad437dafb211c"
  }
 },
 "createKey": {
  "responses": {
   "201": {
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "id": "1HaS6Uw7iuc1",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "0kcs",
    "createdAt": "2026-11-29T21:14:40.605Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "label": "shop",
   "mode": "test",
   "expiresInDays": null,
   "stepUp": {
    "requestId": "sgn_ec91327c5fdafda1612ed164583eec02",
    "signature": "0x20d20a38272cc17c697e660bf066aca22989abb2dd8184b83d71ea38437680c07cb409604af9043cfb2a20ec3526c0bc5030306b7e04495123529e8d1a1fdfbb1c"
   }
  }
 },
 "createListing": {
  "responses": {
   "201": {
    "id": "lst_c6f5d7a553f9804087ce6b58",
    "resource": "https://127.0.0.1:1/r",
    "method": "GET",
    "title": "Report",
    "description": "",
    "tags": [],
    "mimeType": null,
    "sample": {},
    "advertised": {
     "scheme": "exact",
     "network": "eip155:51",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "amount": "1",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
    },
    "check": {
     "state": "pending",
     "isPublic": false,
     "checkedAt": null,
     "triedAt": null,
     "passedAt": null,
     "nextAt": "2026-11-29T21:14:45.963Z",
     "failures": 0,
     "reason": null,
     "message": "",
     "differences": []
    },
    "lastSeen": null,
    "stats": {
     "settlements30d": 0,
     "volume30d": "0",
     "payers30d": 0,
     "lastSettledAt": null
    },
    "createdAt": "2026-11-29T21:14:45.963Z",
    "updatedAt": "2026-11-29T21:14:45.963Z"
   }
  },
  "request": {
   "resource": "https://127.0.0.1:1/r",
   "method": "GET",
   "network": "eip155:51",
   "amount": "1",
   "title": "Report",
   "description": "",
   "tags": [],
   "mimeType": null
  }
 },
 "createPurchase": {
  "responses": {
   "201": {
    "id": "pur_18331cd080376b18e89bccc0bae274cd",
    "state": "awaiting_payment",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": "0x27b2f0561b215bdc72e3fc4c3f0960d5a0ca1cb0a4533245e74a5c6c9c292247",
    "validAfter": "0",
    "validBefore": "1795990484",
    "typedData": {
     "domain": {
      "name": "USDC",
      "version": "2",
      "chainId": 51,
      "verifyingContract": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4"
     },
     "types": {
      "EIP712Domain": [
       {
        "name": "name",
        "type": "string"
       },
       {
        "name": "version",
        "type": "string"
       }
      ],
      "TransferWithAuthorization": [
       {
        "name": "from",
        "type": "address"
       },
       {
        "name": "to",
        "type": "address"
       }
      ]
     },
     "primaryType": "TransferWithAuthorization",
     "message": {
      "from": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      "to": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
      "value": "1000000",
      "validAfter": "0",
      "validBefore": "1795990484",
      "nonce": "0x27b2f0561b215bdc72e3fc4c3f0960d5a0ca1cb0a4533245e74a5c6c9c292247"
     }
    },
    "reason": null,
    "reasonCode": null,
    "settlementId": null,
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T21:14:44.678Z"
     }
    ],
    "createdAt": "2026-11-29T21:14:44.678Z",
    "expiresAt": "2026-11-29T22:14:44.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "credits": 1000,
   "chainId": 51
  }
 },
 "createWebhook": {
  "responses": {
   "201": {
    "id": "whk_3af363644257c8d1bcf915d7",
    "url": "http://127.0.0.1:37815/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T21:14:45.289Z",
    "disabledAt": null,
    "disabledBy": null,
    "secret": "whsec_00000000000000000000000000000000000000000000"
   }
  },
  "request": {
   "url": "http://127.0.0.1:37815/hook",
   "events": [
    "settlement.confirmed"
   ],
   "stepUp": {
    "requestId": "sgn_0b107faec50f98dfdbb8c4ab1e3c6c7d",
    "signature": "0x5a4be2069a4a582b09c1d35c3fed865e6c66b01e3045033ea6ceefe25369ed503e1d0047a6c6e5fdbbe6233a954bbde9ce87f1a1f9c7cc83e8bc8f4fcf4fef331b"
   }
  }
 },
 "enableWebhook": {
  "responses": {
   "200": {
    "id": "whk_3af363644257c8d1bcf915d7",
    "url": "http://127.0.0.1:37815/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T21:14:45.289Z",
    "disabledAt": null,
    "disabledBy": null
   }
  },
  "request": {}
 },
 "endOtherSessions": {
  "responses": {},
  "request": {
   "stepUp": {
    "requestId": "sgn_2627bedd32deb29059eabdf5b8e06f41",
    "signature": "0xde15d08033d95e7f58f0275b2fce39ecb9317e591ac9ee8d89bd6fa45127773522d3160e2e4159c46819031d8248d00e676777fd164828d16ec10a7dc4d4fd921b"
   }
  }
 },
 "endSession": {
  "responses": {}
 },
 "inviteMember": {
  "responses": {
   "201": {
    "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "role": "read_only",
    "chainId": null,
    "invitedBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "invitedAt": "2026-11-29T21:14:44.525Z",
    "expiresAt": "2026-12-06T21:14:44.525Z"
   }
  },
  "request": {
   "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
   "role": "read_only",
   "chainId": null,
   "stepUp": {
    "requestId": "sgn_c73e8e3bb8077b79c55a6d04a1074a2f",
    "signature": "0xf81958276c56c3b21d4d1b16f107c912475229c3a9b0320b8c625f3bad6b3dab2da7d9c9fb44e1dc613d40b67c3dd24a63d5e7abccd74f32a95e7661dcdb2df31b"
   }
  }
 },
 "joinAccount": {
  "responses": {
   "201": {
    "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "kind": "plain",
    "chainId": null,
    "role": "read_only",
    "isOwn": false,
    "linkedAt": "2026-11-29T21:14:44.564Z"
   }
  },
  "request": {
   "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
  }
 },
 "keepVouchers": {
  "responses": {
   "200": {
    "kept": [],
    "refused": [
     {
      "channelId": "0x1ccd7a7dfc31e42424d0601f02e639a4f6a80429325d36fae7e23f6822ea6e3c",
      "errorReason": "invalid_batch_settlement_evm_authorizer_not_configured",
      "errorMessage": "The channel's receiverAuthorizer is not this facilitator's; send claimSignature, over the claim of exactly this row."
     }
    ]
   }
  },
  "request": {
   "vouchers": [
    {
     "channelConfig": {
      "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "payerAuthorizer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "receiver": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "receiverAuthorizer": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "token": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "withdrawDelay": 900,
      "salt": "0x00000000000000000000000070997970c51812dc3a010c7d01b50e0d17dc79c8"
     },
     "maxClaimableAmount": "1000",
     "charged": "1000",
     "signature": "0x73cb2cbca753b9fd7e509ab60d7ab2086b076e3540fd735b6a885e838f5891f30d145c385e1bd11c90e989bbd04cf3a85d3201d9da9f013e3194f0cbf2728c0f1c"
    }
   ]
  }
 },
 "leaveAccount": {
  "responses": {}
 },
 "linkWallet": {
  "responses": {
   "201": {
    "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "kind": "plain",
    "chainId": null,
    "role": "owner",
    "isOwn": false,
    "linkedAt": "2026-11-29T21:14:44.593Z"
   }
  },
  "request": {
   "requestId": "sgn_25f7971e0b3ff5014a665572cd23cb49",
   "signature": "0x8bbc9dc6661f8b87f2b66fdb696e28e68148d209882969b965a62c86de75f0214f4209b9f3f0f4d2cff74c7c70841209c263324003c7eea5214f20dc418578981b",
   "stepUp": {
    "requestId": "sgn_0602d27e247944da16bda58c53a4a8a8",
    "signature": "0x63fd5b5671622a66dc0ca85b20c3f1516af31e3d855cf1f6ba37242b2a514b46247ac8c384b7f1969adf71b6df54f6643db59cf1ce50f0e6b2c55a844c2125141c"
   }
  }
 },
 "listAttestationKeys": {
  "responses": {
   "200": {
    "keys": [
     {
      "crv": "Ed25519",
      "kty": "OKP",
      "x": "5n68myliKlPyirowXpWEgEYZeNxZNUb1q4BwzopRLfQ",
      "kid": "z-54iWtgVIXkbzOnOTN316M9UOH6Ojpsygliwntdb3Q",
      "alg": "EdDSA",
      "use": "sig"
     }
    ]
   }
  }
 },
 "listChannels": {
  "responses": {
   "200": {
    "network": "eip155:51",
    "sums": {
     "open": 1,
     "charged": "0",
     "claimed": "0",
     "settled": "0",
     "atRisk": "0",
     "nextClaimAt": null,
     "days": []
    },
    "channels": [
     {
      "channelId": "0x76476f1760e1faf67a2175025da0b03f26f0e7d6a8af82a8717cfe1b015ffc2d",
      "state": "open",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "balance": "100000",
      "charged": "0",
      "claimed": "0",
      "atRisk": "0",
      "withdrawRequestedAt": null,
      "claimBy": null,
      "openedAt": "2026-11-29T21:14:44.021Z",
      "closedAt": null
     }
    ],
    "next": null
   }
  }
 },
 "listCustomers": {
  "responses": {
   "200": {
    "customers": [
     {
      "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "settlements": 2,
      "amount": "20000",
      "firstAt": "2026-11-29T21:14:41.093Z",
      "lastAt": "2026-11-29T21:14:41.669Z"
     }
    ],
    "next": null
   }
  }
 },
 "listDeliveries": {
  "responses": {
   "200": {
    "deliveries": [
     {
      "id": "evt_d15e68b39f43c0ffc84e7c41c2a28a85",
      "type": "webhook.test",
      "state": "pending",
      "attempts": 0,
      "nextAt": "2026-11-29T21:14:45.296Z",
      "lastStatus": null,
      "lastError": null,
      "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-29T21:14:45.296Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_3af363644257c8d1bcf915d7\"}}",
      "createdAt": "2026-11-29T21:14:45.296Z",
      "deliveredAt": null
     }
    ],
    "next": null
   }
  }
 },
 "listEmails": {
  "responses": {
   "200": {
    "enabled": true,
    "emails": [
     {
      "id": "eml_e37384147b387e56c2c5ff9a",
      "address": "anna@shop.example",
      "events": [
       "credits.low"
      ],
      "state": "unconfirmed",
      "pausedBy": null,
      "createdAt": "2026-11-29T21:14:45.354Z",
      "confirmedAt": null
     }
    ]
   }
  }
 },
 "listInvitations": {
  "responses": {
   "200": {
    "invitations": [
     {
      "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "role": "read_only",
      "chainId": null,
      "invitedBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "invitedAt": "2026-11-29T21:14:44.525Z",
      "expiresAt": "2026-12-06T21:14:44.525Z"
     }
    ]
   }
  }
 },
 "listKeys": {
  "responses": {
   "200": {
    "keys": [
     {
      "id": "LCTXAmHsYwiQ",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "SvMh",
      "createdAt": "2026-11-29T21:14:44.645Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": null,
      "status": "active"
     },
     {
      "id": "LqCmS9cN6Wr6",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "4XtB",
      "createdAt": "2026-11-29T21:14:44.638Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": "2026-11-29T22:14:44.645Z",
      "status": "revoked"
     }
    ]
   }
  }
 },
 "listLedger": {
  "responses": {
   "200": {
    "entries": [
     {
      "id": 8,
      "kind": "charge",
      "credits": 0,
      "balanceAfter": 17,
      "settlementId": "stl_0eaa8f924f8a955dd5492b9c67d36420",
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-29T21:14:44.021Z"
     },
     {
      "id": 7,
      "kind": "hold",
      "credits": -1,
      "balanceAfter": 17,
      "settlementId": "stl_0eaa8f924f8a955dd5492b9c67d36420",
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-29T21:14:43.947Z"
     }
    ],
    "next": null
   }
  }
 },
 "listListings": {
  "responses": {
   "200": {
    "listings": [
     {
      "id": "lst_c6f5d7a553f9804087ce6b58",
      "resource": "https://127.0.0.1:1/r",
      "method": "GET",
      "title": "Report",
      "description": "",
      "tags": [],
      "mimeType": null,
      "sample": {},
      "advertised": {
       "scheme": "exact",
       "network": "eip155:51",
       "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
       "amount": "1",
       "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
      },
      "check": {
       "state": "failing",
       "isPublic": false,
       "checkedAt": "2026-11-29T21:14:46.058Z",
       "triedAt": "2026-11-29T21:14:46.058Z",
       "passedAt": null,
       "nextAt": "2026-11-29T21:25:26.224Z",
       "failures": 1,
       "reason": "unreachable",
       "message": "The connection was refused.",
       "differences": []
      },
      "lastSeen": null,
      "stats": {
       "settlements30d": 0,
       "volume30d": "0",
       "payers30d": 0,
       "lastSettledAt": null
      },
      "createdAt": "2026-11-29T21:14:45.963Z",
      "updatedAt": "2026-11-29T21:14:45.963Z"
     }
    ]
   }
  }
 },
 "listMemberships": {
  "responses": {
   "200": {
    "accounts": [
     {
      "account": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "label": "",
      "role": "owner"
     }
    ],
    "invitations": [
     {
      "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "role": "read_only",
      "chainId": null,
      "invitedBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "invitedAt": "2026-11-29T21:14:44.525Z",
      "expiresAt": "2026-12-06T21:14:44.525Z"
     }
    ]
   }
  }
 },
 "listMerchant": {
  "responses": {
   "200": {
    "x402Version": 2,
    "payTo": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "resources": [],
    "pagination": {
     "limit": 20,
     "offset": 0,
     "total": 0
    }
   }
  }
 },
 "listMerchantHosted": {
  "responses": {
   "200": {
    "x402Version": 2,
    "payTo": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "resources": [],
    "pagination": {
     "limit": 20,
     "offset": 0,
     "total": 0
    }
   }
  }
 },
 "listPurchases": {
  "responses": {
   "200": {
    "purchases": [
     {
      "id": "pur_7444d6198ba396331cb56b0cc36fea1e",
      "state": "settling",
      "credits": 1000,
      "amount": "1000000",
      "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
      "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
      "chainId": 51,
      "network": "eip155:51",
      "nonce": null,
      "validAfter": null,
      "validBefore": null,
      "typedData": null,
      "reason": null,
      "reasonCode": null,
      "settlementId": "stl_19832d8fdf4207ec7fea59e19ec7f0bc",
      "transaction": null,
      "explorer": null,
      "timeline": [
       {
        "state": "awaiting_payment",
        "at": "2026-11-29T21:14:44.739Z"
       },
       {
        "state": "settling",
        "at": "2026-11-29T21:14:44.768Z"
       }
      ],
      "createdAt": "2026-11-29T21:14:44.739Z",
      "expiresAt": "2026-11-29T22:14:44.000Z",
      "creditedAt": null,
      "contact": null
     }
    ],
    "next": "1795986884678.pur_18331cd080376b18e89bccc0bae274cd"
   }
  }
 },
 "listRequests": {
  "responses": {
   "200": {
    "requests": [
     {
      "requestId": "req_7e8938685eaf49fe93c815e0a34d4810",
      "createdAt": "2026-11-29T21:14:43.909Z",
      "method": "POST",
      "path": "/settle",
      "status": 200,
      "durationMs": 157,
      "code": null,
      "message": null,
      "result": null,
      "settlementId": null,
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "key": {
       "id": "LkAmyT1Fgh57",
       "label": "shop",
       "mode": "test"
      },
      "asked": {
       "network": "eip155:51",
       "amount": "1000",
       "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
      }
     },
     {
      "requestId": "req_2666b47d9b834dd5a825c8f64e593fd5",
      "createdAt": "2026-11-29T21:14:43.889Z",
      "method": "POST",
      "path": "/v1/channels/claim",
      "status": 202,
      "durationMs": 1,
      "code": null,
      "message": null,
      "result": null,
      "settlementId": null,
      "transaction": null,
      "key": {
       "id": "LkAmyT1Fgh57",
       "label": "shop",
       "mode": "test"
      },
      "asked": {}
     }
    ],
    "next": null
   }
  }
 },
 "listResources": {
  "responses": {
   "200": {
    "x402Version": 2,
    "items": [],
    "pagination": {
     "limit": 5,
     "offset": 0,
     "total": 0
    }
   }
  }
 },
 "listResourcesHosted": {
  "responses": {
   "200": {
    "x402Version": 2,
    "items": [],
    "pagination": {
     "limit": 5,
     "offset": 0,
     "total": 0
    }
   }
  }
 },
 "listSessions": {
  "responses": {
   "200": {
    "sessions": [
     {
      "id": "ses_96fd9325fd20df831db43649",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-29T21:14:44.109Z",
      "lastSeenAt": "2026-11-29T21:14:44.109Z",
      "expiresAt": "2026-12-06T21:14:44.109Z",
      "isCurrent": true
     },
     {
      "id": "ses_80ef7bd48e6ba2a28743a1c0",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-29T21:14:43.488Z",
      "lastSeenAt": "2026-11-29T21:14:43.488Z",
      "expiresAt": "2026-12-06T21:14:43.488Z",
      "isCurrent": false
     }
    ]
   }
  }
 },
 "listSettlements": {
  "responses": {
   "200": {
    "settlements": [
     {
      "id": "stl_0eaa8f924f8a955dd5492b9c67d36420",
      "state": "confirmed",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
      "amount": "100000",
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "keyId": "LkAmyT1Fgh57",
      "credits": 1,
      "createdAt": "2026-11-29T21:14:43.947Z",
      "confirmedAt": "2026-11-29T21:14:44.021Z",
      "finalizedAt": "2026-11-29T21:14:44.926Z",
      "failure": null,
      "resource": null,
      "route": null,
      "reference": null,
      "refundOf": null,
      "recoveredAt": null
     }
    ],
    "next": "1795986881669.stl_3e4445de4ff51c1253b6fca77a86ee3f"
   }
  }
 },
 "listSupported": {
  "responses": {
   "200": {
    "extensions": [
     "bazaar",
     "payment-identifier"
    ],
    "signers": {
     "eip155:51": [
      "0x5D284fe6D6AEb73857960a0D041CF394b1198392"
     ]
    },
    "kinds": [
     {
      "x402Version": 2,
      "scheme": "exact",
      "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "extra": {
       "decimals": 6,
       "name": "USDC",
       "version": "2",
       "assetTransferMethod": "eip3009",
       "settlementFee": {
        "credits": 1,
        "usdc": "0.001000",
        "since": null
       }
      },
      "network": "eip155:51"
     },
     {
      "x402Version": 2,
      "scheme": "batch-settlement",
      "network": "eip155:51",
      "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "extra": {
       "decimals": 6,
       "name": "USDC",
       "version": "2",
       "assetTransferMethod": "eip3009",
       "settlementFee": {
        "credits": 1,
        "usdc": "0.001000",
        "since": null
       }
      }
     }
    ]
   }
  }
 },
 "listSupportedHosted": {
  "responses": {
   "200": {
    "extensions": [
     "bazaar",
     "payment-identifier"
    ],
    "signers": {
     "eip155:51": [
      "0x5D284fe6D6AEb73857960a0D041CF394b1198392"
     ]
    },
    "kinds": [
     {
      "x402Version": 2,
      "scheme": "exact",
      "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "extra": {
       "decimals": 6,
       "name": "USDC",
       "version": "2",
       "assetTransferMethod": "eip3009"
      },
      "network": "eip155:51"
     },
     {
      "x402Version": 1,
      "scheme": "exact",
      "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "extra": {
       "decimals": 6,
       "name": "USDC",
       "version": "2"
      },
      "network": "xdc-apothem"
     }
    ]
   }
  }
 },
 "listVouchers": {
  "responses": {
   "200": {
    "vouchers": [],
    "next": null
   }
  }
 },
 "listWallets": {
  "responses": {
   "200": {
    "wallets": [
     {
      "address": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "kind": "plain",
      "chainId": null,
      "role": "owner",
      "isOwn": true,
      "linkedAt": null
     },
     {
      "address": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "kind": "plain",
      "chainId": null,
      "role": "owner",
      "isOwn": false,
      "linkedAt": "2026-11-29T21:14:44.593Z"
     }
    ]
   }
  }
 },
 "listWebhooks": {
  "responses": {
   "200": {
    "webhooks": [
     {
      "id": "whk_3af363644257c8d1bcf915d7",
      "url": "http://127.0.0.1:37815/hook",
      "events": [
       "settlement.confirmed"
      ],
      "createdAt": "2026-11-29T21:14:45.289Z",
      "disabledAt": null,
      "disabledBy": null
     }
    ]
   }
  }
 },
 "payPurchase": {
  "responses": {
   "200": {
    "id": "pur_7444d6198ba396331cb56b0cc36fea1e",
    "state": "settling",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": null,
    "validAfter": null,
    "validBefore": null,
    "typedData": null,
    "reason": null,
    "reasonCode": null,
    "settlementId": "stl_19832d8fdf4207ec7fea59e19ec7f0bc",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T21:14:44.739Z"
     },
     {
      "state": "settling",
      "at": "2026-11-29T21:14:44.768Z"
     }
    ],
    "createdAt": "2026-11-29T21:14:44.739Z",
    "expiresAt": "2026-11-29T22:14:44.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "signature": "0x636581f182b3f6e907a1b7fa97e2904536cd2904a0be0f71ee07cf91f0c013a1421aca81db5dcfe45fed8c665e979ea4d7fa29f99b2561aa9ffeb699cb03b4d71c"
  }
 },
 "readAccount": {
  "responses": {
   "200": {
    "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "walletKind": "plain",
    "chainId": 51,
    "role": "owner",
    "permissions": [
     "read",
     "own_access"
    ],
    "plan": "active",
    "label": "",
    "credits": {
     "available": 17,
     "held": 0,
     "lowAt": null
    },
    "limits": {
     "requests": 100000,
     "keys": 50,
     "wallets": 20,
     "windowSeconds": 10
    },
    "creditsPerSettlement": 1,
    "creditsPerSettlementSince": null,
    "treasury": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "networks": [
     {
      "id": "eip155:51",
      "label": "Apothem Network",
      "chainId": 51,
      "usdc": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
      "explorer": null
     }
    ],
    "publicUrl": "http://127.0.0.1:36437",
    "version": "0.1.0"
   }
  }
 },
 "readChannel": {
  "responses": {
   "200": {
    "channelId": "0x76476f1760e1faf67a2175025da0b03f26f0e7d6a8af82a8717cfe1b015ffc2d",
    "state": "open",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "balance": "100000",
    "charged": "0",
    "claimed": "0",
    "atRisk": "0",
    "withdrawRequestedAt": null,
    "claimBy": null,
    "openedAt": "2026-11-29T21:14:44.021Z",
    "closedAt": null,
    "receiverAuthorizer": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "withdrawDelay": 900,
    "reservedCredits": 0,
    "events": []
   }
  }
 },
 "readCredits": {
  "responses": {
   "200": {
    "available": 0,
    "held": 0,
    "lowAt": null,
    "perSettlement": 1,
    "perSettlementSince": null,
    "freePerMonth": 0,
    "treasury": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "minUnits": "1000000",
    "reviewAboveUnits": "500000000"
   }
  }
 },
 "readListing": {
  "responses": {
   "200": {
    "id": "lst_c6f5d7a553f9804087ce6b58",
    "resource": "https://127.0.0.1:1/r",
    "method": "GET",
    "title": "Report",
    "description": "",
    "tags": [],
    "mimeType": null,
    "sample": {},
    "advertised": {
     "scheme": "exact",
     "network": "eip155:51",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "amount": "1",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
    },
    "check": {
     "state": "failing",
     "isPublic": false,
     "checkedAt": "2026-11-29T21:14:46.058Z",
     "triedAt": "2026-11-29T21:14:46.058Z",
     "passedAt": null,
     "nextAt": "2026-11-29T21:25:26.224Z",
     "failures": 1,
     "reason": "unreachable",
     "message": "The connection was refused.",
     "differences": []
    },
    "lastSeen": null,
    "stats": {
     "settlements30d": 0,
     "volume30d": "0",
     "payers30d": 0,
     "lastSettledAt": null
    },
    "createdAt": "2026-11-29T21:14:45.963Z",
    "updatedAt": "2026-11-29T21:14:45.963Z"
   }
  }
 },
 "readOwnKey": {
  "responses": {
   "200": {
    "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "mode": "test",
    "label": "shop",
    "credits": 18,
    "plan": "active"
   }
  }
 },
 "readPurchase": {
  "responses": {
   "200": {
    "id": "pur_7444d6198ba396331cb56b0cc36fea1e",
    "state": "settling",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": null,
    "validAfter": null,
    "validBefore": null,
    "typedData": null,
    "reason": null,
    "reasonCode": null,
    "settlementId": "stl_19832d8fdf4207ec7fea59e19ec7f0bc",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T21:14:44.739Z"
     },
     {
      "state": "settling",
      "at": "2026-11-29T21:14:44.768Z"
     }
    ],
    "createdAt": "2026-11-29T21:14:44.739Z",
    "expiresAt": "2026-11-29T22:14:44.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "readRequest": {
  "responses": {
   "200": {
    "requestId": "req_7e8938685eaf49fe93c815e0a34d4810",
    "createdAt": "2026-11-29T21:14:43.909Z",
    "method": "POST",
    "path": "/settle",
    "status": 200,
    "durationMs": 157,
    "code": null,
    "message": null,
    "result": null,
    "settlementId": null,
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "key": {
     "id": "LkAmyT1Fgh57",
     "label": "shop",
     "mode": "test"
    },
    "asked": {
     "network": "eip155:51",
     "amount": "1000",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024"
    }
   }
  }
 },
 "readRevenue": {
  "responses": {
   "200": {
    "month": "2026-11",
    "network": "eip155:51",
    "by": "resource",
    "total": {
     "settlements": 2,
     "amount": "20000"
    },
    "before": {
     "settlements": 0,
     "amount": "0",
     "from": "2026-10-01",
     "to": "2026-10-29"
    },
    "names": [],
    "next": null
   }
  }
 },
 "readSettlement": {
  "responses": {
   "200": {
    "id": "stl_32d89a79abac00b0244b09c5f46285a9",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x14b441006318c2496ee86f3ea06615b96ca7539063c8e50d87e96b7f504ca5a0",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_32d89a79abac00b0244b09c5f46285a9",
     "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "state": "confirmed",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "blockNumber": 3,
    "logIndex": 0,
    "confirmations": 2,
    "finalized": false,
    "settledBy": "relayer",
    "refundOf": null,
    "refunds": [],
    "refundedAmount": "0",
    "minRefundAmount": "1000",
    "credits": 1,
    "createdAt": "2026-11-29T21:14:41.093Z",
    "submittedAt": "2026-11-29T21:14:41.267Z",
    "confirmedAt": "2026-11-29T21:14:41.487Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODEsInNldHRsZW1lbnRJZCI6InN0bF8zMmQ4OWE3OWFiYWMwMGIwMjQ0YjA5YzVmNDYyODVhOSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE0YjQ0MTAwNjMxOGMyNDk2ZWU4NmYzZWEwNjYxNWI5NmNhNzUzOTA2M2M4ZTUwZDg3ZTk2YjdmNTA0Y2E1YTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZTRmMTA5NTI5NDUzNTAwMWRhYzQzZDNhNGEwOTM3ZGNlOWFhODJhNmU5YjQ1MjYzY2I4MGI3NDdlNmM0MzU1OCIsImZpbmFsaXplZCI6ZmFsc2V9.xq4dbMqFYXl5bdUzQVrrxppquFnBhK6rINIspIIhW_BgUNJA29rhp9lpbvjhvQ8sL65U6-SDQR1X_WfuXyelCw"
       }
      }
     }
    }
   }
  }
 },
 "readSettlementHosted": {
  "responses": {
   "200": {
    "id": "stl_a05e2fbaebebbe0b6e29b4b5fe25a5cd",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0xeaaea69fb15cbc397e70d2e3f31daf7962aad3bb6cd4893e5d6ccd0ac187c75f",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_a05e2fbaebebbe0b6e29b4b5fe25a5cd",
     "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000006",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "state": "confirmed",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "blockNumber": 5,
    "logIndex": 0,
    "confirmations": 1,
    "finalized": false,
    "settledBy": "relayer",
    "refundOf": null,
    "refunds": [],
    "refundedAmount": "0",
    "minRefundAmount": "1000",
    "credits": 0,
    "createdAt": "2026-11-29T21:14:42.740Z",
    "submittedAt": "2026-11-29T21:14:42.743Z",
    "confirmedAt": "2026-11-29T21:14:42.779Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODIsInNldHRsZW1lbnRJZCI6InN0bF9hMDVlMmZiYWViZWJiZTBiNmUyOWI0YjVmZTI1YTVjZCIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDA2IiwidHJhbnNhY3Rpb24iOiIweGVhYWVhNjlmYjE1Y2JjMzk3ZTcwZDJlM2YzMWRhZjc5NjJhYWQzYmI2Y2Q0ODkzZTVkNmNjZDBhYzE4N2M3NWYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjUsImJsb2NrSGFzaCI6IjB4MmY4MDcxY2I0N2IxM2M4ZWY2NjMwNTY3MTQ2MmZkMWU3ZTlkYTc5MDEwM2RiMjRmODRjZDE5MTIyMDdmYmI4YSIsImZpbmFsaXplZCI6ZmFsc2V9.Ra7OU90vZQe5r4Ne9dpVBZ9YwvCNNv4iqMfP7JSpujp-NyaoP1ciiE8NLa7ETn2QNJZa_JsHmMs4DT-rfYQNBw"
       }
      }
     }
    }
   }
  }
 },
 "readSettlementStory": {
  "responses": {
   "200": {
    "id": "stl_0eaa8f924f8a955dd5492b9c67d36420",
    "state": "confirmed",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
    "amount": "100000",
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "keyId": "LkAmyT1Fgh57",
    "credits": 1,
    "createdAt": "2026-11-29T21:14:43.947Z",
    "confirmedAt": "2026-11-29T21:14:44.021Z",
    "finalizedAt": "2026-11-29T21:14:44.926Z",
    "failure": null,
    "resource": null,
    "route": null,
    "reference": null,
    "refundOf": null,
    "recoveredAt": null,
    "refunds": [],
    "refundedAmount": "0",
    "minRefundAmount": "1000",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "nonce": "0x9e59b0fea40393ee7f13eabbec76d226b857fd620ec9c0f18d6b99513187c7ad",
    "timeline": [
     {
      "what": "queued",
      "at": "2026-11-29T21:14:43.947Z"
     },
     {
      "what": "submitted",
      "at": "2026-11-29T21:14:43.965Z"
     }
    ],
    "gasUsed": 158380,
    "gasPaidWei": "1979750000000000",
    "sharedBy": 1,
    "blockNumber": 7,
    "logIndex": 0,
    "settledBy": "relayer",
    "requestId": "req_7e8938685eaf49fe93c815e0a34d4810",
    "failureMessage": null,
    "nextStep": null,
    "explorer": null
   }
  }
 },
 "readStatus": {
  "responses": {
   "200": {
    "version": "0.1.0",
    "surfaces": [
     {
      "name": "public",
      "path": "/",
      "settle": "async",
      "auth": "api-key",
      "networks": [
       "eip155:51"
      ],
      "minAmountUsdc": "0.000000"
     },
     {
      "name": "hosted",
      "path": "/api/facilitator",
      "settle": "sync",
      "auth": "none",
      "networks": [
       "eip155:51"
      ],
      "minAmountUsdc": "0.001000"
     }
    ],
    "networks": [
     {
      "network": "eip155:51",
      "headBlock": 4,
      "headAgeSeconds": 1,
      "readToBlock": 4,
      "finalizedBlock": 0,
      "clockSkewSeconds": null,
      "relayers": 1,
      "inFlight": 0,
      "queued": 0,
      "lanesUsable": 1,
      "lanesElsewhere": 0,
      "batching": "on",
      "gasPriceGwei": 12.5,
      "isGasPricePaid": true,
      "isTokenPaused": false,
      "settlementCostXdc": "0.001125",
      "settlementCostUsdc": null,
      "settlementFeeUsdc": "0.001000",
      "settlementFeeSince": null,
      "endpoints": [
       {
        "requestsPerSecond": null,
        "countsCalls": false,
        "batchCalls": null,
        "logRangeBlocks": null,
        "bodyBytes": null
       }
      ]
     }
    ]
   }
  }
 },
 "readStatusHosted": {
  "responses": {
   "200": {
    "version": "0.1.0",
    "surfaces": [
     {
      "name": "public",
      "path": "/",
      "settle": "async",
      "auth": "api-key",
      "networks": [
       "eip155:51"
      ],
      "minAmountUsdc": "0.000000"
     },
     {
      "name": "hosted",
      "path": "/api/facilitator",
      "settle": "sync",
      "auth": "none",
      "networks": [
       "eip155:51"
      ],
      "minAmountUsdc": "0.001000"
     }
    ],
    "networks": [
     {
      "network": "eip155:51",
      "headBlock": 6,
      "headAgeSeconds": 1,
      "readToBlock": 6,
      "finalizedBlock": 4,
      "clockSkewSeconds": 1,
      "relayers": 1,
      "inFlight": 0,
      "queued": 0,
      "lanesUsable": 1,
      "lanesElsewhere": 0,
      "batching": "on",
      "gasPriceGwei": 12.5,
      "isGasPricePaid": true,
      "isTokenPaused": false,
      "settlementCostXdc": "0.001125",
      "settlementCostUsdc": null,
      "settlementFeeUsdc": "0.001000",
      "settlementFeeSince": null,
      "endpoints": [
       {
        "requestsPerSecond": null,
        "countsCalls": false,
        "batchCalls": null,
        "logRangeBlocks": null,
        "bodyBytes": null
       }
      ]
     }
    ]
   }
  }
 },
 "readUsage": {
  "responses": {
   "200": {
    "network": "eip155:51",
    "days": [
     {
      "day": "2026-10-31",
      "settled": 0,
      "failed": 0,
      "pending": 0,
      "amount": "0",
      "credits": 0
     },
     {
      "day": "2026-11-01",
      "settled": 0,
      "failed": 0,
      "pending": 0,
      "amount": "0",
      "credits": 0
     }
    ]
   }
  }
 },
 "refund": {
  "responses": {
   "200": {
    "success": false,
    "errorReason": "settlement_not_refundable",
    "errorMessage": "Only a confirmed and final payment can be refunded; ask again once the settlement is final.",
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "",
    "network": "eip155:51",
    "extra": {
     "x402Reason": "settlement_not_refundable"
    },
    "refundOf": "stl_32d89a79abac00b0244b09c5f46285a9"
   }
  },
  "request": {
   "settlementId": "stl_32d89a79abac00b0244b09c5f46285a9",
   "signature": "0x1957a44eddcef7cdeadf4cf5f67ff803eaf64ddbae400d5c6272f4a24675cdee32d264630f1e84473c64124efe470c7872bb7760330ced10f14a4547db3e85e91c",
   "authorization": {
    "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "value": "10000",
    "validAfter": "0",
    "validBefore": "1795990480",
    "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000001"
   }
  }
 },
 "removeEmail": {
  "responses": {}
 },
 "removeListing": {
  "responses": {}
 },
 "removeWebhook": {
  "responses": {}
 },
 "resendDelivery": {
  "responses": {
   "202": {
    "id": "evt_d15e68b39f43c0ffc84e7c41c2a28a85",
    "type": "webhook.test",
    "state": "pending",
    "attempts": 0,
    "nextAt": "2026-11-29T21:14:45.310Z",
    "lastStatus": null,
    "lastError": null,
    "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-29T21:14:45.296Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_3af363644257c8d1bcf915d7\"}}",
    "createdAt": "2026-11-29T21:14:45.296Z",
    "deliveredAt": null
   }
  },
  "request": {}
 },
 "revokeKey": {
  "responses": {}
 },
 "rotateKey": {
  "responses": {
   "201": {
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "id": "LCTXAmHsYwiQ",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "SvMh",
    "createdAt": "2026-11-29T21:14:44.645Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "overlap": "1h",
   "stepUp": {
    "requestId": "sgn_3e3fd579813a4fda2c4932c83e18f4ac",
    "signature": "0x9908cd88e0a05ce3882f0f2923ed01426892b8077b54eaada5478bf8605d66ef1371e4523bb67d298f4421b6cca221f4107bd90f9ac36e757048c8a8efd840561b"
   }
  }
 },
 "searchResources": {
  "responses": {
   "200": {
    "x402Version": 2,
    "resources": [],
    "partialResults": false,
    "pagination": {
     "limit": 5,
     "cursor": null
    }
   }
  }
 },
 "searchResourcesHosted": {
  "responses": {
   "200": {
    "x402Version": 2,
    "resources": [],
    "partialResults": false,
    "pagination": {
     "limit": 5,
     "cursor": null
    }
   }
  }
 },
 "sendEmailLink": {
  "responses": {},
  "request": {}
 },
 "settle": {
  "responses": {
   "200": {
    "id": "stl_32d89a79abac00b0244b09c5f46285a9",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x14b441006318c2496ee86f3ea06615b96ca7539063c8e50d87e96b7f504ca5a0",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_32d89a79abac00b0244b09c5f46285a9",
     "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODEsInNldHRsZW1lbnRJZCI6InN0bF8zMmQ4OWE3OWFiYWMwMGIwMjQ0YjA5YzVmNDYyODVhOSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE0YjQ0MTAwNjMxOGMyNDk2ZWU4NmYzZWEwNjYxNWI5NmNhNzUzOTA2M2M4ZTUwZDg3ZTk2YjdmNTA0Y2E1YTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZTRmMTA5NTI5NDUzNTAwMWRhYzQzZDNhNGEwOTM3ZGNlOWFhODJhNmU5YjQ1MjYzY2I4MGI3NDdlNmM0MzU1OCIsImZpbmFsaXplZCI6ZmFsc2V9.xq4dbMqFYXl5bdUzQVrrxppquFnBhK6rINIspIIhW_BgUNJA29rhp9lpbvjhvQ8sL65U6-SDQR1X_WfuXyelCw"
       }
      }
     }
    }
   }
  },
  "request": {
   "x402Version": 2,
   "paymentPayload": {
    "x402Version": 2,
    "accepted": {
     "scheme": "exact",
     "network": "eip155:51",
     "amount": "10000",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
     "maxTimeoutSeconds": 60,
     "extra": {
      "assetTransferMethod": "eip3009",
      "name": "USDC",
      "version": "2"
     }
    },
    "payload": {
     "signature": "0x1957a44eddcef7cdeadf4cf5f67ff803eaf64ddbae400d5c6272f4a24675cdee32d264630f1e84473c64124efe470c7872bb7760330ced10f14a4547db3e85e91c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795990480",
      "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000001"
     }
    }
   },
   "paymentRequirements": {
    "scheme": "exact",
    "network": "eip155:51",
    "amount": "10000",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "maxTimeoutSeconds": 60,
    "extra": {
     "assetTransferMethod": "eip3009",
     "name": "USDC",
     "version": "2"
    }
   }
  }
 },
 "settleHosted": {
  "responses": {
   "200": {
    "id": "stl_a05e2fbaebebbe0b6e29b4b5fe25a5cd",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0xeaaea69fb15cbc397e70d2e3f31daf7962aad3bb6cd4893e5d6ccd0ac187c75f",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_a05e2fbaebebbe0b6e29b4b5fe25a5cd",
     "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000006",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiei01NGlXdGdWSVhrYnpPbk9UTjMxNk05VU9INk9qcHN5Z2xpd250ZGIzUSJ9.eyJpYXQiOjE3OTU5ODY4ODIsInNldHRsZW1lbnRJZCI6InN0bF9hMDVlMmZiYWViZWJiZTBiNmUyOWI0YjVmZTI1YTVjZCIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjkyOGU2OTEwMDAwMDAwMDAwMDAwMDA2IiwidHJhbnNhY3Rpb24iOiIweGVhYWVhNjlmYjE1Y2JjMzk3ZTcwZDJlM2YzMWRhZjc5NjJhYWQzYmI2Y2Q0ODkzZTVkNmNjZDBhYzE4N2M3NWYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjUsImJsb2NrSGFzaCI6IjB4MmY4MDcxY2I0N2IxM2M4ZWY2NjMwNTY3MTQ2MmZkMWU3ZTlkYTc5MDEwM2RiMjRmODRjZDE5MTIyMDdmYmI4YSIsImZpbmFsaXplZCI6ZmFsc2V9.Ra7OU90vZQe5r4Ne9dpVBZ9YwvCNNv4iqMfP7JSpujp-NyaoP1ciiE8NLa7ETn2QNJZa_JsHmMs4DT-rfYQNBw"
       }
      }
     }
    }
   }
  },
  "request": {
   "x402Version": 2,
   "paymentPayload": {
    "x402Version": 2,
    "accepted": {
     "scheme": "exact",
     "network": "eip155:51",
     "amount": "10000",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
     "maxTimeoutSeconds": 60,
     "extra": {
      "assetTransferMethod": "eip3009",
      "name": "USDC",
      "version": "2"
     }
    },
    "payload": {
     "signature": "0xbe7b59249c3354adbdd8ba2d348c2a8181d02520b5a21862b57f34c9325050ec702ddc6c6f30bb30e11ab2968f780168ff60d7b0f425a52c4d23b093e36881921c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795990482",
      "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000006"
     }
    }
   },
   "paymentRequirements": {
    "scheme": "exact",
    "network": "eip155:51",
    "amount": "10000",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "maxTimeoutSeconds": 60,
    "extra": {
     "assetTransferMethod": "eip3009",
     "name": "USDC",
     "version": "2"
    }
   }
  }
 },
 "signOut": {
  "responses": {},
  "request": {}
 },
 "testWebhook": {
  "responses": {
   "202": {
    "id": "evt_d15e68b39f43c0ffc84e7c41c2a28a85"
   }
  },
  "request": {}
 },
 "tryListing": {
  "responses": {
   "200": {
    "ok": false,
    "checks": [
     {
      "name": "reachable",
      "ok": false,
      "detail": "The connection was refused."
     },
     {
      "name": "returns402",
      "ok": false,
      "detail": "Not looked at."
     }
    ]
   }
  },
  "request": {
   "url": "https://127.0.0.1:1/r",
   "method": "GET"
  }
 },
 "unlinkWallet": {
  "responses": {},
  "request": {
   "stepUp": {
    "requestId": "sgn_4f42b6646375e97b9e4600a31717245b",
    "signature": "0x048222094f221935d2757481c6e2284a91d67529ce300b6b3b48023734b6058a6fd87368edd5e4a577294cb77e372095b6f4b1229adb9f80662de30831f686cd1c"
   }
  }
 },
 "verify": {
  "responses": {
   "200": {
    "isValid": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
   }
  },
  "request": {
   "x402Version": 2,
   "paymentPayload": {
    "x402Version": 2,
    "accepted": {
     "scheme": "exact",
     "network": "eip155:51",
     "amount": "10000",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
     "maxTimeoutSeconds": 60,
     "extra": {
      "assetTransferMethod": "eip3009",
      "name": "USDC",
      "version": "2"
     }
    },
    "payload": {
     "signature": "0x1957a44eddcef7cdeadf4cf5f67ff803eaf64ddbae400d5c6272f4a24675cdee32d264630f1e84473c64124efe470c7872bb7760330ced10f14a4547db3e85e91c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795990480",
      "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000001"
     }
    }
   },
   "paymentRequirements": {
    "scheme": "exact",
    "network": "eip155:51",
    "amount": "10000",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "maxTimeoutSeconds": 60,
    "extra": {
     "assetTransferMethod": "eip3009",
     "name": "USDC",
     "version": "2"
    }
   }
  }
 },
 "verifyHosted": {
  "responses": {
   "200": {
    "isValid": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
   }
  },
  "request": {
   "x402Version": 2,
   "paymentPayload": {
    "x402Version": 2,
    "accepted": {
     "scheme": "exact",
     "network": "eip155:51",
     "amount": "10000",
     "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
     "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
     "maxTimeoutSeconds": 60,
     "extra": {
      "assetTransferMethod": "eip3009",
      "name": "USDC",
      "version": "2"
     }
    },
    "payload": {
     "signature": "0xbe7b59249c3354adbdd8ba2d348c2a8181d02520b5a21862b57f34c9325050ec702ddc6c6f30bb30e11ab2968f780168ff60d7b0f425a52c4d23b093e36881921c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795990482",
      "nonce": "0x00000000000000000000000000000000000001a22928e6910000000000000006"
     }
    }
   },
   "paymentRequirements": {
    "scheme": "exact",
    "network": "eip155:51",
    "amount": "10000",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "maxTimeoutSeconds": 60,
    "extra": {
     "assetTransferMethod": "eip3009",
     "name": "USDC",
     "version": "2"
    }
   }
  }
 },
 "withdrawInvitation": {
  "responses": {}
 }
};
