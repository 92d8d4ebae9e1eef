/** The order of the curve secp256k1 (SEC 2, section 2.4.1). A signature's r and s are below it. */
export const secp256k1Order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n;
