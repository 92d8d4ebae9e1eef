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
    "id": "eml_dbf06cd30bfdbe6eea77388c",
    "address": "anna@shop.example",
    "events": [
     "credits.low"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T03:49:33.151Z",
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
    "requestId": "sgn_2a3b8cd27f8d1515ab6d02a04b10aa7a",
    "message": "127.0.0.1:36975 wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nLet this wallet sign in and pay for the account 0x7A11830374F9a3aA26C125CAa932520D984B1024. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36975/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 1ee769204948018e3371781991a96398\nIssued At: 2026-11-30T03:49:30.537Z\nExpiration Time: 2026-11-30T03:59:30.537Z\nRequest ID: sgn_2a3b8cd27f8d1515ab6d02a04b10aa7a",
    "expiresAt": "2026-11-30T03:59:30.537Z"
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
    "requestId": "sgn_fca820059d26aac900ac4ab436039ac0",
    "message": "127.0.0.1:36975 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nAccount 0x7A11830374F9a3aA26C125CAa932520D984B1024: create the API key 'shop' for test payments, which does not expire. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36975/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 13eb279c96cf992698cc2e5c283ef57a\nIssued At: 2026-11-30T03:49:28.165Z\nExpiration Time: 2026-11-30T03:59:28.165Z\nRequest ID: sgn_fca820059d26aac900ac4ab436039ac0\nResources:\n- http://127.0.0.1:36975/account/facilitator#create_key&expiresInDays=null&label=shop&mode=test",
    "expiresAt": "2026-11-30T03:59:28.165Z"
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
    "settlementId": "stl_e453ee866ecaf7abce49f182a22007de",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiUW9EOWZHTjJKR2c2SG5PcVk2ZHh1RE5MOFNKOXViZVQ5WUFZSF82ZHNsdyJ9.eyJpYXQiOjE3OTYwMTA1NjgsInNldHRsZW1lbnRJZCI6InN0bF9lNDUzZWU4NjZlY2FmN2FiY2U0OWYxODJhMjIwMDdkZSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMmE5MjU4ZWMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDkwZGQ4YzY4NzYyYTBhMzZlNWYyM2Y4MmJiNDYwNGRkYjM4Nzg5MzdiZmRiMjQwNjRiYzllYzMyNzNlOWY5YzMiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MmNjOTllZTMzMTNmYjFmOWRhYjJiYWMwNjc3ZWZlYmYxNGExZmRkNWRhNDM0ZThlZDYzMDVjYjIxY2M0ZjBlNyIsImZpbmFsaXplZCI6ZmFsc2V9.h_hUDgBTSt6iBPQ_2lU0D6n_b_1lYDmLSKG3kHiroL8EZsLA9JtTqtRmPFjbfycVw1XHTc_D31AaNASuJ0TSAg"
   }
  }
 },
 "beginSignIn": {
  "responses": {
   "200": {
    "requestId": "sgn_116c6961289c5a1a9b6454608608339d",
    "message": "127.0.0.1:36975 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nSign in to the facilitator. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:36975/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: a3bf64a41a6acdb7c271848d5335e8d7\nIssued At: 2026-11-30T03:49:28.140Z\nExpiration Time: 2026-11-30T03:59:28.140Z\nRequest ID: sgn_116c6961289c5a1a9b6454608608339d",
    "expiresAt": "2026-11-30T03:59:28.140Z"
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
    "keyId": "L3QdVpKHsxTU",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_9ddbb18f7507184be117d47749c49235",
    "state": "settling",
    "settlementId": "stl_eaece403a6e85d68c9972b96571756cd",
    "transaction": "0xe3c67ffa5b663dfc9ce993e344feb8114832cec6c80e5d3ac107506e3006af26",
    "nextStep": "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one."
   },
   "201": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "keyId": "L3QdVpKHsxTU",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_9ddbb18f7507184be117d47749c49235",
    "state": "settling",
    "settlementId": "stl_eaece403a6e85d68c9972b96571756cd",
    "transaction": "0xe3c67ffa5b663dfc9ce993e344feb8114832cec6c80e5d3ac107506e3006af26",
    "nextStep": "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds."
   }
  }
 },
 "cancelPurchase": {
  "responses": {
   "200": {
    "id": "pur_6895534b504b63710f77f24df7767d56",
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
      "at": "2026-11-30T03:49:30.904Z"
     },
     {
      "state": "canceled",
      "at": "2026-11-30T03:49:31.050Z"
     }
    ],
    "createdAt": "2026-11-30T03:49:30.904Z",
    "expiresAt": "2026-11-30T04:49:30.000Z",
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
    "publicUrl": "http://127.0.0.1:36975",
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
    "id": "eml_dbf06cd30bfdbe6eea77388c",
    "address": "anna@shop.example",
    "events": [
     "webhook.paused"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T03:49:33.151Z",
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
    "id": "lst_9fc2ebf3d88a9216405cc09d",
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
     "nextAt": "2026-11-30T03:49:34.122Z",
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
    "createdAt": "2026-11-30T03:49:33.813Z",
    "updatedAt": "2026-11-30T03:49:34.122Z"
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
    "linkedAt": "2026-11-30T03:49:30.501Z"
   }
  },
  "request": {
   "role": "developer",
   "stepUp": {
    "requestId": "sgn_22821a1e0e5b8bcfade84b4046f72bc5",
    "signature": "0x9581fb72af9f7a851211bc92b8d44e3ac310cee7865cfdcb7ebb4260f0867e0e1ced08d6fefd071a8117f86c6457740b96d634109ebbfa898be423f85dbcdb6c1c"
   }
  }
 },
 "changeWebhook": {
  "responses": {
   "200": {
    "id": "whk_a0b8ec87311e4328b5426f3a",
    "url": "http://127.0.0.1:40065/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T03:49:33.070Z",
    "disabledAt": "2026-11-30T03:49:33.117Z",
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
    "id": "lst_9fc2ebf3d88a9216405cc09d",
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
     "checkedAt": "2026-11-30T03:49:34.211Z",
     "triedAt": "2026-11-30T03:49:34.211Z",
     "passedAt": null,
     "nextAt": "2026-11-30T04:49:54.232Z",
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
    "createdAt": "2026-11-30T03:49:33.813Z",
    "updatedAt": "2026-11-30T03:49:34.122Z"
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
    "expiresAt": "2026-12-07T03:49:28.153Z",
    "accounts": []
   }
  },
  "request": {
   "requestId": "sgn_116c6961289c5a1a9b6454608608339d",
   "signature": "0x7938a37c77c492543d3a2ac9d69d7098008019e7bd71f0cb83683019f5de8e8142ace556bfc95e21b6be5a6cef12c9f639c71eb17954a4bfaf581ee8f68b7db31b"
  }
 },
 "countRequests": {
  "responses": {
   "200": {
    "hours": [
     {
      "from": "2026-11-29T04:00:00.000Z",
      "answered": 0,
      "refused": 0,
      "failed": 0
     },
     {
      "from": "2026-11-29T05:00:00.000Z",
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
    "id": "74jEcYfQPdG2",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "xc4X",
    "createdAt": "2026-11-30T03:49:28.173Z",
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
    "requestId": "sgn_fca820059d26aac900ac4ab436039ac0",
    "signature": "0xce2db10a09fc25326274996462680398fdae73d9d9e83c25141b576cbcdbd4b248d78b229a7c4e21c840028c69260f2090dbfcdeb54763092701ba2795bdf5911b"
   }
  }
 },
 "createListing": {
  "responses": {
   "201": {
    "id": "lst_9fc2ebf3d88a9216405cc09d",
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
     "nextAt": "2026-11-30T03:49:33.813Z",
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
    "createdAt": "2026-11-30T03:49:33.813Z",
    "updatedAt": "2026-11-30T03:49:33.813Z"
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
    "id": "pur_6895534b504b63710f77f24df7767d56",
    "state": "awaiting_payment",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": "0x00400fe7d80dcfd0d31b93f9131c001949a7bd057f1bf458a1b10cbf5c2a6dcc",
    "validAfter": "0",
    "validBefore": "1796014170",
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
      "validBefore": "1796014170",
      "nonce": "0x00400fe7d80dcfd0d31b93f9131c001949a7bd057f1bf458a1b10cbf5c2a6dcc"
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
      "at": "2026-11-30T03:49:30.904Z"
     }
    ],
    "createdAt": "2026-11-30T03:49:30.904Z",
    "expiresAt": "2026-11-30T04:49:30.000Z",
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
    "id": "whk_a0b8ec87311e4328b5426f3a",
    "url": "http://127.0.0.1:40065/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T03:49:33.070Z",
    "disabledAt": null,
    "disabledBy": null,
    "secret": "whsec_00000000000000000000000000000000000000000000"
   }
  },
  "request": {
   "url": "http://127.0.0.1:40065/hook",
   "events": [
    "settlement.confirmed"
   ],
   "stepUp": {
    "requestId": "sgn_413d5137d19aa72a16da47e2144d0aa2",
    "signature": "0x5229b53497e38bd0472a5035df290f09c66b2b7983d72e1e2824a3fae7c42147292ac2ecafef61f3f1d0b9236bab6b55c0c2bdf363848cacfb006508013060d11c"
   }
  }
 },
 "enableWebhook": {
  "responses": {
   "200": {
    "id": "whk_a0b8ec87311e4328b5426f3a",
    "url": "http://127.0.0.1:40065/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T03:49:33.070Z",
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
    "requestId": "sgn_f9adb4a8d9bedbed694c523663311782",
    "signature": "0x7a458eb274e10d3080e64311aa091fab46c57d1c9acff42ea241025abf3f6af31696a888dbe0f2140a646db9868bed7eedd48d22e55ec439af410b28d0fe388c1b"
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
    "invitedAt": "2026-11-30T03:49:30.454Z",
    "expiresAt": "2026-12-07T03:49:30.454Z"
   }
  },
  "request": {
   "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
   "role": "read_only",
   "chainId": null,
   "stepUp": {
    "requestId": "sgn_cd4d82045412e83555007adb84b02b9a",
    "signature": "0x4584790879e698c97fdb0371c97237d5b7026c2b502ab0eeb3a68b192fce9d17691d2cabfc5163996325336c7c55a5de8b36358cd28a161faed55940644fd3aa1c"
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
    "linkedAt": "2026-11-30T03:49:30.501Z"
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
    "linkedAt": "2026-11-30T03:49:30.546Z"
   }
  },
  "request": {
   "requestId": "sgn_2a3b8cd27f8d1515ab6d02a04b10aa7a",
   "signature": "0xe6adbbc7e15eae73e93dcd3ee82ce8d958ebdf0501c70f6fada14f945983bd213db58887a56449bc920cf7daf82e792368c4805d28f1b16de71c1ad2fbb459261c",
   "stepUp": {
    "requestId": "sgn_ae1e55d77a9cab8b4c3619de1d0c54dc",
    "signature": "0xd1f365fd1c2ae58671f8a25ba194e2dbb0f446c4a7396da27eba2df41b31c80c6740a6dc2759fdfea9db14e04535552d27ee5e6d3c90e108e9844441f8504a691c"
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
      "x": "yAZYaLrXtEi0pH-LS4ORA5elhKmDnZIXHe9KKZY7KaI",
      "kid": "QoD9fGN2JGg6HnOqY6dxuDNL8SJ9ubeT9YAYH_6dslw",
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
      "openedAt": "2026-11-30T03:49:29.838Z",
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
      "firstAt": "2026-11-30T03:49:28.288Z",
      "lastAt": "2026-11-30T03:49:28.581Z"
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
      "id": "evt_177b2072efcac348ba05bf439899dc8a",
      "type": "webhook.test",
      "state": "pending",
      "attempts": 0,
      "nextAt": "2026-11-30T03:49:33.078Z",
      "lastStatus": null,
      "lastError": null,
      "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T03:49:33.078Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_a0b8ec87311e4328b5426f3a\"}}",
      "createdAt": "2026-11-30T03:49:33.078Z",
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
      "id": "eml_dbf06cd30bfdbe6eea77388c",
      "address": "anna@shop.example",
      "events": [
       "credits.low"
      ],
      "state": "unconfirmed",
      "pausedBy": null,
      "createdAt": "2026-11-30T03:49:33.151Z",
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
      "invitedAt": "2026-11-30T03:49:30.454Z",
      "expiresAt": "2026-12-07T03:49:30.454Z"
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
      "id": "OVjQYbF57PWs",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "5Grm",
      "createdAt": "2026-11-30T03:49:30.680Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": null,
      "status": "active"
     },
     {
      "id": "cjHSU9c4xnvg",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "Smbw",
      "createdAt": "2026-11-30T03:49:30.656Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": "2026-11-30T04:49:30.680Z",
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
      "settlementId": "stl_f3294e2d38544ae38f9c2fbceff2ceb1",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T03:49:29.838Z"
     },
     {
      "id": 7,
      "kind": "hold",
      "credits": -1,
      "balanceAfter": 17,
      "settlementId": "stl_f3294e2d38544ae38f9c2fbceff2ceb1",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T03:49:29.798Z"
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
      "id": "lst_9fc2ebf3d88a9216405cc09d",
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
       "checkedAt": "2026-11-30T03:49:33.846Z",
       "triedAt": "2026-11-30T03:49:33.846Z",
       "passedAt": null,
       "nextAt": "2026-11-30T04:00:04.646Z",
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
      "createdAt": "2026-11-30T03:49:33.813Z",
      "updatedAt": "2026-11-30T03:49:33.813Z"
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
      "invitedAt": "2026-11-30T03:49:30.454Z",
      "expiresAt": "2026-12-07T03:49:30.454Z"
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
      "id": "pur_f6795f4d38f0bbb07e66b155fa398470",
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
      "settlementId": "stl_5739a206bc122e48fd3f63bfe1a16a04",
      "transaction": null,
      "explorer": null,
      "timeline": [
       {
        "state": "awaiting_payment",
        "at": "2026-11-30T03:49:31.086Z"
       },
       {
        "state": "settling",
        "at": "2026-11-30T03:49:31.095Z"
       }
      ],
      "createdAt": "2026-11-30T03:49:31.086Z",
      "expiresAt": "2026-11-30T04:49:31.000Z",
      "creditedAt": null,
      "contact": null
     }
    ],
    "next": "1796010570904.pur_6895534b504b63710f77f24df7767d56"
   }
  }
 },
 "listRequests": {
  "responses": {
   "200": {
    "requests": [
     {
      "requestId": "req_485ec83b1c464681a9378cd0564f9884",
      "createdAt": "2026-11-30T03:49:29.790Z",
      "method": "POST",
      "path": "/settle",
      "status": 200,
      "durationMs": 59,
      "code": null,
      "message": null,
      "result": null,
      "settlementId": null,
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "key": {
       "id": "6LF1OUqCmP1c",
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
      "requestId": "req_39d9499c27bb43b492471cc099e23f4f",
      "createdAt": "2026-11-30T03:49:29.786Z",
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
       "id": "6LF1OUqCmP1c",
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
      "id": "ses_f88b5c289066aa423cd4cec1",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T03:49:29.870Z",
      "lastSeenAt": "2026-11-30T03:49:29.870Z",
      "expiresAt": "2026-12-07T03:49:29.870Z",
      "isCurrent": true
     },
     {
      "id": "ses_ddfa57429fecfd6815250ea9",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T03:49:29.696Z",
      "lastSeenAt": "2026-11-30T03:49:29.696Z",
      "expiresAt": "2026-12-07T03:49:29.696Z",
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
      "id": "stl_f3294e2d38544ae38f9c2fbceff2ceb1",
      "state": "confirmed",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
      "amount": "100000",
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "keyId": "6LF1OUqCmP1c",
      "credits": 1,
      "createdAt": "2026-11-30T03:49:29.798Z",
      "confirmedAt": "2026-11-30T03:49:29.838Z",
      "finalizedAt": "2026-11-30T03:49:31.585Z",
      "failure": null,
      "resource": null,
      "route": null,
      "reference": null,
      "refundOf": null,
      "recoveredAt": null
     }
    ],
    "next": "1796010568581.stl_e91bc784724a1f3a4b089043c89251ef"
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
      "linkedAt": "2026-11-30T03:49:30.546Z"
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
      "id": "whk_a0b8ec87311e4328b5426f3a",
      "url": "http://127.0.0.1:40065/hook",
      "events": [
       "settlement.confirmed"
      ],
      "createdAt": "2026-11-30T03:49:33.070Z",
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
    "id": "pur_f6795f4d38f0bbb07e66b155fa398470",
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
    "settlementId": "stl_5739a206bc122e48fd3f63bfe1a16a04",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T03:49:31.086Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T03:49:31.095Z"
     }
    ],
    "createdAt": "2026-11-30T03:49:31.086Z",
    "expiresAt": "2026-11-30T04:49:31.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "signature": "0x1293f3ede271d2c0bd6f79c643b1b71d178a2ccfc4df80c0acfb1ef2875ff631709057389434760e4be0f182d74f1b932e3d34eb9da0df579ea269d27cb8fb561b"
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
    "publicUrl": "http://127.0.0.1:36975",
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
    "openedAt": "2026-11-30T03:49:29.838Z",
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
    "id": "lst_9fc2ebf3d88a9216405cc09d",
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
     "checkedAt": "2026-11-30T03:49:33.846Z",
     "triedAt": "2026-11-30T03:49:33.846Z",
     "passedAt": null,
     "nextAt": "2026-11-30T04:00:04.646Z",
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
    "createdAt": "2026-11-30T03:49:33.813Z",
    "updatedAt": "2026-11-30T03:49:33.813Z"
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
    "id": "pur_f6795f4d38f0bbb07e66b155fa398470",
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
    "settlementId": "stl_5739a206bc122e48fd3f63bfe1a16a04",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T03:49:31.086Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T03:49:31.095Z"
     }
    ],
    "createdAt": "2026-11-30T03:49:31.086Z",
    "expiresAt": "2026-11-30T04:49:31.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "readRequest": {
  "responses": {
   "200": {
    "requestId": "req_485ec83b1c464681a9378cd0564f9884",
    "createdAt": "2026-11-30T03:49:29.790Z",
    "method": "POST",
    "path": "/settle",
    "status": 200,
    "durationMs": 59,
    "code": null,
    "message": null,
    "result": null,
    "settlementId": null,
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "key": {
     "id": "6LF1OUqCmP1c",
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
    "id": "stl_e453ee866ecaf7abce49f182a22007de",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x90dd8c68762a0a36e5f23f82bb4604ddb3878937bfdb24064bc9ec3273e9f9c3",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_e453ee866ecaf7abce49f182a22007de",
     "nonce": "0x00000000000000000000000000000000000001a22a9258ec0000000000000001",
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
    "createdAt": "2026-11-30T03:49:28.288Z",
    "submittedAt": "2026-11-30T03:49:28.310Z",
    "confirmedAt": "2026-11-30T03:49:28.532Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiUW9EOWZHTjJKR2c2SG5PcVk2ZHh1RE5MOFNKOXViZVQ5WUFZSF82ZHNsdyJ9.eyJpYXQiOjE3OTYwMTA1NjgsInNldHRsZW1lbnRJZCI6InN0bF9lNDUzZWU4NjZlY2FmN2FiY2U0OWYxODJhMjIwMDdkZSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMmE5MjU4ZWMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDkwZGQ4YzY4NzYyYTBhMzZlNWYyM2Y4MmJiNDYwNGRkYjM4Nzg5MzdiZmRiMjQwNjRiYzllYzMyNzNlOWY5YzMiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MmNjOTllZTMzMTNmYjFmOWRhYjJiYWMwNjc3ZWZlYmYxNGExZmRkNWRhNDM0ZThlZDYzMDVjYjIxY2M0ZjBlNyIsImZpbmFsaXplZCI6ZmFsc2V9.h_hUDgBTSt6iBPQ_2lU0D6n_b_1lYDmLSKG3kHiroL8EZsLA9JtTqtRmPFjbfycVw1XHTc_D31AaNASuJ0TSAg"
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
    "id": "stl_f3294e2d38544ae38f9c2fbceff2ceb1",
    "state": "confirmed",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
    "amount": "100000",
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "keyId": "6LF1OUqCmP1c",
    "credits": 1,
    "createdAt": "2026-11-30T03:49:29.798Z",
    "confirmedAt": "2026-11-30T03:49:29.838Z",
    "finalizedAt": "2026-11-30T03:49:31.585Z",
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
      "at": "2026-11-30T03:49:29.798Z"
     },
     {
      "what": "submitted",
      "at": "2026-11-30T03:49:29.804Z"
     }
    ],
    "gasUsed": 158380,
    "gasPaidWei": "1979750000000000",
    "sharedBy": 1,
    "blockNumber": 7,
    "logIndex": 0,
    "settledBy": "relayer",
    "requestId": "req_485ec83b1c464681a9378cd0564f9884",
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
      ],
      "availability": {
       "last24Hours": {
        "measuredMinutes": 0,
        "availableMinutes": 0,
        "share": null
       },
       "last90Days": {
        "measuredMinutes": 0,
        "availableMinutes": 0,
        "share": null
       }
      }
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
    "refundOf": "stl_e453ee866ecaf7abce49f182a22007de"
   }
  },
  "request": {
   "settlementId": "stl_e453ee866ecaf7abce49f182a22007de",
   "signature": "0x96451db21ae5d570b7ed4891b30cd7c521949c89d338910ef8858a027c6148d6791af9deab6b01db78bea39578f1d86f1d877e4549b6f5b474b698fa1a267a941b",
   "authorization": {
    "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "value": "10000",
    "validAfter": "0",
    "validBefore": "1796014168",
    "nonce": "0x00000000000000000000000000000000000001a22a9258ec0000000000000001"
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
    "id": "evt_177b2072efcac348ba05bf439899dc8a",
    "type": "webhook.test",
    "state": "pending",
    "attempts": 0,
    "nextAt": "2026-11-30T03:49:33.106Z",
    "lastStatus": null,
    "lastError": null,
    "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T03:49:33.078Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_a0b8ec87311e4328b5426f3a\"}}",
    "createdAt": "2026-11-30T03:49:33.078Z",
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
    "id": "OVjQYbF57PWs",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "5Grm",
    "createdAt": "2026-11-30T03:49:30.680Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "overlap": "1h",
   "stepUp": {
    "requestId": "sgn_7b268ff3be0e9ab836178099045b8e4f",
    "signature": "0x65306bee37bdc0f8b3d08621f3d9509df2352e755c906f73585be5259ab47c5e217075d3eea28a998d6127431617cacc14fd6a71954e096cbe5436cebbcb51621b"
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
    "id": "stl_e453ee866ecaf7abce49f182a22007de",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x90dd8c68762a0a36e5f23f82bb4604ddb3878937bfdb24064bc9ec3273e9f9c3",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_e453ee866ecaf7abce49f182a22007de",
     "nonce": "0x00000000000000000000000000000000000001a22a9258ec0000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiUW9EOWZHTjJKR2c2SG5PcVk2ZHh1RE5MOFNKOXViZVQ5WUFZSF82ZHNsdyJ9.eyJpYXQiOjE3OTYwMTA1NjgsInNldHRsZW1lbnRJZCI6InN0bF9lNDUzZWU4NjZlY2FmN2FiY2U0OWYxODJhMjIwMDdkZSIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMmE5MjU4ZWMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDkwZGQ4YzY4NzYyYTBhMzZlNWYyM2Y4MmJiNDYwNGRkYjM4Nzg5MzdiZmRiMjQwNjRiYzllYzMyNzNlOWY5YzMiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4MmNjOTllZTMzMTNmYjFmOWRhYjJiYWMwNjc3ZWZlYmYxNGExZmRkNWRhNDM0ZThlZDYzMDVjYjIxY2M0ZjBlNyIsImZpbmFsaXplZCI6ZmFsc2V9.h_hUDgBTSt6iBPQ_2lU0D6n_b_1lYDmLSKG3kHiroL8EZsLA9JtTqtRmPFjbfycVw1XHTc_D31AaNASuJ0TSAg"
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
     "signature": "0x96451db21ae5d570b7ed4891b30cd7c521949c89d338910ef8858a027c6148d6791af9deab6b01db78bea39578f1d86f1d877e4549b6f5b474b698fa1a267a941b",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796014168",
      "nonce": "0x00000000000000000000000000000000000001a22a9258ec0000000000000001"
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
    "id": "evt_177b2072efcac348ba05bf439899dc8a"
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
    "requestId": "sgn_5c8c9ce4c918b91e623ad5d164a57ff9",
    "signature": "0x8b6387e3f17eb8ccd98ed4eda3d3b42e4b677d106f534ddd4ab1878640ebfa1e0d72e8c797eb4f42f2acc7c15bf5c055d7f67ee0f9c9473e0aafd63bfaa1a7591b"
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
     "signature": "0x96451db21ae5d570b7ed4891b30cd7c521949c89d338910ef8858a027c6148d6791af9deab6b01db78bea39578f1d86f1d877e4549b6f5b474b698fa1a267a941b",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796014168",
      "nonce": "0x00000000000000000000000000000000000001a22a9258ec0000000000000001"
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
