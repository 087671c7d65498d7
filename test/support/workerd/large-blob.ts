import { MAX_BLOB_BYTES } from '@switchyard/shared/protocol/limits';

// A prime, and no length of a part: bytes that are cut or swapped between parts show.
const PERIOD = 251;
const STEP = 31;

/** The largest blob that may be stored, with the same bytes every time. */
export function largeBlob(): Uint8Array<ArrayBuffer> {
  return new Uint8Array(MAX_BLOB_BYTES).map((_, index) => (index * STEP) % PERIOD);
}
