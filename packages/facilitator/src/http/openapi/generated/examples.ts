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
    "id": "eml_8e6e6f136c804f391588680d",
    "address": "anna@shop.example",
    "events": [
     "credits.low"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-29T22:38:42.995Z",
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
    "requestId": "sgn_b7952700ed28f3400ee3dfc1e27fbb0c",
    "message": "127.0.0.1:44495 wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nLet this wallet sign in and pay for the account 0x7A11830374F9a3aA26C125CAa932520D984B1024. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:44495/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: a31f8ecca86382e49bea59becc4ffb5d\nIssued At: 2026-11-29T22:38:42.442Z\nExpiration Time: 2026-11-29T22:48:42.442Z\nRequest ID: sgn_b7952700ed28f3400ee3dfc1e27fbb0c",
    "expiresAt": "2026-11-29T22:48:42.442Z"
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
    "requestId": "sgn_e9678832e152b13da57fa314c33b9091",
    "message": "127.0.0.1:44495 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nAccount 0x7A11830374F9a3aA26C125CAa932520D984B1024: create the API key 'shop' for test payments, which does not expire. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:44495/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 744b6132afe3f8fb8a1290ca4671019d\nIssued At: 2026-11-29T22:38:41.207Z\nExpiration Time: 2026-11-29T22:48:41.207Z\nRequest ID: sgn_e9678832e152b13da57fa314c33b9091\nResources:\n- http://127.0.0.1:44495/account/facilitator#create_key&expiresInDays=null&label=shop&mode=test",
    "expiresAt": "2026-11-29T22:48:41.207Z"
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
    "settlementId": "stl_833334ea59e59ebee2648500038d010a",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiT21MVGtEVS1HYXBtSFdRUkJIM0RQM1BJUjRzU010ZGhJbWpQTUYzd2FMYyJ9.eyJpYXQiOjE3OTU5OTE5MjEsInNldHRsZW1lbnRJZCI6InN0bF84MzMzMzRlYTU5ZTU5ZWJlZTI2NDg1MDAwMzhkMDEwYSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjk3NWRlYTUwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDQ0YWQ5OTQ0OGJhZTJmNGZhZTVjMGM0MGE2ZWQwMTZkNjZmOTJmMGRlODk1MzEwMDE0ZTRlYzllZDc2ZWExYTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MzU1NjA5NjZhMjczYmUwMWU0MTQ4NTI1YWIzYTllODFkYmM1MGMxMjViYjYwYmM3Nzc2OTMyZTQ3OTI4ZWU0NiIsImZpbmFsaXplZCI6ZmFsc2V9.BArtNf6NbnSxd7nLz-hK19Vef4Gkdcv7MqE0VDjt8qChfunvcVrrd0QONYbz8VH_SM2w2w0YPvVEXg9jKqNaBA"
   }
  }
 },
 "beginSignIn": {
  "responses": {
   "200": {
    "requestId": "sgn_71ba725e72d450d10747438a8b95a49f",
    "message": "127.0.0.1:44495 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nSign in to the facilitator. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:44495/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 759d0fbf702cbe0e0ca5275635660e61\nIssued At: 2026-11-29T22:38:41.186Z\nExpiration Time: 2026-11-29T22:48:41.186Z\nRequest ID: sgn_71ba725e72d450d10747438a8b95a49f",
    "expiresAt": "2026-11-29T22:48:41.186Z"
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
    "keyId": "JdeV1Nv149Fe",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_7bcf2d5939593ab9de2d4ed53c6a455a",
    "state": "settling",
    "settlementId": "stl_6346812642df63a0929e578f86c2d684",
    "transaction": "0x340278e821e29aab7067d047b6fd475b68e6ae78fa912fbabfd0c4c93c5df738",
    "nextStep": "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one."
   },
   "201": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "keyId": "JdeV1Nv149Fe",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_7bcf2d5939593ab9de2d4ed53c6a455a",
    "state": "settling",
    "settlementId": "stl_6346812642df63a0929e578f86c2d684",
    "transaction": "0x340278e821e29aab7067d047b6fd475b68e6ae78fa912fbabfd0c4c93c5df738",
    "nextStep": "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds."
   }
  }
 },
 "cancelPurchase": {
  "responses": {
   "200": {
    "id": "pur_5863b0a87913f8c71a53d4b00c67cd12",
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
      "at": "2026-11-29T22:38:42.537Z"
     },
     {
      "state": "canceled",
      "at": "2026-11-29T22:38:42.549Z"
     }
    ],
    "createdAt": "2026-11-29T22:38:42.537Z",
    "expiresAt": "2026-11-29T23:38:42.000Z",
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
    "publicUrl": "http://127.0.0.1:44495",
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
    "id": "eml_8e6e6f136c804f391588680d",
    "address": "anna@shop.example",
    "events": [
     "webhook.paused"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-29T22:38:42.995Z",
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
    "id": "lst_e818ae6f13b431fd7919e2c6",
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
     "nextAt": "2026-11-29T22:38:43.342Z",
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
    "createdAt": "2026-11-29T22:38:43.280Z",
    "updatedAt": "2026-11-29T22:38:43.342Z"
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
    "linkedAt": "2026-11-29T22:38:42.411Z"
   }
  },
  "request": {
   "role": "developer",
   "stepUp": {
    "requestId": "sgn_39831fd523d540be1df867278af89ff4",
    "signature": "0x72a219e40069cf73f00146b8179d87d66e402524748308a79fc970ae4ee5412e78b3c5c94632e7cf193f44353ccc1cc44efcda1498be98e91306f374fd8bbaa21c"
   }
  }
 },
 "changeWebhook": {
  "responses": {
   "200": {
    "id": "whk_4344b04362894219261695a7",
    "url": "http://127.0.0.1:39473/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T22:38:42.949Z",
    "disabledAt": "2026-11-29T22:38:42.977Z",
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
    "id": "lst_e818ae6f13b431fd7919e2c6",
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
     "checkedAt": "2026-11-29T22:38:43.417Z",
     "triedAt": "2026-11-29T22:38:43.417Z",
     "passedAt": null,
     "nextAt": "2026-11-29T23:38:29.586Z",
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
    "createdAt": "2026-11-29T22:38:43.280Z",
    "updatedAt": "2026-11-29T22:38:43.342Z"
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
    "expiresAt": "2026-12-06T22:38:41.198Z",
    "accounts": []
   }
  },
  "request": {
   "requestId": "sgn_71ba725e72d450d10747438a8b95a49f",
   "signature": "0xff4453b8e4034463953e5b9eb04fb3597f25c8cc30f4ab457933aa47e50ca49d339b75a9131f2e78ab6fd339362d570fcd098ef83b1403a209101a52aac0c74c1c"
  }
 },
 "createKey": {
  "responses": {
   "201": {
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "id": "FySwh3OcTIRr",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "yEcd",
    "createdAt": "2026-11-29T22:38:41.214Z",
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
    "requestId": "sgn_e9678832e152b13da57fa314c33b9091",
    "signature": "0xfd75ddb1e0a28d3bdab98491ead34cfee30593f3c643776615c9aeccbb0cc3937fe453ffdcfd1cb17b390465ba594dadb3c65af449b6273a77ddf080f4627c1a1b"
   }
  }
 },
 "createListing": {
  "responses": {
   "201": {
    "id": "lst_e818ae6f13b431fd7919e2c6",
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
     "nextAt": "2026-11-29T22:38:43.280Z",
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
    "createdAt": "2026-11-29T22:38:43.280Z",
    "updatedAt": "2026-11-29T22:38:43.280Z"
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
    "id": "pur_5863b0a87913f8c71a53d4b00c67cd12",
    "state": "awaiting_payment",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": "0x84d1f59d5ad1796aebf12b8fb57f29fc5948e10ba9e368f768ef1fe626fec62f",
    "validAfter": "0",
    "validBefore": "1795995522",
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
      "validBefore": "1795995522",
      "nonce": "0x84d1f59d5ad1796aebf12b8fb57f29fc5948e10ba9e368f768ef1fe626fec62f"
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
      "at": "2026-11-29T22:38:42.537Z"
     }
    ],
    "createdAt": "2026-11-29T22:38:42.537Z",
    "expiresAt": "2026-11-29T23:38:42.000Z",
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
    "id": "whk_4344b04362894219261695a7",
    "url": "http://127.0.0.1:39473/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T22:38:42.949Z",
    "disabledAt": null,
    "disabledBy": null,
    "secret": "whsec_00000000000000000000000000000000000000000000"
   }
  },
  "request": {
   "url": "http://127.0.0.1:39473/hook",
   "events": [
    "settlement.confirmed"
   ],
   "stepUp": {
    "requestId": "sgn_943411dc68387e28cade1d9877c534ae",
    "signature": "0x66f08ebd39f18a9b9d93f6cdbf50f343c161592ca8089fe1846d364cbec3de4a101715fc5b39a1b8ce0d664f7c11a3cb405f47d9fba198c39d7c435a93a2e1511c"
   }
  }
 },
 "enableWebhook": {
  "responses": {
   "200": {
    "id": "whk_4344b04362894219261695a7",
    "url": "http://127.0.0.1:39473/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-29T22:38:42.949Z",
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
    "requestId": "sgn_0a202419ef1755b334451874cce0480a",
    "signature": "0xedf2c8e25115a170deaff03a26f3e1202bb9f82f3f095fe9cf9ddb9537d77ac14dc96b92dbc51458dabae09f0e81ddbac9533dc59f5e0d679be668bf35bf634b1b"
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
    "invitedAt": "2026-11-29T22:38:42.378Z",
    "expiresAt": "2026-12-06T22:38:42.378Z"
   }
  },
  "request": {
   "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
   "role": "read_only",
   "chainId": null,
   "stepUp": {
    "requestId": "sgn_36c131a13d341636b9ce0fc1debcdd07",
    "signature": "0xe19129fdfd08492bcf2ec263b647ccd4021f52c7b3b5af230c6ee1891fac4c3867226cdb0cc1bf0385961befbaab35556ccdec5a4e43d9f0d88b417ce271451d1c"
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
    "linkedAt": "2026-11-29T22:38:42.411Z"
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
    "linkedAt": "2026-11-29T22:38:42.452Z"
   }
  },
  "request": {
   "requestId": "sgn_b7952700ed28f3400ee3dfc1e27fbb0c",
   "signature": "0x2b5831866986f8d7e7fd3c955aaa54676a6b608f1ef3de531c2f6b6b9d62bdcb48c0137f0df811e16c6bd7dd126a63b3330dbbe0d8f7906a4a57000c2a6245741c",
   "stepUp": {
    "requestId": "sgn_2a70f3d30201d07bc89cbce6d969871c",
    "signature": "0xc2885731e7185243604cc0d46ed7a30bd95d0efd75b580f9a17ff988ad71ae0c49ac85bf8485911dde6cbb1584df657ca7b2bf5c7805eeaf13e11ff3c14c349e1b"
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
      "x": "Wews2oDHWsBdAXSvDR0GTkddOduyyP21k9-_UMe27_I",
      "kid": "OmLTkDU-GapmHWQRBH3DP3PIR4sSMtdhImjPMF3waLc",
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
      "openedAt": "2026-11-29T22:38:42.053Z",
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
      "firstAt": "2026-11-29T22:38:41.281Z",
      "lastAt": "2026-11-29T22:38:41.534Z"
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
      "id": "evt_9848130eb7ae2af626f3eca5029f28b0",
      "type": "webhook.test",
      "state": "pending",
      "attempts": 0,
      "nextAt": "2026-11-29T22:38:42.956Z",
      "lastStatus": null,
      "lastError": null,
      "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-29T22:38:42.956Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_4344b04362894219261695a7\"}}",
      "createdAt": "2026-11-29T22:38:42.956Z",
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
      "id": "eml_8e6e6f136c804f391588680d",
      "address": "anna@shop.example",
      "events": [
       "credits.low"
      ],
      "state": "unconfirmed",
      "pausedBy": null,
      "createdAt": "2026-11-29T22:38:42.995Z",
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
      "invitedAt": "2026-11-29T22:38:42.378Z",
      "expiresAt": "2026-12-06T22:38:42.378Z"
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
      "id": "Fa2YVvOSir9Y",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "Uu9H",
      "createdAt": "2026-11-29T22:38:42.500Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": null,
      "status": "active"
     },
     {
      "id": "HbezCHF10QhA",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "9Qj8",
      "createdAt": "2026-11-29T22:38:42.493Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": "2026-11-29T23:38:42.500Z",
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
      "settlementId": "stl_38b8a4d7000f0102eb9fdc8f5edc13b7",
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-29T22:38:42.053Z"
     },
     {
      "id": 7,
      "kind": "hold",
      "credits": -1,
      "balanceAfter": 17,
      "settlementId": "stl_38b8a4d7000f0102eb9fdc8f5edc13b7",
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-29T22:38:42.015Z"
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
      "id": "lst_e818ae6f13b431fd7919e2c6",
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
       "checkedAt": "2026-11-29T22:38:43.297Z",
       "triedAt": "2026-11-29T22:38:43.297Z",
       "passedAt": null,
       "nextAt": "2026-11-29T22:49:21.795Z",
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
      "createdAt": "2026-11-29T22:38:43.280Z",
      "updatedAt": "2026-11-29T22:38:43.280Z"
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
      "invitedAt": "2026-11-29T22:38:42.378Z",
      "expiresAt": "2026-12-06T22:38:42.378Z"
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
      "id": "pur_1c64fec3ff5cc613068298181a43081b",
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
      "settlementId": "stl_e41fc36843f704877b268273285b44b2",
      "transaction": null,
      "explorer": null,
      "timeline": [
       {
        "state": "awaiting_payment",
        "at": "2026-11-29T22:38:42.560Z"
       },
       {
        "state": "settling",
        "at": "2026-11-29T22:38:42.565Z"
       }
      ],
      "createdAt": "2026-11-29T22:38:42.560Z",
      "expiresAt": "2026-11-29T23:38:42.000Z",
      "creditedAt": null,
      "contact": null
     }
    ],
    "next": "1795991922537.pur_5863b0a87913f8c71a53d4b00c67cd12"
   }
  }
 },
 "listRequests": {
  "responses": {
   "200": {
    "requests": [],
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
      "id": "ses_ad4e409ad18b44466e9f55c3",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-29T22:38:42.066Z",
      "lastSeenAt": "2026-11-29T22:38:42.066Z",
      "expiresAt": "2026-12-06T22:38:42.066Z",
      "isCurrent": true
     },
     {
      "id": "ses_abc002fd2681dd37a0e9275a",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-29T22:38:41.933Z",
      "lastSeenAt": "2026-11-29T22:38:41.933Z",
      "expiresAt": "2026-12-06T22:38:41.933Z",
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
      "id": "stl_38b8a4d7000f0102eb9fdc8f5edc13b7",
      "state": "confirmed",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
      "amount": "100000",
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "keyId": "lrXezeGXIVsG",
      "credits": 1,
      "createdAt": "2026-11-29T22:38:42.015Z",
      "confirmedAt": "2026-11-29T22:38:42.053Z",
      "finalizedAt": "2026-11-29T22:38:42.662Z",
      "failure": null,
      "resource": null,
      "route": null,
      "reference": null,
      "refundOf": null,
      "recoveredAt": null
     }
    ],
    "next": "1795991921534.stl_7ee39b181f4e93bc86a9c0a6c15bc3d9"
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
      "linkedAt": "2026-11-29T22:38:42.452Z"
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
      "id": "whk_4344b04362894219261695a7",
      "url": "http://127.0.0.1:39473/hook",
      "events": [
       "settlement.confirmed"
      ],
      "createdAt": "2026-11-29T22:38:42.949Z",
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
    "id": "pur_1c64fec3ff5cc613068298181a43081b",
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
    "settlementId": "stl_e41fc36843f704877b268273285b44b2",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T22:38:42.560Z"
     },
     {
      "state": "settling",
      "at": "2026-11-29T22:38:42.565Z"
     }
    ],
    "createdAt": "2026-11-29T22:38:42.560Z",
    "expiresAt": "2026-11-29T23:38:42.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "signature": "0xbc21e348a3ee36bd68103682f6dc4ed19dfba66b47bcb51e38f27b150fb9d8dc0a34fa7de3c4aab53607c194e4942b203a97ca78ca17ae872cf90723e39895b01b"
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
    "publicUrl": "http://127.0.0.1:44495",
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
    "openedAt": "2026-11-29T22:38:42.053Z",
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
    "id": "lst_e818ae6f13b431fd7919e2c6",
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
     "checkedAt": "2026-11-29T22:38:43.297Z",
     "triedAt": "2026-11-29T22:38:43.297Z",
     "passedAt": null,
     "nextAt": "2026-11-29T22:49:21.795Z",
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
    "createdAt": "2026-11-29T22:38:43.280Z",
    "updatedAt": "2026-11-29T22:38:43.280Z"
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
    "id": "pur_1c64fec3ff5cc613068298181a43081b",
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
    "settlementId": "stl_e41fc36843f704877b268273285b44b2",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-29T22:38:42.560Z"
     },
     {
      "state": "settling",
      "at": "2026-11-29T22:38:42.565Z"
     }
    ],
    "createdAt": "2026-11-29T22:38:42.560Z",
    "expiresAt": "2026-11-29T23:38:42.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "readRequest": {
  "responses": {
   "200": {
    "requestId": "req_c9fef86bb4644e23a3d3178cf728c370",
    "createdAt": "2026-11-29T22:38:42.008Z",
    "method": "POST",
    "path": "/settle",
    "status": 200,
    "durationMs": 53,
    "code": null,
    "message": null,
    "result": null,
    "settlementId": null,
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "key": {
     "id": "lrXezeGXIVsG",
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
    "id": "stl_833334ea59e59ebee2648500038d010a",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x44ad99448bae2f4fae5c0c40a6ed016d66f92f0de895310014e4ec9ed76ea1a0",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_833334ea59e59ebee2648500038d010a",
     "nonce": "0x00000000000000000000000000000000000001a22975dea50000000000000001",
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
    "createdAt": "2026-11-29T22:38:41.281Z",
    "submittedAt": "2026-11-29T22:38:41.295Z",
    "confirmedAt": "2026-11-29T22:38:41.503Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiT21MVGtEVS1HYXBtSFdRUkJIM0RQM1BJUjRzU010ZGhJbWpQTUYzd2FMYyJ9.eyJpYXQiOjE3OTU5OTE5MjEsInNldHRsZW1lbnRJZCI6InN0bF84MzMzMzRlYTU5ZTU5ZWJlZTI2NDg1MDAwMzhkMDEwYSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjk3NWRlYTUwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDQ0YWQ5OTQ0OGJhZTJmNGZhZTVjMGM0MGE2ZWQwMTZkNjZmOTJmMGRlODk1MzEwMDE0ZTRlYzllZDc2ZWExYTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MzU1NjA5NjZhMjczYmUwMWU0MTQ4NTI1YWIzYTllODFkYmM1MGMxMjViYjYwYmM3Nzc2OTMyZTQ3OTI4ZWU0NiIsImZpbmFsaXplZCI6ZmFsc2V9.BArtNf6NbnSxd7nLz-hK19Vef4Gkdcv7MqE0VDjt8qChfunvcVrrd0QONYbz8VH_SM2w2w0YPvVEXg9jKqNaBA"
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
    "id": "stl_38b8a4d7000f0102eb9fdc8f5edc13b7",
    "state": "confirmed",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
    "amount": "100000",
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "keyId": "lrXezeGXIVsG",
    "credits": 1,
    "createdAt": "2026-11-29T22:38:42.015Z",
    "confirmedAt": "2026-11-29T22:38:42.053Z",
    "finalizedAt": "2026-11-29T22:38:42.662Z",
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
      "at": "2026-11-29T22:38:42.015Z"
     },
     {
      "what": "submitted",
      "at": "2026-11-29T22:38:42.019Z"
     }
    ],
    "gasUsed": 158380,
    "gasPaidWei": "1979750000000000",
    "sharedBy": 1,
    "blockNumber": 7,
    "logIndex": 0,
    "settledBy": "relayer",
    "requestId": "req_c9fef86bb4644e23a3d3178cf728c370",
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
      "headAgeSeconds": 0,
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
    "refundOf": "stl_833334ea59e59ebee2648500038d010a"
   }
  },
  "request": {
   "settlementId": "stl_833334ea59e59ebee2648500038d010a",
   "signature": "0x3c6faab70130db9bb51f6853d0dc917c739fa20663898a67b5c387bc634c4f56076f572b1e0bfb8d682230442ccf9e96db8cb233625f2762415ed5d73167725a1c",
   "authorization": {
    "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "value": "10000",
    "validAfter": "0",
    "validBefore": "1795995521",
    "nonce": "0x00000000000000000000000000000000000001a22975dea50000000000000001"
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
    "id": "evt_9848130eb7ae2af626f3eca5029f28b0",
    "type": "webhook.test",
    "state": "pending",
    "attempts": 0,
    "nextAt": "2026-11-29T22:38:42.971Z",
    "lastStatus": null,
    "lastError": null,
    "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-29T22:38:42.956Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_4344b04362894219261695a7\"}}",
    "createdAt": "2026-11-29T22:38:42.956Z",
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
    "id": "Fa2YVvOSir9Y",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "Uu9H",
    "createdAt": "2026-11-29T22:38:42.500Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "overlap": "1h",
   "stepUp": {
    "requestId": "sgn_30c545dd6bdd5ba1264f2f2896f34edb",
    "signature": "0x853dfa604c7cd82a4c4a0e45a39d4a9ebfcc811548c53abb1e7f9e8b8117e76e31d413b0f20e355db9ba20e135e261878ab42623844e7869994ae176b2e09bb41b"
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
    "id": "stl_833334ea59e59ebee2648500038d010a",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x44ad99448bae2f4fae5c0c40a6ed016d66f92f0de895310014e4ec9ed76ea1a0",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_833334ea59e59ebee2648500038d010a",
     "nonce": "0x00000000000000000000000000000000000001a22975dea50000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiT21MVGtEVS1HYXBtSFdRUkJIM0RQM1BJUjRzU010ZGhJbWpQTUYzd2FMYyJ9.eyJpYXQiOjE3OTU5OTE5MjEsInNldHRsZW1lbnRJZCI6InN0bF84MzMzMzRlYTU5ZTU5ZWJlZTI2NDg1MDAwMzhkMDEwYSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjk3NWRlYTUwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDQ0YWQ5OTQ0OGJhZTJmNGZhZTVjMGM0MGE2ZWQwMTZkNjZmOTJmMGRlODk1MzEwMDE0ZTRlYzllZDc2ZWExYTAiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MzU1NjA5NjZhMjczYmUwMWU0MTQ4NTI1YWIzYTllODFkYmM1MGMxMjViYjYwYmM3Nzc2OTMyZTQ3OTI4ZWU0NiIsImZpbmFsaXplZCI6ZmFsc2V9.BArtNf6NbnSxd7nLz-hK19Vef4Gkdcv7MqE0VDjt8qChfunvcVrrd0QONYbz8VH_SM2w2w0YPvVEXg9jKqNaBA"
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
     "signature": "0x3c6faab70130db9bb51f6853d0dc917c739fa20663898a67b5c387bc634c4f56076f572b1e0bfb8d682230442ccf9e96db8cb233625f2762415ed5d73167725a1c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795995521",
      "nonce": "0x00000000000000000000000000000000000001a22975dea50000000000000001"
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
    "id": "evt_9848130eb7ae2af626f3eca5029f28b0"
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
    "requestId": "sgn_ffaee6dd015e0e0011d1c2604a0621c5",
    "signature": "0x136b4d6c93e82ceb52974ce7337c640628f19a277aff23e69f580ae521151a3654251b5a49055ac3072743c972dc2aa7e489feef8d0a83720dbaa4c8e8c56a761b"
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
     "signature": "0x3c6faab70130db9bb51f6853d0dc917c739fa20663898a67b5c387bc634c4f56076f572b1e0bfb8d682230442ccf9e96db8cb233625f2762415ed5d73167725a1c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1795995521",
      "nonce": "0x00000000000000000000000000000000000001a22975dea50000000000000001"
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
