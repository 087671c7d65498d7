import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { ApiError } from '../../../api/api.ts';

/** A route's evidence settings in the form. */
export type EvidenceDraft = {
  /** Globs, one per line. */
  scope: string;
  artifacts: string;
  evidence: NonNullable<RepoRoute['evidence']>;
};

/** The service's own limit on globs. */
export const MAX_GLOBS = 100;

export function evidenceDraft(route: RepoRoute): EvidenceDraft {
  const { scope = [], artifacts = '', evidence = 'brief' } = route;
  return { scope: scope.join('\n'), artifacts, evidence };
}

/** The route with the evidence settings of the form; everything else is kept. */
export function withEvidence(route: RepoRoute, draft: EvidenceDraft): RepoRoute {
  const { scope: _scope, artifacts: _artifacts, evidence: _evidence, ...others } = route;
  const changed: RepoRoute = others;
  const scope = globsOf(draft);
  const artifacts = draft.artifacts.trim();
  if (scope.length > 0) changed.scope = scope;
  if (artifacts !== '') changed.artifacts = artifacts;
  if (draft.evidence !== 'brief') changed.evidence = draft.evidence;
  return changed;
}

/** Why fields were refused; `rest` belongs to no field. */
export type RefusedEvidence = {
  fields: Partial<Record<keyof EvidenceDraft, string>>;
  rest: unknown;
};

/** Assigns an error of a route to the evidence settings that were sent with it. */
export function refusedEvidence(error: unknown, sent: EvidenceDraft): RefusedEvidence {
  if (!(error instanceof ApiError)) return { fields: {}, rest: error };
  const fields: RefusedEvidence['fields'] = {};
  let isAll = error.details.length > 0;
  for (const { path, message } of error.details) {
    const [, field, index] = /^(scope|artifacts|evidence)(?:\.(\d+))?$/.exec(path) ?? [];
    if (field === undefined) isAll = false;
    else
      fields[field as keyof EvidenceDraft] ??= wordsOf(globsOf(sent)[Number(index)], path, message);
  }
  return { fields, rest: isAll ? null : error };
}

const globsOf = ({ scope }: EvidenceDraft): string[] =>
  scope.split('\n').flatMap((line) => line.trim() || []);

function wordsOf(glob: string | undefined, path: string, message: string): string {
  if (path === 'scope') return `No more than ${MAX_GLOBS} globs.`;
  return glob === undefined ? message : `${glob}: ${message}`;
}
