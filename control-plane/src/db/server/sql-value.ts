/** A value in the forms that a database accepts and returns. */
export type SqlValue = null | string | number | bigint | boolean | ArrayBuffer | Uint8Array;
