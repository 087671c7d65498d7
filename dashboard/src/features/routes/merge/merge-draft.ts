import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import type { MergeMode, MergePolicy } from '@switchyard/shared/merge/merge-policy';
import { ApiError } from '../../../api/api.ts';

/** A route's merge policy in the form. */
export type MergeDraft = {
  mode: MergeMode;
  /** The limit of changed lines as typed; empty: no limit. */
  maxChangedLines: string;
  withinScope: boolean;
};

export function mergeDraft({ merge }: Pick<RepoRoute, 'merge'>): MergeDraft {
  return {
    mode: merge?.mode ?? 'never',
    maxChangedLines: String(merge?.max_changed_lines ?? ''),
    withinScope: merge?.within_scope ?? false,
  };
}

/**
 * The route with the merge policy of the form; everything else is kept. The conditions belong to
 * `when-green` alone.
 */
export function withMerge(route: RepoRoute, draft: MergeDraft): RepoRoute {
  if (JSON.stringify(draft) === JSON.stringify(mergeDraft(route))) return route;
  const { merge: _before, ...others } = route;
  if (draft.mode === 'never') return others;
  const merge: MergePolicy = { mode: draft.mode };
  if (draft.mode === 'when-green') {
    const lines = draft.maxChangedLines.trim();
    if (lines !== '') merge.max_changed_lines = Number(lines);
    if (draft.withinScope) merge.within_scope = true;
  }
  return { ...others, merge };
}

/** Why fields were refused; `rest` belongs to no field. */
export type RefusedMerge = { fields: Partial<Record<keyof MergeDraft, string>>; rest: unknown };

const FIELDS: Record<string, keyof MergeDraft> = {
  merge: 'mode',
  'merge.mode': 'mode',
  'merge.max_changed_lines': 'maxChangedLines',
  'merge.within_scope': 'withinScope',
};

/** Assigns an error of a route to the fields of its merge policy. */
export function refusedMerge(error: unknown): RefusedMerge {
  if (!(error instanceof ApiError)) return { fields: {}, rest: error };
  const fields: RefusedMerge['fields'] = {};
  let isAll = error.details.length > 0;
  for (const { path, message } of error.details) {
    const field = Object.hasOwn(FIELDS, path) ? FIELDS[path] : undefined;
    if (field === undefined) isAll = false;
    else
      fields[field] ??=
        field === 'maxChangedLines' ? 'A whole number from 1 to 1,000,000.' : message;
  }
  return { fields, rest: isAll ? null : error };
}

/** The policy beside a repository's address; null where people merge. */
export function mergeText({ merge }: Pick<RepoRoute, 'merge'>): string | null {
  if (merge === undefined || merge.mode === 'never') return null;
  if (merge.mode === 'ask') return 'Merge queue: when a person asks';
  const limits = [
    ...(merge.max_changed_lines === undefined
      ? []
      : [`up to ${merge.max_changed_lines} changed lines`]),
    ...(merge.within_scope === true ? ['within its scope'] : []),
  ];
  return ['Merge queue: by itself', ...limits].join(', ');
}
