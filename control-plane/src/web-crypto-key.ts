/** A WebCrypto key, which platforms declare under different names. */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
