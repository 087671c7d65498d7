import { inArray } from 'drizzle-orm';
import { counters } from '../db/schema/events.ts';
import type { Deps } from '../deps.ts';

/**
 * Differs whenever anything about issues, attempts, runners or pauses may have changed: the last
 * event's seq, and a counter that triggers raise with every change that needs no event. One read.
 */
export async function stateVersion({
  db,
  config,
  service,
}: Pick<Deps, 'db' | 'config' | 'service'>): Promise<string> {
  const rows = await db
    .select()
    .from(counters)
    .where(inArray(counters.name, ['event_seq', 'state_version']));
  const value = (name: string) => rows.find((row) => row.name === name)?.value ?? 0;
  const problems = config.problems().map(({ message }) => message);
  const own = shortHash([service.instanceId, service.publicOrigin ?? '', ...problems].join('\n'));
  return `${value('event_seq')}-${value('state_version')}-${own}`;
}

/** FNV-1a; tells apart, protects nothing. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return (hash >>> 0).toString(36);
}
