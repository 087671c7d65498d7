import * as z from 'zod';
import type Docker from 'dockerode';
import { dockerCall } from './daemon/docker-call.ts';

const STATS_TIMEOUT_MS = 5_000;

/** The used fields of the daemon's statistics; all missing once a container has ended. */
const Usage = z.object({
  cpu_stats: z.object({ cpu_usage: z.object({ total_usage: z.number() }) }),
  memory_stats: z.object({
    usage: z.number(),
    limit: z.number().positive(),
    stats: z.record(z.string(), z.number()).default({}),
  }),
});

/** Processor time and memory of a running container, measured once; null when it does not run. */
export async function containerUsage(
  docker: Docker,
  containerId: string,
): Promise<{ cpuMs: number; memoryPercent: number } | null> {
  const container = docker.getContainer(containerId);
  const answer: unknown = await dockerCall(
    'read stats',
    () => container.stats({ stream: false, 'one-shot': true }),
    STATS_TIMEOUT_MS,
  );
  const parsed = Usage.safeParse(answer);
  if (!parsed.success) return null;
  const { cpu_stats, memory_stats } = parsed.data;
  const { usage, limit, stats } = memory_stats;
  // Reclaimable file pages, which cgroup v2 and v1 name differently.
  const cache = stats['inactive_file'] ?? stats['total_inactive_file'] ?? 0;
  const memoryPercent = (100 * Math.max(0, usage - cache)) / limit;
  return { cpuMs: cpu_stats.cpu_usage.total_usage / 1e6, memoryPercent };
}
