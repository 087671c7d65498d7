import type { LogFields } from './ports.ts';

/** Removes secrets from texts before they are logged, answered or sent. */
export type Redactor = {
  /** Adds a secret that must not appear in any text from now on. */
  hide(secret: string | null | undefined): void;
  /** As `hide`, for the log only: for a value that people may also write by chance. */
  hideInLog(secret: string | null | undefined): void;
  /** Redacts a text for the log: known secrets, and common patterns of secrets. */
  text(text: string): string;
  /** Redacts known secrets only, for answers and messages, so that people's text stays as it is. */
  known(text: string): string;
  /** Redacts known secrets in a JSON document, which stays valid JSON. */
  json(json: string): string;
  /** Redacts known secrets in every text of a value. */
  value<Value>(value: Value): Value;
  /** Changes whenever the set of redacted texts changes. */
  version(): number;
  /** Redacts log fields: those with secret names completely, others as text. */
  fields(fields: LogFields): LogFields;
};
