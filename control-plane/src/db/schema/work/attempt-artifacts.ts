import { index, integer, sqliteTable, text } from 'drizzle-orm/sqlite-core';
import type { Artifact } from '@switchyard/shared/evidence/artifact';

/** Artifacts: files that an attempt's agent left for people. Their bytes are blobs. */
export const attemptArtifacts = sqliteTable(
  'attempt_artifacts',
  {
    attempt_id: text().primaryKey(),
    files: text({ mode: 'json' }).$type<Artifact[]>().notNull(),
    /** Number of files beyond the limits, which are not stored. */
    left_out: integer().notNull(),
    stored_at_ms: integer().notNull(),
  },
  (table) => [index('attempt_artifacts_stored').on(table.stored_at_ms)],
);
export type AttemptArtifactsRow = typeof attemptArtifacts.$inferSelect;
