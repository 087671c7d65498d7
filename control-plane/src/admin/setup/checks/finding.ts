import type { SetupCheck, SetupOverview, SetupStepName } from '@switchyard/shared/api/admin/setup';

/** What the check of a setup step found. */
export type Finding = Omit<SetupCheck, 'step' | 'checkedAt'> & {
  /** False when the check could not run, so that its result is not stored. */
  isCheck?: boolean;
};

/** The state of a step that depends on rows only. */
export function findingByRows({ steps }: SetupOverview, name: SetupStepName): Finding {
  const step = steps.find((each) => each.step === name);
  return { ok: step?.done ?? false, message: step?.summary ?? '', notes: [] };
}

/** The finding of a check that failed for one reason. */
export function failedFinding(message: string): Finding {
  return { ok: false, message, notes: [] };
}
