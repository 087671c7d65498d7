import { useEffect, useState } from 'preact/hooks';
import { serviceNowMs } from '../../api/service-clock.ts';

/**
 * The current time of the service's clock, epoch milliseconds, updated at this interval; frozen
 * while `active` is false.
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
