/** A key of the web's cryptography: platforms declare it under different names. */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>;
