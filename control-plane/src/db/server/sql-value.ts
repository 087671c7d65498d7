/** A value as a database takes and gives it. */
export type SqlValue = null | string | number | bigint | boolean | ArrayBuffer | Uint8Array;
