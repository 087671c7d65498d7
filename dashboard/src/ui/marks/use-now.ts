import { useEffect, useState } from 'preact/hooks';
import { serviceNowMs } from '../../api/service-clock.ts';

/**
 * The present by the service's clock in epoch milliseconds, renewed at this interval; still while
 * `active` is false.
 */
export function useNow(intervalMs: number, { active = true } = {}): number {
  const [nowMs, setNowMs] = useState(serviceNowMs);
  useEffect(() => {
    if (!active) return;
    setNowMs(serviceNowMs());
    const timer = setInterval(() => setNowMs(serviceNowMs()), intervalMs);
    return () => clearInterval(timer);
  }, [intervalMs, active]);
  return nowMs;
}
