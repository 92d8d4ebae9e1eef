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
    "id": "eml_429e1d16a9dff86e1bf918d1",
    "address": "anna@shop.example",
    "events": [
     "credits.low"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T00:54:47.987Z",
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
    "requestId": "sgn_8aec623c1fc2d4bdfd8fe5f906290760",
    "message": "127.0.0.1:46861 wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nLet this wallet sign in and pay for the account 0x7A11830374F9a3aA26C125CAa932520D984B1024. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:46861/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: ddca59b0de006482e0fce111ca7c3acb\nIssued At: 2026-11-30T00:54:45.757Z\nExpiration Time: 2026-11-30T01:04:45.757Z\nRequest ID: sgn_8aec623c1fc2d4bdfd8fe5f906290760",
    "expiresAt": "2026-11-30T01:04:45.757Z"
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
    "requestId": "sgn_02e2d71282340475a288e6ed8755f27e",
    "message": "127.0.0.1:46861 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nAccount 0x7A11830374F9a3aA26C125CAa932520D984B1024: create the API key 'shop' for test payments, which does not expire. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:46861/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 7a23c7cf215ad228534a6fb35b222d6b\nIssued At: 2026-11-30T00:54:41.256Z\nExpiration Time: 2026-11-30T01:04:41.256Z\nRequest ID: sgn_02e2d71282340475a288e6ed8755f27e\nResources:\n- http://127.0.0.1:46861/account/facilitator#create_key&expiresInDays=null&label=shop&mode=test",
    "expiresAt": "2026-11-30T01:04:41.256Z"
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
    "settlementId": "stl_bf80a494d25f3a66d4abd91caabfd097",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiWVlvN1A0ekhZZkxHSG4xUFN5SG95M0txZzRIYXRWM2o3eHpIcDA4T0VjTSJ9.eyJpYXQiOjE3OTYwMDAwODIsInNldHRsZW1lbnRJZCI6InN0bF9iZjgwYTQ5NGQyNWYzYTY2ZDRhYmQ5MWNhYWJmZDA5NyIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjlmMjU0OTYwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDMyNTRhNDIzYzc2YWU3ZTYyNjRiNWMxYzEwNjRiNDViZDBhYTNiMzBjZjAyZWYxZWRlOTk4ODNjMjljYjliYjYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4NzE1OGZjNzY0OWU1NTAzNzBhNDY2NGI2M2M3Nzc1MzdiMmRiZDY2MGE2NWQ5ZmEzMTE2NTgwZjFmMDhmOTZhNCIsImZpbmFsaXplZCI6ZmFsc2V9.uv0k8TyTan_mOYtEz3E-4AYHW5QcQV4Dch3FhtVVS5AhG2QQ59neEFR-atxzVqkovaC9KA8uZsDD_n9jt7o2Ag"
   }
  }
 },
 "beginSignIn": {
  "responses": {
   "200": {
    "requestId": "sgn_11beac3b6eda332ebf14df1e5282b461",
    "message": "127.0.0.1:46861 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nSign in to the facilitator. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:46861/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: b02d3e496762ee9e265bcad5a15389dd\nIssued At: 2026-11-30T00:54:40.834Z\nExpiration Time: 2026-11-30T01:04:40.834Z\nRequest ID: sgn_11beac3b6eda332ebf14df1e5282b461",
    "expiresAt": "2026-11-30T01:04:40.834Z"
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
    "keyId": "SdB7JDykpeuD",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_8db17c1bb2dc8cc06486eb652caf6a07",
    "state": "settling",
    "settlementId": "stl_fac5c3d3d645eac4854786075296a080",
    "transaction": "0x31c1f6791c1454be633feb89b4a03dbeadc4b848b50a3ca1f0abc598dce89454",
    "nextStep": "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one."
   },
   "201": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "keyId": "SdB7JDykpeuD",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_8db17c1bb2dc8cc06486eb652caf6a07",
    "state": "settling",
    "settlementId": "stl_fac5c3d3d645eac4854786075296a080",
    "transaction": "0x31c1f6791c1454be633feb89b4a03dbeadc4b848b50a3ca1f0abc598dce89454",
    "nextStep": "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds."
   }
  }
 },
 "cancelPurchase": {
  "responses": {
   "200": {
    "id": "pur_d5e38eae37a0f005b77c8b333beb590f",
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
      "at": "2026-11-30T00:54:46.217Z"
     },
     {
      "state": "canceled",
      "at": "2026-11-30T00:54:46.246Z"
     }
    ],
    "createdAt": "2026-11-30T00:54:46.217Z",
    "expiresAt": "2026-11-30T01:54:46.000Z",
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
    "publicUrl": "http://127.0.0.1:46861",
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
    "id": "eml_429e1d16a9dff86e1bf918d1",
    "address": "anna@shop.example",
    "events": [
     "webhook.paused"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T00:54:47.987Z",
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
    "id": "lst_aa46e6cc089c5d94ed9cd6a4",
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
     "nextAt": "2026-11-30T00:54:48.709Z",
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
    "createdAt": "2026-11-30T00:54:48.424Z",
    "updatedAt": "2026-11-30T00:54:48.709Z"
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
    "linkedAt": "2026-11-30T00:54:45.556Z"
   }
  },
  "request": {
   "role": "developer",
   "stepUp": {
    "requestId": "sgn_185388edeeb3fc8e75cc0eeacd01105f",
    "signature": "0xc0a7a6151bcb06475538a6d450654e8363a17291ce58677486a743149c170bb31f07458e91a61cab3722c8d0836ca84239ed654357a0d3e658ae2ea5a9284dff1c"
   }
  }
 },
 "changeWebhook": {
  "responses": {
   "200": {
    "id": "whk_aea042afd2b62584740b8137",
    "url": "http://127.0.0.1:43297/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:54:47.767Z",
    "disabledAt": "2026-11-30T00:54:47.890Z",
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
 "checkListing": {
  "responses": {
   "200": {
    "id": "lst_aa46e6cc089c5d94ed9cd6a4",
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
     "checkedAt": "2026-11-30T00:54:48.825Z",
     "triedAt": "2026-11-30T00:54:48.825Z",
     "passedAt": null,
     "nextAt": "2026-11-30T01:54:44.763Z",
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
    "createdAt": "2026-11-30T00:54:48.424Z",
    "updatedAt": "2026-11-30T00:54:48.709Z"
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
 "completeSignIn": {
  "responses": {
   "200": {
    "account": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "walletKind": "plain",
    "chainId": 51,
    "expiresAt": "2026-12-07T00:54:41.187Z",
    "accounts": []
   }
  },
  "request": {
   "requestId": "sgn_11beac3b6eda332ebf14df1e5282b461",
   "signature": "0x3631fc3944fee387db98fa1ccd96828e52fee66ce310ca17a0677f297d7d2ffb5e7a201eda04566ed146bc53c08e991b43035abad9aea124ec2ad48c21492b2e1c"
  }
 },
 "countRequests": {
  "responses": {
   "200": {
    "hours": [
     {
      "from": "2026-11-29T01:00:00.000Z",
      "answered": 0,
      "refused": 0,
      "failed": 0
     },
     {
      "from": "2026-11-29T02:00:00.000Z",
      "answered": 0,
      "refused": 0,
      "failed": 0
     }
    ]
   }
  }
 },
 "createKey": {
  "responses": {
   "201": {
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "id": "d15ssbyp5yJP",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "Xg4J",
    "createdAt": "2026-11-30T00:54:41.276Z",
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
    "requestId": "sgn_02e2d71282340475a288e6ed8755f27e",
    "signature": "0xbf631eed1393404c53ae629b1f0918e3ddb33e60c1895f5b74933631c41001ee767d342cf7e27da78d4f2edb40acdf5d0d3647582f7b3091790c6608da6a589d1b"
   }
  }
 },
 "createListing": {
  "responses": {
   "201": {
    "id": "lst_aa46e6cc089c5d94ed9cd6a4",
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
     "nextAt": "2026-11-30T00:54:48.424Z",
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
    "createdAt": "2026-11-30T00:54:48.424Z",
    "updatedAt": "2026-11-30T00:54:48.424Z"
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
    "id": "pur_d5e38eae37a0f005b77c8b333beb590f",
    "state": "awaiting_payment",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": "0xcf6c2039c47a1b2780275191f7fe4322da53cb1c55f87783178674bef1f4dcd6",
    "validAfter": "0",
    "validBefore": "1796003686",
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
      "validBefore": "1796003686",
      "nonce": "0xcf6c2039c47a1b2780275191f7fe4322da53cb1c55f87783178674bef1f4dcd6"
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
      "at": "2026-11-30T00:54:46.217Z"
     }
    ],
    "createdAt": "2026-11-30T00:54:46.217Z",
    "expiresAt": "2026-11-30T01:54:46.000Z",
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
    "id": "whk_aea042afd2b62584740b8137",
    "url": "http://127.0.0.1:43297/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:54:47.767Z",
    "disabledAt": null,
    "disabledBy": null,
    "secret": "whsec_00000000000000000000000000000000000000000000"
   }
  },
  "request": {
   "url": "http://127.0.0.1:43297/hook",
   "events": [
    "settlement.confirmed"
   ],
   "stepUp": {
    "requestId": "sgn_49c0446e247ad33c8f6e5284ddeec63d",
    "signature": "0xbf4bbf450c7340759a96dc3dcef02617739074008b4f5280435bcbd6bd2dc2ed5be2056d46610fd33acb18d181e80cf1d481f66b8ce0efd9a9b09520d8461d3f1b"
   }
  }
 },
 "enableWebhook": {
  "responses": {
   "200": {
    "id": "whk_aea042afd2b62584740b8137",
    "url": "http://127.0.0.1:43297/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:54:47.767Z",
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
    "requestId": "sgn_ad7fc5957196e7b528b05aefb0d2bf82",
    "signature": "0x16e8a66c2901cc138938f2c553aa1d32ac6ba991fab19a7137eb03dcdc33e6b2197fa996388932b9c6dfc4ed846ecf83ab1b29f55d14245d1b61e029cbe4a31f1b"
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
    "invitedAt": "2026-11-30T00:54:45.445Z",
    "expiresAt": "2026-12-07T00:54:45.445Z"
   }
  },
  "request": {
   "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
   "role": "read_only",
   "chainId": null,
   "stepUp": {
    "requestId": "sgn_0573e365bcf514b7c290686fadd07da2",
    "signature": "0x7fbf0d3606308c964d3d3a7c35d6b55fd4539b5c0eadc25936dae9b119cc265002e8180bba82a65a953d5dfd04795240742d24d9144939e64efe56c47811be9c1c"
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
    "linkedAt": "2026-11-30T00:54:45.556Z"
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
    "linkedAt": "2026-11-30T00:54:45.809Z"
   }
  },
  "request": {
   "requestId": "sgn_8aec623c1fc2d4bdfd8fe5f906290760",
   "signature": "0x4565c2955f83ee22371d6777af563acce02977b9c675cbb0fc8af7952f489e6b67adcc57eb1c03538d91e013b5da8e0cd73420773ce34162f8988813af7129fb1b",
   "stepUp": {
    "requestId": "sgn_299689d5b17d9fbd5480c032cf5d1886",
    "signature": "0xb8893cc6acd720ad9ee70a577ef69786a23228d4d5fc2d14ec35added79a75d90385ea1527f7944db74175aebe461b2f3ba96d6bb1a42cd3ab5637585e3699d61b"
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
      "x": "UoqhKXS2vM4e4thPFYhHqTj0cobl7fK0D3Sht4UZUAE",
      "kid": "YYo7P4zHYfLGHn1PSyHoy3Kqg4HatV3j7xzHp08OEcM",
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
      "openedAt": "2026-11-30T00:54:44.197Z",
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
      "firstAt": "2026-11-30T00:54:41.467Z",
      "lastAt": "2026-11-30T00:54:41.766Z"
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
      "id": "evt_e1e2a9d7f13d18286d5fe8725b59c3c4",
      "type": "webhook.test",
      "state": "pending",
      "attempts": 0,
      "nextAt": "2026-11-30T00:54:47.795Z",
      "lastStatus": null,
      "lastError": null,
      "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T00:54:47.795Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_aea042afd2b62584740b8137\"}}",
      "createdAt": "2026-11-30T00:54:47.795Z",
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
      "id": "eml_429e1d16a9dff86e1bf918d1",
      "address": "anna@shop.example",
      "events": [
       "credits.low"
      ],
      "state": "unconfirmed",
      "pausedBy": null,
      "createdAt": "2026-11-30T00:54:47.987Z",
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
      "invitedAt": "2026-11-30T00:54:45.445Z",
      "expiresAt": "2026-12-07T00:54:45.445Z"
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
      "id": "hUR8C4AF6C17",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "v3x5",
      "createdAt": "2026-11-30T00:54:46.093Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": null,
      "status": "active"
     },
     {
      "id": "PatFkcIK6cGB",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "RcIh",
      "createdAt": "2026-11-30T00:54:46.058Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": "2026-11-30T01:54:46.093Z",
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
      "settlementId": "stl_09033f200ad6d4559d696b534aeef093",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T00:54:44.197Z"
     },
     {
      "id": 7,
      "kind": "hold",
      "credits": -1,
      "balanceAfter": 17,
      "settlementId": "stl_09033f200ad6d4559d696b534aeef093",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T00:54:43.434Z"
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
      "id": "lst_aa46e6cc089c5d94ed9cd6a4",
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
       "checkedAt": "2026-11-30T00:54:48.507Z",
       "triedAt": "2026-11-30T00:54:48.507Z",
       "passedAt": null,
       "nextAt": "2026-11-30T01:04:47.864Z",
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
      "createdAt": "2026-11-30T00:54:48.424Z",
      "updatedAt": "2026-11-30T00:54:48.424Z"
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
      "invitedAt": "2026-11-30T00:54:45.445Z",
      "expiresAt": "2026-12-07T00:54:45.445Z"
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
 "listPurchases": {
  "responses": {
   "200": {
    "purchases": [
     {
      "id": "pur_414a345dd15975fc2a89f79899fba803",
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
      "settlementId": "stl_d9d6c9b22cac730cd47c6ccc2d97a0b9",
      "transaction": null,
      "explorer": null,
      "timeline": [
       {
        "state": "awaiting_payment",
        "at": "2026-11-30T00:54:46.316Z"
       },
       {
        "state": "settling",
        "at": "2026-11-30T00:54:46.417Z"
       }
      ],
      "createdAt": "2026-11-30T00:54:46.316Z",
      "expiresAt": "2026-11-30T01:54:46.000Z",
      "creditedAt": null,
      "contact": null
     }
    ],
    "next": "1796000086217.pur_d5e38eae37a0f005b77c8b333beb590f"
   }
  }
 },
 "listRequests": {
  "responses": {
   "200": {
    "requests": [
     {
      "requestId": "req_ab2d644971f6467bb2317c9be1e0ef82",
      "createdAt": "2026-11-30T00:54:43.424Z",
      "method": "POST",
      "path": "/settle",
      "status": 200,
      "durationMs": 818,
      "code": null,
      "message": null,
      "result": null,
      "settlementId": null,
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "key": {
       "id": "JlgW9Lm2cE5o",
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
      "requestId": "req_f91586de095a42b989924c111c49477e",
      "createdAt": "2026-11-30T00:54:43.418Z",
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
       "id": "JlgW9Lm2cE5o",
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
 "listSessions": {
  "responses": {
   "200": {
    "sessions": [
     {
      "id": "ses_b3611d6b8f432fcade40fded",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T00:54:44.273Z",
      "lastSeenAt": "2026-11-30T00:54:44.273Z",
      "expiresAt": "2026-12-07T00:54:44.273Z",
      "isCurrent": true
     },
     {
      "id": "ses_f19ee0c982741024d1b59f3c",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T00:54:43.297Z",
      "lastSeenAt": "2026-11-30T00:54:43.297Z",
      "expiresAt": "2026-12-07T00:54:43.297Z",
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
      "id": "stl_09033f200ad6d4559d696b534aeef093",
      "state": "confirmed",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
      "amount": "100000",
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "keyId": "JlgW9Lm2cE5o",
      "credits": 1,
      "createdAt": "2026-11-30T00:54:43.434Z",
      "confirmedAt": "2026-11-30T00:54:44.197Z",
      "finalizedAt": "2026-11-30T00:54:46.902Z",
      "failure": null,
      "resource": null,
      "route": null,
      "reference": null,
      "refundOf": null,
      "recoveredAt": null
     }
    ],
    "next": "1796000081766.stl_16b33c3f263c5f8b63d4e6fc62c5cfe5"
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
      "linkedAt": "2026-11-30T00:54:45.809Z"
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
      "id": "whk_aea042afd2b62584740b8137",
      "url": "http://127.0.0.1:43297/hook",
      "events": [
       "settlement.confirmed"
      ],
      "createdAt": "2026-11-30T00:54:47.767Z",
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
    "id": "pur_414a345dd15975fc2a89f79899fba803",
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
    "settlementId": "stl_d9d6c9b22cac730cd47c6ccc2d97a0b9",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T00:54:46.316Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T00:54:46.417Z"
     }
    ],
    "createdAt": "2026-11-30T00:54:46.316Z",
    "expiresAt": "2026-11-30T01:54:46.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "signature": "0xe8ef494f858e29b5a9f9730561a4098fc49c3e01a44037a96dee0f9806623f6448822da9d9cdd5eab0acd2395015e3f98747d7d9c913ccd76287421ca9f9649b1b"
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
    "publicUrl": "http://127.0.0.1:46861",
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
    "openedAt": "2026-11-30T00:54:44.197Z",
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
    "id": "lst_aa46e6cc089c5d94ed9cd6a4",
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
     "checkedAt": "2026-11-30T00:54:48.507Z",
     "triedAt": "2026-11-30T00:54:48.507Z",
     "passedAt": null,
     "nextAt": "2026-11-30T01:04:47.864Z",
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
    "createdAt": "2026-11-30T00:54:48.424Z",
    "updatedAt": "2026-11-30T00:54:48.424Z"
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
    "id": "pur_414a345dd15975fc2a89f79899fba803",
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
    "settlementId": "stl_d9d6c9b22cac730cd47c6ccc2d97a0b9",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T00:54:46.316Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T00:54:46.417Z"
     }
    ],
    "createdAt": "2026-11-30T00:54:46.316Z",
    "expiresAt": "2026-11-30T01:54:46.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "readRequest": {
  "responses": {
   "200": {
    "requestId": "req_ab2d644971f6467bb2317c9be1e0ef82",
    "createdAt": "2026-11-30T00:54:43.424Z",
    "method": "POST",
    "path": "/settle",
    "status": 200,
    "durationMs": 818,
    "code": null,
    "message": null,
    "result": null,
    "settlementId": null,
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "key": {
     "id": "JlgW9Lm2cE5o",
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
     "to": "2026-10-30"
    },
    "names": [],
    "next": null
   }
  }
 },
 "readSettlement": {
  "responses": {
   "200": {
    "id": "stl_bf80a494d25f3a66d4abd91caabfd097",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x3254a423c76ae7e6264b5c1c1064b45bd0aa3b30cf02ef1ede99883c29cb9bb6",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_bf80a494d25f3a66d4abd91caabfd097",
     "nonce": "0x00000000000000000000000000000000000001a229f254960000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "state": "confirmed",
    "asset": "0xb5AB69F7bBada22B28e79C8FFAECe55eF1c771D4",
    "payTo": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "blockNumber": 3,
    "logIndex": 0,
    "confirmations": 1,
    "finalized": false,
    "settledBy": "relayer",
    "refundOf": null,
    "refunds": [],
    "refundedAmount": "0",
    "minRefundAmount": "1000",
    "credits": 1,
    "createdAt": "2026-11-30T00:54:41.467Z",
    "submittedAt": "2026-11-30T00:54:41.494Z",
    "confirmedAt": "2026-11-30T00:54:41.711Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiWVlvN1A0ekhZZkxHSG4xUFN5SG95M0txZzRIYXRWM2o3eHpIcDA4T0VjTSJ9.eyJpYXQiOjE3OTYwMDAwODEsInNldHRsZW1lbnRJZCI6InN0bF9iZjgwYTQ5NGQyNWYzYTY2ZDRhYmQ5MWNhYWJmZDA5NyIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjlmMjU0OTYwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDMyNTRhNDIzYzc2YWU3ZTYyNjRiNWMxYzEwNjRiNDViZDBhYTNiMzBjZjAyZWYxZWRlOTk4ODNjMjljYjliYjYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4NzE1OGZjNzY0OWU1NTAzNzBhNDY2NGI2M2M3Nzc1MzdiMmRiZDY2MGE2NWQ5ZmEzMTE2NTgwZjFmMDhmOTZhNCIsImZpbmFsaXplZCI6ZmFsc2V9.8FF0jGt6iVIbQVPNRLfClnUBuKr4JQJmlBx7kOIWpdsEybKalzT5tqJliPwatJ_NUKaKHyNfRE7I_hOHnjYRCw"
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
    "id": "stl_09033f200ad6d4559d696b534aeef093",
    "state": "confirmed",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
    "amount": "100000",
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "keyId": "JlgW9Lm2cE5o",
    "credits": 1,
    "createdAt": "2026-11-30T00:54:43.434Z",
    "confirmedAt": "2026-11-30T00:54:44.197Z",
    "finalizedAt": "2026-11-30T00:54:46.902Z",
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
      "at": "2026-11-30T00:54:43.434Z"
     },
     {
      "what": "submitted",
      "at": "2026-11-30T00:54:43.442Z"
     }
    ],
    "gasUsed": 158380,
    "gasPaidWei": "1979750000000000",
    "sharedBy": 1,
    "blockNumber": 7,
    "logIndex": 0,
    "settledBy": "relayer",
    "requestId": "req_ab2d644971f6467bb2317c9be1e0ef82",
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
 "readUsage": {
  "responses": {
   "200": {
    "network": "eip155:51",
    "days": [
     {
      "day": "2026-11-01",
      "settled": 0,
      "failed": 0,
      "pending": 0,
      "amount": "0",
      "credits": 0
     },
     {
      "day": "2026-11-02",
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
    "refundOf": "stl_bf80a494d25f3a66d4abd91caabfd097"
   }
  },
  "request": {
   "settlementId": "stl_bf80a494d25f3a66d4abd91caabfd097",
   "signature": "0x2bd00a61b65422be2b4b7c80e2e4b5ebbfef4d2aeefea014f3374615cc226f77173746d42e084dcd5f883146f02331c8ba0d684370197f104e279dd2a57d9f571b",
   "authorization": {
    "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "value": "10000",
    "validAfter": "0",
    "validBefore": "1796003681",
    "nonce": "0x00000000000000000000000000000000000001a229f254960000000000000001"
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
    "id": "evt_e1e2a9d7f13d18286d5fe8725b59c3c4",
    "type": "webhook.test",
    "state": "pending",
    "attempts": 0,
    "nextAt": "2026-11-30T00:54:47.868Z",
    "lastStatus": null,
    "lastError": null,
    "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T00:54:47.795Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_aea042afd2b62584740b8137\"}}",
    "createdAt": "2026-11-30T00:54:47.795Z",
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
    "id": "hUR8C4AF6C17",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "v3x5",
    "createdAt": "2026-11-30T00:54:46.093Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "overlap": "1h",
   "stepUp": {
    "requestId": "sgn_3b7e9b94a625767d8f7c790d301e99d0",
    "signature": "0x4ca9d890cc5df404cd28b6dc0e7c6972df16162bb92d6d9b976da48a0bcab3bc1fdb6627dfc6fbcb4d995c7892e181ae057aa6f9d7e03732b5ce471f448d55b71c"
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
 "sendEmailLink": {
  "responses": {},
  "request": {}
 },
 "settle": {
  "responses": {
   "200": {
    "id": "stl_bf80a494d25f3a66d4abd91caabfd097",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x3254a423c76ae7e6264b5c1c1064b45bd0aa3b30cf02ef1ede99883c29cb9bb6",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_bf80a494d25f3a66d4abd91caabfd097",
     "nonce": "0x00000000000000000000000000000000000001a229f254960000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiWVlvN1A0ekhZZkxHSG4xUFN5SG95M0txZzRIYXRWM2o3eHpIcDA4T0VjTSJ9.eyJpYXQiOjE3OTYwMDAwODEsInNldHRsZW1lbnRJZCI6InN0bF9iZjgwYTQ5NGQyNWYzYTY2ZDRhYmQ5MWNhYWJmZDA5NyIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjlmMjU0OTYwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDMyNTRhNDIzYzc2YWU3ZTYyNjRiNWMxYzEwNjRiNDViZDBhYTNiMzBjZjAyZWYxZWRlOTk4ODNjMjljYjliYjYiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4NzE1OGZjNzY0OWU1NTAzNzBhNDY2NGI2M2M3Nzc1MzdiMmRiZDY2MGE2NWQ5ZmEzMTE2NTgwZjFmMDhmOTZhNCIsImZpbmFsaXplZCI6ZmFsc2V9.8FF0jGt6iVIbQVPNRLfClnUBuKr4JQJmlBx7kOIWpdsEybKalzT5tqJliPwatJ_NUKaKHyNfRE7I_hOHnjYRCw"
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
     "signature": "0x2bd00a61b65422be2b4b7c80e2e4b5ebbfef4d2aeefea014f3374615cc226f77173746d42e084dcd5f883146f02331c8ba0d684370197f104e279dd2a57d9f571b",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796003681",
      "nonce": "0x00000000000000000000000000000000000001a229f254960000000000000001"
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
    "id": "evt_e1e2a9d7f13d18286d5fe8725b59c3c4"
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
    "requestId": "sgn_a5e1b784ca7273f6c4cdadfaf925bcc8",
    "signature": "0xe3e615da88eee5424d669d4057d109893cb82f3d36b3a55dcacc5981b935291071f02096abb4ccb1ec585154acb0cc75e638cac4f980e046f3906a868dd2f7a21b"
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
     "signature": "0x2bd00a61b65422be2b4b7c80e2e4b5ebbfef4d2aeefea014f3374615cc226f77173746d42e084dcd5f883146f02331c8ba0d684370197f104e279dd2a57d9f571b",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796003681",
      "nonce": "0x00000000000000000000000000000000000001a229f254960000000000000001"
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
