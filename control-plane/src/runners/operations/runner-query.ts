import { EngineId } from '@switchyard/shared/protocol/engine-operations';
import { EngineName } from '@switchyard/shared/engine/runner-engine';
import { z } from 'zod';

/** Query parameter for the runner whose engine answers; the least busy one when left out. */
export const RunnerQuery = z.object({
  runner: z.string().min(1).max(64).optional().describe('Runner whose engine is asked.'),
});

/** `RunnerQuery` with the engine to use. */
export const EngineQuery = RunnerQuery.extend({
  engine: EngineName.optional().describe(
    "Agent engine that is asked; left out: that of the thread, else the configuration's.",
  ),
});

export const PageQuery = EngineQuery.extend({
  limit: z.coerce.number().int().min(1).max(500).optional().describe('Entries to answer.'),
  cursor: z.string().min(1).max(2_048).optional().describe('`nextCursor` of the page before.'),
});

export const ThreadParams = z.object({ threadId: EngineId });

/** A query parameter that may be repeated or contain several names separated by commas. */
export const NameList = z
  .union([z.string().max(4_000), z.array(z.string().max(200)).max(50)])
  .optional();

/** The names in such a parameter; undefined when there are none. */
export function namesOf(given: z.infer<typeof NameList>): string[] | undefined {
  const names = [given ?? []]
    .flat()
    .flatMap((text) => text.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '');
  return names.length === 0 ? undefined : names;
}
