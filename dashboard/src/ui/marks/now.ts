import { useEffect, useState } from 'preact/hooks';

/** The present in epoch milliseconds, renewed at this interval; still while `active` is false. */
export function useNow(intervalMs: number, active = true): number {
  const [nowMs, setNowMs] = useState(() => Date.now());
  useEffect(() => {
    if (!active) return;
    setNowMs(Date.now());
    const timer = setInterval(() => setNowMs(Date.now()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, active]);
  return nowMs;
}
