/** One fact about an installation. */
export type Finding = {
  name: string;
  status: 'ok' | 'warn' | 'fail';
  detail: string;
  /** What a person should do; null when nothing. */
  fix: string | null;
  /** Mends it; null where only a person can. Answers what was done. */
  mend: (() => Promise<string>) | null;
};

/** A fact that is as it should be. */
export function good(name: string, detail: string): Finding {
  return { name, status: 'ok', detail, fix: null, mend: null };
}
