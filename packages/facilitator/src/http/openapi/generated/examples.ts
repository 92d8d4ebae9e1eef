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
    "id": "eml_dc3ffdfa3bac993144e7df31",
    "address": "anna@shop.example",
    "events": [
     "credits.low"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T00:11:43.879Z",
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
    "requestId": "sgn_47a04e8b5127bea0fcf4cdeb6353da09",
    "message": "127.0.0.1:35653 wants you to sign in with your Ethereum account:\n0x70997970C51812dc3A010C7d01b50e0d17dc79C8\n\nLet this wallet sign in and pay for the account 0x7A11830374F9a3aA26C125CAa932520D984B1024. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:35653/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: 64170cefb20130a964e3cf2d8832f639\nIssued At: 2026-11-30T00:11:41.851Z\nExpiration Time: 2026-11-30T00:21:41.851Z\nRequest ID: sgn_47a04e8b5127bea0fcf4cdeb6353da09",
    "expiresAt": "2026-11-30T00:21:41.851Z"
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
    "requestId": "sgn_65d1c0fdad33b800986f4c34ceec0015",
    "message": "127.0.0.1:35653 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nAccount 0x7A11830374F9a3aA26C125CAa932520D984B1024: create the API key 'shop' for test payments, which does not expire. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:35653/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: bc8dee8b6ab8e415393b66b1f50a2b59\nIssued At: 2026-11-30T00:11:36.329Z\nExpiration Time: 2026-11-30T00:21:36.329Z\nRequest ID: sgn_65d1c0fdad33b800986f4c34ceec0015\nResources:\n- http://127.0.0.1:35653/account/facilitator#create_key&expiresInDays=null&label=shop&mode=test",
    "expiresAt": "2026-11-30T00:21:36.329Z"
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
    "settlementId": "stl_ccb83aefb234613c97ced8f19d4a5d26",
    "format": "jws",
    "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiZEg0bU9nRGNlRnNxS1ExUlZFT015dUF5aU8tbk9WVHlSdHVnV1lsSzdIayJ9.eyJpYXQiOjE3OTU5OTc0OTcsInNldHRsZW1lbnRJZCI6InN0bF9jY2I4M2FlZmIyMzQ2MTNjOTdjZWQ4ZjE5ZDRhNWQyNiIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjljYWU5OGMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE2NTQwOGEwYmZjMjEzY2VhZTk1NGRmOTliYmM0MTQ1MjkyZWRlYjgzNWEzOGU2ZjI3MTVlN2RhNzQ5YmQyNTEiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZjQ0OGI1YjBjZGY4NGE5NDE3OTIyYzNmM2ZlYTE2ODQ5NmZiYTU0YWQ5YTFhMzc0NmI0ZWQ4ZmMzOGNjOTcxMSIsImZpbmFsaXplZCI6ZmFsc2V9.UGWVSkA-VWhr4jWERGugwbsh7bOkPoQOfR-fEe_4EOsfMBwIl-llLFPT5HnKzb_KHAjuoD8uKTxRZdZjFuemBQ"
   }
  }
 },
 "beginSignIn": {
  "responses": {
   "200": {
    "requestId": "sgn_12303efeba3478337b888efc16c9008b",
    "message": "127.0.0.1:35653 wants you to sign in with your Ethereum account:\n0x7A11830374F9a3aA26C125CAa932520D984B1024\n\nSign in to the facilitator. This is not a transaction and costs no fee.\n\nURI: http://127.0.0.1:35653/account/facilitator\nVersion: 1\nChain ID: 51\nNonce: ff59621648862645b7636fe652037548\nIssued At: 2026-11-30T00:11:36.310Z\nExpiration Time: 2026-11-30T00:21:36.310Z\nRequest ID: sgn_12303efeba3478337b888efc16c9008b",
    "expiresAt": "2026-11-30T00:21:36.310Z"
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
    "keyId": "mzYuA3cezF7c",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_c9085bb4fadfb89f69f2017931c4a3d7",
    "state": "settling",
    "settlementId": "stl_08d30d04e404cd1ee0f83598170be19d",
    "transaction": "0x09b4b3f3aadbbbcd13442006d640b4fbc56ee1ecc8c6f0433abf4f32703ef7f5",
    "nextStep": "A key is returned once. If it is lost, sign in with the wallet that paid, revoke it and create another one."
   },
   "201": {
    "account": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "keyId": "mzYuA3cezF7c",
    "mode": "test",
    "credits": 1000,
    "purchaseId": "pur_c9085bb4fadfb89f69f2017931c4a3d7",
    "state": "settling",
    "settlementId": "stl_08d30d04e404cd1ee0f83598170be19d",
    "transaction": "0x09b4b3f3aadbbbcd13442006d640b4fbc56ee1ecc8c6f0433abf4f32703ef7f5",
    "nextStep": "Store the key now; it is not shown again. The credits are there once the payment is final, within seconds."
   }
  }
 },
 "cancelPurchase": {
  "responses": {
   "200": {
    "id": "pur_9784440e36be94c0f282ff97fb03b3f2",
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
      "at": "2026-11-30T00:11:42.203Z"
     },
     {
      "state": "canceled",
      "at": "2026-11-30T00:11:42.233Z"
     }
    ],
    "createdAt": "2026-11-30T00:11:42.203Z",
    "expiresAt": "2026-11-30T01:11:42.000Z",
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
    "publicUrl": "http://127.0.0.1:35653",
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
    "id": "eml_dc3ffdfa3bac993144e7df31",
    "address": "anna@shop.example",
    "events": [
     "webhook.paused"
    ],
    "state": "unconfirmed",
    "pausedBy": null,
    "createdAt": "2026-11-30T00:11:43.879Z",
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
    "id": "lst_4f35aad51feea0144ba6d0df",
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
     "nextAt": "2026-11-30T00:11:44.792Z",
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
    "createdAt": "2026-11-30T00:11:44.506Z",
    "updatedAt": "2026-11-30T00:11:44.792Z"
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
    "linkedAt": "2026-11-30T00:11:41.692Z"
   }
  },
  "request": {
   "role": "developer",
   "stepUp": {
    "requestId": "sgn_7c4f0f85819a2c9b28def71be7d54ac4",
    "signature": "0xcc7e40b5969c7d95f281a74895095f609626d21329586e7ef05006a2e8732a854ede6636e8612ef181f471e1b13a5d2cb39b44ffcfa3513ed1c9540d565f1b8f1b"
   }
  }
 },
 "changeWebhook": {
  "responses": {
   "200": {
    "id": "whk_fa75931d9602f33b6bfd6940",
    "url": "http://127.0.0.1:45813/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:11:43.529Z",
    "disabledAt": "2026-11-30T00:11:43.714Z",
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
    "id": "lst_4f35aad51feea0144ba6d0df",
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
     "checkedAt": "2026-11-30T00:11:44.882Z",
     "triedAt": "2026-11-30T00:11:44.882Z",
     "passedAt": null,
     "nextAt": "2026-11-30T01:07:57.429Z",
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
    "createdAt": "2026-11-30T00:11:44.506Z",
    "updatedAt": "2026-11-30T00:11:44.792Z"
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
    "expiresAt": "2026-12-07T00:11:36.321Z",
    "accounts": []
   }
  },
  "request": {
   "requestId": "sgn_12303efeba3478337b888efc16c9008b",
   "signature": "0x962d06f4e5b254372674fae42a159cfd5f296ff15fa7e93af17a1c2fe09531a949dcefebbb2de7e5e82f06d3353fd4501f70b9f4db1fcc244d7cc8fefc955fe21b"
  }
 },
 "createKey": {
  "responses": {
   "201": {
    "key": "fk_test_0000000000000000000000000000000000000000000000000000000000000",
    "id": "cR6XWgEkFUPJ",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "HvEA",
    "createdAt": "2026-11-30T00:11:36.335Z",
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
    "requestId": "sgn_65d1c0fdad33b800986f4c34ceec0015",
    "signature": "0x029da831d45764bf1fbe03bc0d3db9d1d54bef154641bf62e22c9bb488d8e6210062c50523a278873ddd76e20b8fcb2b50f5fa06ed4dce79d4d3fc35ad40a76c1c"
   }
  }
 },
 "createListing": {
  "responses": {
   "201": {
    "id": "lst_4f35aad51feea0144ba6d0df",
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
     "nextAt": "2026-11-30T00:11:44.506Z",
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
    "createdAt": "2026-11-30T00:11:44.506Z",
    "updatedAt": "2026-11-30T00:11:44.506Z"
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
    "id": "pur_9784440e36be94c0f282ff97fb03b3f2",
    "state": "awaiting_payment",
    "credits": 1000,
    "amount": "1000000",
    "payer": "0x15d34AAf54267DB7D7c367839AAf71A00a2C6A65",
    "payTo": "0x8aC64Bc9B96c49bFB773163bBab9AebF8ff26Bd0",
    "chainId": 51,
    "network": "eip155:51",
    "nonce": "0xe92c18b2c0dc8874fb1d7e10add3ec0ab70189cc219e286cf1fe993fde8e3bdb",
    "validAfter": "0",
    "validBefore": "1796001102",
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
      "validBefore": "1796001102",
      "nonce": "0xe92c18b2c0dc8874fb1d7e10add3ec0ab70189cc219e286cf1fe993fde8e3bdb"
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
      "at": "2026-11-30T00:11:42.203Z"
     }
    ],
    "createdAt": "2026-11-30T00:11:42.203Z",
    "expiresAt": "2026-11-30T01:11:42.000Z",
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
    "id": "whk_fa75931d9602f33b6bfd6940",
    "url": "http://127.0.0.1:45813/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:11:43.529Z",
    "disabledAt": null,
    "disabledBy": null,
    "secret": "whsec_00000000000000000000000000000000000000000000"
   }
  },
  "request": {
   "url": "http://127.0.0.1:45813/hook",
   "events": [
    "settlement.confirmed"
   ],
   "stepUp": {
    "requestId": "sgn_8dee4310a2d475b5e1fbc078e1fa19f3",
    "signature": "0x0bf8e24d042adfa32a97c2061a1a6b1341f7488dc162e0c90bc4c88096dc8de05c9183f827edf1c331927427776f3d57194ba7fbe3ad022f15d235ed707f46a91b"
   }
  }
 },
 "enableWebhook": {
  "responses": {
   "200": {
    "id": "whk_fa75931d9602f33b6bfd6940",
    "url": "http://127.0.0.1:45813/hook",
    "events": [
     "settlement.confirmed"
    ],
    "createdAt": "2026-11-30T00:11:43.529Z",
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
    "requestId": "sgn_50c006aa9350e02e3398b0b71ee5140c",
    "signature": "0xe485d5940ac4a938519283932dd181fcc42a8bebb102aeec78757d2593785428221ee133db7e9d2ac6f62a25491581e36cf83f60234a29448bb1b252c11e17b81b"
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
    "invitedAt": "2026-11-30T00:11:41.567Z",
    "expiresAt": "2026-12-07T00:11:41.567Z"
   }
  },
  "request": {
   "address": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
   "role": "read_only",
   "chainId": null,
   "stepUp": {
    "requestId": "sgn_f8856c286b6fd6da5df4da4b53138733",
    "signature": "0xe1fc6a436339f18026358f8eebe3369dbea06e017b01b4906fba2754b87b209018a7a704c517e19c6c3c5cdb6282bd36023f3bd27314e41927959cc9422349bb1b"
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
    "linkedAt": "2026-11-30T00:11:41.692Z"
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
    "linkedAt": "2026-11-30T00:11:41.887Z"
   }
  },
  "request": {
   "requestId": "sgn_47a04e8b5127bea0fcf4cdeb6353da09",
   "signature": "0x250c7f4c336d1dd8ad303ada74ff687cc1129a34214b473def082c77938758a42e577c0643964d48e4b3aba3d7b172b5e856d505d149773c0a14cdf40b9057ea1b",
   "stepUp": {
    "requestId": "sgn_cead37744e9de4b23d196f9bb015c11b",
    "signature": "0x6fdf96af6da61a46be2cdf9148a2b5057a664fa4c9755429c5da9e33d9c29735524184aa3b80afa69787a3c15234688fe9f177462623691eeed25f713c3c55f91c"
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
      "x": "xKDsKY4fTljthnLSbiAgRVtZDs3R97wj89EClOJUYqk",
      "kid": "dH4mOgDceFsqKQ1RVEOMyuAyiO-nOVTyRtugWYlK7Hk",
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
      "openedAt": "2026-11-30T00:11:39.901Z",
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
      "firstAt": "2026-11-30T00:11:36.514Z",
      "lastAt": "2026-11-30T00:11:37.011Z"
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
      "id": "evt_44ed22f5d2e87663f6b5f640c78ef892",
      "type": "webhook.test",
      "state": "pending",
      "attempts": 0,
      "nextAt": "2026-11-30T00:11:43.557Z",
      "lastStatus": null,
      "lastError": null,
      "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T00:11:43.557Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_fa75931d9602f33b6bfd6940\"}}",
      "createdAt": "2026-11-30T00:11:43.557Z",
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
      "id": "eml_dc3ffdfa3bac993144e7df31",
      "address": "anna@shop.example",
      "events": [
       "credits.low"
      ],
      "state": "unconfirmed",
      "pausedBy": null,
      "createdAt": "2026-11-30T00:11:43.879Z",
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
      "invitedAt": "2026-11-30T00:11:41.567Z",
      "expiresAt": "2026-12-07T00:11:41.567Z"
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
      "id": "a0hLIo4dai0Q",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "hAvl",
      "createdAt": "2026-11-30T00:11:42.058Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": null,
      "status": "active"
     },
     {
      "id": "RWaTo74Z5VGj",
      "label": "shop",
      "mode": "test",
      "prefix": "fk_test_000000000000",
      "lastFour": "jC5b",
      "createdAt": "2026-11-30T00:11:42.031Z",
      "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "lastUsedAt": null,
      "expiresAt": "2026-11-30T01:11:42.058Z",
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
      "settlementId": "stl_2949c140232220fada40d3c787f77745",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T00:11:39.901Z"
     },
     {
      "id": 7,
      "kind": "hold",
      "credits": -1,
      "balanceAfter": 17,
      "settlementId": "stl_2949c140232220fada40d3c787f77745",
      "cost": 1,
      "resource": null,
      "route": null,
      "reference": null,
      "purchaseId": null,
      "note": null,
      "createdAt": "2026-11-30T00:11:39.852Z"
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
      "id": "lst_4f35aad51feea0144ba6d0df",
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
       "checkedAt": "2026-11-30T00:11:44.552Z",
       "triedAt": "2026-11-30T00:11:44.552Z",
       "passedAt": null,
       "nextAt": "2026-11-30T00:22:10.343Z",
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
      "createdAt": "2026-11-30T00:11:44.506Z",
      "updatedAt": "2026-11-30T00:11:44.506Z"
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
      "invitedAt": "2026-11-30T00:11:41.567Z",
      "expiresAt": "2026-12-07T00:11:41.567Z"
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
      "id": "pur_8749bcdeef45cdecdc2938580e3e6d31",
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
      "settlementId": "stl_a773c4049902e4883c3324c1e0a445ae",
      "transaction": null,
      "explorer": null,
      "timeline": [
       {
        "state": "awaiting_payment",
        "at": "2026-11-30T00:11:42.305Z"
       },
       {
        "state": "settling",
        "at": "2026-11-30T00:11:42.327Z"
       }
      ],
      "createdAt": "2026-11-30T00:11:42.305Z",
      "expiresAt": "2026-11-30T01:11:42.000Z",
      "creditedAt": null,
      "contact": null
     }
    ],
    "next": "1795997502203.pur_9784440e36be94c0f282ff97fb03b3f2"
   }
  }
 },
 "listRequests": {
  "responses": {
   "200": {
    "requests": [
     {
      "requestId": "req_b160f7f25c734584868588c90cfa6773",
      "createdAt": "2026-11-30T00:11:39.832Z",
      "method": "POST",
      "path": "/settle",
      "status": 200,
      "durationMs": 91,
      "code": null,
      "message": null,
      "result": null,
      "settlementId": null,
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "key": {
       "id": "Dj6rVmPjldns",
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
      "requestId": "req_d9a19a6c14104e3b914ec17a0a022133",
      "createdAt": "2026-11-30T00:11:39.811Z",
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
       "id": "Dj6rVmPjldns",
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
      "id": "ses_05aa8d7db60d1f524f69e7e4",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T00:11:39.947Z",
      "lastSeenAt": "2026-11-30T00:11:39.947Z",
      "expiresAt": "2026-12-07T00:11:39.947Z",
      "isCurrent": true
     },
     {
      "id": "ses_0c83f986e92c08a0fe89148c",
      "wallet": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "createdAt": "2026-11-30T00:11:39.436Z",
      "lastSeenAt": "2026-11-30T00:11:39.436Z",
      "expiresAt": "2026-12-07T00:11:39.436Z",
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
      "id": "stl_2949c140232220fada40d3c787f77745",
      "state": "confirmed",
      "network": "eip155:51",
      "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
      "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
      "amount": "100000",
      "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
      "keyId": "Dj6rVmPjldns",
      "credits": 1,
      "createdAt": "2026-11-30T00:11:39.852Z",
      "confirmedAt": "2026-11-30T00:11:39.901Z",
      "finalizedAt": "2026-11-30T00:11:42.926Z",
      "failure": null,
      "resource": null,
      "route": null,
      "reference": null,
      "refundOf": null,
      "recoveredAt": null
     }
    ],
    "next": "1795997497011.stl_e4958968b37dc1c5e2c788bd99ca166b"
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
      "linkedAt": "2026-11-30T00:11:41.887Z"
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
      "id": "whk_fa75931d9602f33b6bfd6940",
      "url": "http://127.0.0.1:45813/hook",
      "events": [
       "settlement.confirmed"
      ],
      "createdAt": "2026-11-30T00:11:43.529Z",
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
    "id": "pur_8749bcdeef45cdecdc2938580e3e6d31",
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
    "settlementId": "stl_a773c4049902e4883c3324c1e0a445ae",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T00:11:42.305Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T00:11:42.327Z"
     }
    ],
    "createdAt": "2026-11-30T00:11:42.305Z",
    "expiresAt": "2026-11-30T01:11:42.000Z",
    "creditedAt": null,
    "contact": null
   }
  },
  "request": {
   "signature": "0xcf5750cd12fde72bd232eaee8d2f666461f83dfe95c26778becb031d86cc4c4c52edc55336cbed6e3293b9981ace8d294ec28d5699cc4f0cbfeb85223261be6f1c"
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
    "publicUrl": "http://127.0.0.1:35653",
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
    "openedAt": "2026-11-30T00:11:39.901Z",
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
    "id": "lst_4f35aad51feea0144ba6d0df",
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
     "checkedAt": "2026-11-30T00:11:44.552Z",
     "triedAt": "2026-11-30T00:11:44.552Z",
     "passedAt": null,
     "nextAt": "2026-11-30T00:22:10.343Z",
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
    "createdAt": "2026-11-30T00:11:44.506Z",
    "updatedAt": "2026-11-30T00:11:44.506Z"
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
    "id": "pur_8749bcdeef45cdecdc2938580e3e6d31",
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
    "settlementId": "stl_a773c4049902e4883c3324c1e0a445ae",
    "transaction": null,
    "explorer": null,
    "timeline": [
     {
      "state": "awaiting_payment",
      "at": "2026-11-30T00:11:42.305Z"
     },
     {
      "state": "settling",
      "at": "2026-11-30T00:11:42.327Z"
     }
    ],
    "createdAt": "2026-11-30T00:11:42.305Z",
    "expiresAt": "2026-11-30T01:11:42.000Z",
    "creditedAt": null,
    "contact": null
   }
  }
 },
 "readRequest": {
  "responses": {
   "200": {
    "requestId": "req_b160f7f25c734584868588c90cfa6773",
    "createdAt": "2026-11-30T00:11:39.832Z",
    "method": "POST",
    "path": "/settle",
    "status": 200,
    "durationMs": 91,
    "code": null,
    "message": null,
    "result": null,
    "settlementId": null,
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "key": {
     "id": "Dj6rVmPjldns",
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
    "id": "stl_ccb83aefb234613c97ced8f19d4a5d26",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x165408a0bfc213ceae954df99bbc4145292edeb835a38e6f2715e7da749bd251",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_ccb83aefb234613c97ced8f19d4a5d26",
     "nonce": "0x00000000000000000000000000000000000001a229cae98c0000000000000001",
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
    "createdAt": "2026-11-30T00:11:36.514Z",
    "submittedAt": "2026-11-30T00:11:36.531Z",
    "confirmedAt": "2026-11-30T00:11:36.796Z",
    "finalizedAt": null,
    "failedAt": null,
    "recoveredAt": null,
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiZEg0bU9nRGNlRnNxS1ExUlZFT015dUF5aU8tbk9WVHlSdHVnV1lsSzdIayJ9.eyJpYXQiOjE3OTU5OTc0OTcsInNldHRsZW1lbnRJZCI6InN0bF9jY2I4M2FlZmIyMzQ2MTNjOTdjZWQ4ZjE5ZDRhNWQyNiIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjljYWU5OGMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE2NTQwOGEwYmZjMjEzY2VhZTk1NGRmOTliYmM0MTQ1MjkyZWRlYjgzNWEzOGU2ZjI3MTVlN2RhNzQ5YmQyNTEiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZjQ0OGI1YjBjZGY4NGE5NDE3OTIyYzNmM2ZlYTE2ODQ5NmZiYTU0YWQ5YTFhMzc0NmI0ZWQ4ZmMzOGNjOTcxMSIsImZpbmFsaXplZCI6ZmFsc2V9.UGWVSkA-VWhr4jWERGugwbsh7bOkPoQOfR-fEe_4EOsfMBwIl-llLFPT5HnKzb_KHAjuoD8uKTxRZdZjFuemBQ"
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
    "id": "stl_2949c140232220fada40d3c787f77745",
    "state": "confirmed",
    "network": "eip155:51",
    "payer": "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    "payTo": "0x4020806089470a89826cB9fB1f4059150b550004",
    "amount": "100000",
    "transaction": "0xbd2fce7b60113dd9486ff7392821572f9dd10896d38a22b90e7f3b1737d94558",
    "keyId": "Dj6rVmPjldns",
    "credits": 1,
    "createdAt": "2026-11-30T00:11:39.852Z",
    "confirmedAt": "2026-11-30T00:11:39.901Z",
    "finalizedAt": "2026-11-30T00:11:42.926Z",
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
      "at": "2026-11-30T00:11:39.852Z"
     },
     {
      "what": "submitted",
      "at": "2026-11-30T00:11:39.862Z"
     }
    ],
    "gasUsed": 158380,
    "gasPaidWei": "1979750000000000",
    "sharedBy": 1,
    "blockNumber": 7,
    "logIndex": 0,
    "settledBy": "relayer",
    "requestId": "req_b160f7f25c734584868588c90cfa6773",
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
      "headBlock": 3,
      "headAgeSeconds": 1,
      "readToBlock": 3,
      "finalizedBlock": 0,
      "clockSkewSeconds": null,
      "relayers": 1,
      "inFlight": 1,
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
    "refundOf": "stl_ccb83aefb234613c97ced8f19d4a5d26"
   }
  },
  "request": {
   "settlementId": "stl_ccb83aefb234613c97ced8f19d4a5d26",
   "signature": "0xb0a81430a30b556a188b91250766dacb3e6bd7a39d5e78e129841991891965e777b8a28fdd8eed4ea4e27b257b4b73bca8e321021628c454492e9f4e896936911c",
   "authorization": {
    "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "value": "10000",
    "validAfter": "0",
    "validBefore": "1796001096",
    "nonce": "0x00000000000000000000000000000000000001a229cae98c0000000000000001"
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
    "id": "evt_44ed22f5d2e87663f6b5f640c78ef892",
    "type": "webhook.test",
    "state": "pending",
    "attempts": 0,
    "nextAt": "2026-11-30T00:11:43.672Z",
    "lastStatus": null,
    "lastError": null,
    "body": "{\"type\":\"webhook.test\",\"timestamp\":\"2026-11-30T00:11:43.557Z\",\"data\":{\"message\":\"This is a test; nothing happened.\",\"endpointId\":\"whk_fa75931d9602f33b6bfd6940\"}}",
    "createdAt": "2026-11-30T00:11:43.557Z",
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
    "id": "a0hLIo4dai0Q",
    "label": "shop",
    "mode": "test",
    "prefix": "fk_test_000000000000",
    "lastFour": "hAvl",
    "createdAt": "2026-11-30T00:11:42.058Z",
    "createdBy": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
    "lastUsedAt": null,
    "expiresAt": null,
    "status": "active"
   }
  },
  "request": {
   "overlap": "1h",
   "stepUp": {
    "requestId": "sgn_8f667771b3d7625b572563f9ce0e511f",
    "signature": "0xf011d21e74d141c8ab0e87f653478fc159ba824c86b7ec2d85b83b2ea1e1b9123f0106e6a0532368902925ad99b0aff61b679cb7096303af0d3d1cd1afc55ea21c"
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
    "id": "stl_ccb83aefb234613c97ced8f19d4a5d26",
    "status": "confirmed",
    "success": true,
    "payer": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
    "transaction": "0x165408a0bfc213ceae954df99bbc4145292edeb835a38e6f2715e7da749bd251",
    "network": "eip155:51",
    "amount": "10000",
    "extra": {
     "settlementId": "stl_ccb83aefb234613c97ced8f19d4a5d26",
     "nonce": "0x00000000000000000000000000000000000001a229cae98c0000000000000001",
     "logIndex": 0,
     "settledBy": "relayer"
    },
    "extensions": {
     "settlement-attestation": {
      "info": {
       "attestation": {
        "format": "jws",
        "signature": "eyJhbGciOiJFZERTQSIsInR5cCI6InNldHRsZW1lbnQtYXR0ZXN0YXRpb24rand0Iiwia2lkIjoiZEg0bU9nRGNlRnNxS1ExUlZFT015dUF5aU8tbk9WVHlSdHVnV1lsSzdIayJ9.eyJpYXQiOjE3OTU5OTc0OTYsInNldHRsZW1lbnRJZCI6InN0bF9jY2I4M2FlZmIyMzQ2MTNjOTdjZWQ4ZjE5ZDRhNWQyNiIsIm5ldHdvcmsiOiJlaXAxNTU6NTEiLCJhc3NldCI6IjB4YjVBQjY5RjdiQmFkYTIyQjI4ZTc5QzhGRkFFQ2U1NWVGMWM3NzFENCIsInBheWVyIjoiMHg3MDk5Nzk3MEM1MTgxMmRjM0EwMTBDN2QwMWI1MGUwZDE3ZGM3OUM4IiwicGF5VG8iOiIweDdBMTE4MzAzNzRGOWEzYUEyNkMxMjVDQWE5MzI1MjBEOTg0QjEwMjQiLCJhbW91bnQiOiIxMDAwMCIsIm5vbmNlIjoiMHgwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMWEyMjljYWU5OGMwMDAwMDAwMDAwMDAwMDAxIiwidHJhbnNhY3Rpb24iOiIweDE2NTQwOGEwYmZjMjEzY2VhZTk1NGRmOTliYmM0MTQ1MjkyZWRlYjgzNWEzOGU2ZjI3MTVlN2RhNzQ5YmQyNTEiLCJsb2dJbmRleCI6MCwiYmxvY2tOdW1iZXIiOjMsImJsb2NrSGFzaCI6IjB4ZjQ0OGI1YjBjZGY4NGE5NDE3OTIyYzNmM2ZlYTE2ODQ5NmZiYTU0YWQ5YTFhMzc0NmI0ZWQ4ZmMzOGNjOTcxMSIsImZpbmFsaXplZCI6ZmFsc2V9._xuyp3YJfgv0RRgFXHm1ecX4qoSAgUzdt_89ZUdy9Y47P4KyO8s71XCgSYVMf-q2wrGgUzvGV4qi4LZnkulBCw"
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
     "signature": "0xb0a81430a30b556a188b91250766dacb3e6bd7a39d5e78e129841991891965e777b8a28fdd8eed4ea4e27b257b4b73bca8e321021628c454492e9f4e896936911c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796001096",
      "nonce": "0x00000000000000000000000000000000000001a229cae98c0000000000000001"
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
    "id": "evt_44ed22f5d2e87663f6b5f640c78ef892"
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
    "requestId": "sgn_0500b051c1b38b77d518cc26ac0b116d",
    "signature": "0xd5e8f9e7eecbc81b83dc20d6086b7613403978dc3000c86edd6b320393e3363623b7cb9da7f189e885ae51350d8a3525bee7ff781796561e31407e84f9fb6ae91b"
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
     "signature": "0xb0a81430a30b556a188b91250766dacb3e6bd7a39d5e78e129841991891965e777b8a28fdd8eed4ea4e27b257b4b73bca8e321021628c454492e9f4e896936911c",
     "authorization": {
      "from": "0x70997970C51812dc3A010C7d01b50e0d17dc79C8",
      "to": "0x7A11830374F9a3aA26C125CAa932520D984B1024",
      "value": "10000",
      "validAfter": "0",
      "validBefore": "1796001096",
      "nonce": "0x00000000000000000000000000000000000001a229cae98c0000000000000001"
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
