import type { LogFields } from './ports.ts';

/** Takes secrets out of what is about to be written or sent somewhere people look. */
export type Redactor = {
  /** Remembers a value that must never be shown, in any text from now on. */
  hide(secret: string | null | undefined): void;
  /** The same for the log alone: for a value that people may write without meaning it. */
  hideInLog(secret: string | null | undefined): void;
  /** For the log: known secrets, and what usually carries one. */
  text(text: string): string;
  /** For what is answered or sent: known secrets only, so that words of people stay as they are. */
  known(text: string): string;
  /** The same for a JSON document; it stays one, whatever a secret looks like. */
  json(json: string): string;
  /** The same for every text in a value. */
  value<Value>(value: Value): Value;
  /** Differs whenever other texts are taken out. */
  version(): number;
  /** Fields under secret-bearing names are hidden whole, the others as text. */
  fields(fields: LogFields): LogFields;
};
