import type { MasterKey } from './master-keys.ts';

const NONCE_BYTES = 12;

/** An encrypted value as stored. */
export type EncryptedValue = {
  masterKeyId: string;
  nonce: Uint8Array;
  /** The ciphertext with the authentication tag at its end. */
  ciphertext: Uint8Array;
};

/**
 * Encrypts with AES-256-GCM and a random nonce; the secret's name and the master key's id are
 * authenticated too.
 */
export async function encryptValue(
  masterKey: MasterKey,
  name: string,
  value: string,
): Promise<EncryptedValue> {
  const nonce = crypto.getRandomValues(new Uint8Array(NONCE_BYTES));
  const ciphertext = await crypto.subtle.encrypt(
    algorithm(nonce, name, masterKey.id),
    masterKey.key,
    new TextEncoder().encode(value),
  );
  return { masterKeyId: masterKey.id, nonce, ciphertext: new Uint8Array(ciphertext) };
}

/**
 * Decrypts a value. Throws if the row was damaged, moved to another name, or encrypted with another
 * key.
 */
export async function decryptValue(
  masterKey: MasterKey,
  name: string,
  stored: EncryptedValue,
): Promise<string> {
  const clear = await crypto.subtle.decrypt(
    algorithm(stored.nonce, name, stored.masterKeyId),
    masterKey.key,
    new Uint8Array(stored.ciphertext),
  );
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(clear);
}

function algorithm(nonce: Uint8Array, name: string, masterKeyId: string) {
  const bound = JSON.stringify(['switchyard secret', masterKeyId, name]);
  return {
    name: 'AES-GCM',
    iv: new Uint8Array(nonce),
    additionalData: new TextEncoder().encode(bound),
  };
}
