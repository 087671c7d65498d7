/** One fact about an installation. */
export type Finding = {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What a person should do; null when nothing. */
  fix: string | null;
  /** Fixes the problem and returns what was done; null where only a person can fix it. */
  mend: (() => Promise<string>) | null;
};

/** A finding without a problem. */
export function good(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, fix: null, mend: null };
}
