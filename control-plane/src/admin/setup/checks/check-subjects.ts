import type { SetupStepName } from '@switchyard/shared/api/admin/setup';
import type { RunnerRow } from '../../../db/schema/runners/runners.ts';
import { isSecretReference, referredSecret } from '@switchyard/shared/settings/secret-reference';
import type { Database } from '../../../db/database.ts';
import { sha256Hex } from '../../../sha256-hex.ts';
import { engineKeyValue } from '../../../config/provider/engine-key.ts';
import type { EffectiveConfig } from '../../../config/schema/config-schema.ts';
import { redactConfig } from '../../../config/values/redact-config.ts';
import { secretByKey } from '../../../config/secrets/queries.ts';

/** Steps whose check asks an upstream or a runner. */
export const CHECKED_STEPS = ['tracker', 'repository', 'provider', 'code_host', 'runner'] as const;
export type CheckedStep = (typeof CHECKED_STEPS)[number];

export function isCheckedStep(step: SetupStepName): step is CheckedStep {
  return (CHECKED_STEPS as readonly SetupStepName[]).includes(step);
}

/**
 * What each check would check now, as a text that changes with the settings: a result for another
 * subject does not apply. It contains no secret, not even a hash of one.
 */
export async function checkSubjects(
  db: Database,
  { config, runners }: { config: EffectiveConfig; runners: readonly RunnerRow[] },
): Promise<Record<CheckedStep, string>> {
  const { tracker, codehost, engine, repos } = redactConfig(config);
  const routes = repos.map(({ url, default_branch: branch, label }) => [url, branch, label]);
  const joined = runners.filter((runner) => runner.revoked_at_ms === null);
  const key = engineKeyValue(config);
  // A replaced secret counts as another key, so its version is included.
  const stored = isSecretReference(key) ? await secretByKey(db, referredSecret(key)) : null;
  const { provider, model } = engine;
  const subjects: Record<CheckedStep, unknown> = {
    tracker: [tracker.kind, tracker.linear, tracker.github],
    repository: routes,
    provider: [provider, model, stored?.version ?? null],
    code_host: [routes, codehost],
    runner: joined.map(({ runner_id: id }) => id).toSorted(),
  };
  const hashed = Object.entries(subjects).map(
    async ([step, subject]) => [step, await sha256Hex(JSON.stringify(subject))] as const,
  );
  return Object.fromEntries(await Promise.all(hashed)) as Record<CheckedStep, string>;
}
