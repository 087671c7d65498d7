import { type Artifact, MAX_ARTIFACTS_BYTES } from '@switchyard/shared/evidence/artifact';
import type { AttemptEventPayload } from '@switchyard/shared/protocol/attempt-event';
import { plainLine } from '@switchyard/shared/text/plain-text';
import { sql } from 'drizzle-orm';
import type { z } from 'zod';
import type { Database, Statement } from '../../db/database.ts';
import { attemptArtifacts } from '../../db/schema/work/attempt-artifacts.ts';
import { isOwnBlob } from '../identity/attempt-blob-key.ts';

export type ReportedArtifacts = z.infer<typeof AttemptEventPayload.artifacts>;

/**
 * Whether a runner's report is valid: the files are uploads of its own attempt and within the
 * limits.
 */
export function areArtifactsOf(attemptId: string, { files }: ReportedArtifacts): boolean {
  const bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  return bytes <= MAX_ARTIFACTS_BYTES && files.every(({ blob }) => isOwnBlob(blob, attemptId));
}

/**
 * The statement that replaces the stored list of an attempt's artifacts. A no-op if its
 * specification declares no folder for them.
 */
export function storeArtifacts(
  db: Database,
  { attempt_id: attemptId }: { attempt_id: string },
  reported: ReportedArtifacts,
  nowMs: number,
): Statement {
  const files = shownFiles(reported.files);
  const leftOut = reported.leftOut + reported.files.length - files.length;
  return db
    .insert(attemptArtifacts)
    .select(
      sql`select ${attemptId}, ${JSON.stringify(files)}, ${leftOut}, ${nowMs} where exists (
        select 1 from attempts where attempt_id = ${attemptId}
          and json_extract(spec, '$.artifacts') is not null)`,
    )
    .onConflictDoUpdate({
      target: attemptArtifacts.attempt_id,
      set: { files, left_out: leftOut, stored_at_ms: nowMs },
    });
}

/** Agents choose the names: of several names that look alike, only the first is shown. */
function shownFiles(files: readonly Artifact[]): Artifact[] {
  const byPath = new Map<string, Artifact>();
  for (const file of files) {
    const path = plainLine(file.path) || '?';
    if (!byPath.has(path)) byPath.set(path, { ...file, path });
  }
  return [...byPath.values()];
}
