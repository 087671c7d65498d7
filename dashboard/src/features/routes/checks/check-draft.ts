import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { ApiError } from '../../../api/api.ts';

export type RepoCheck = NonNullable<RepoRoute['checks']>[number];

/** One declared check in the form. */
export type CheckDraft = {
  /** Identifies the check on this page only. */
  key: number;
  name: string;
  command: string;
  /** The timeout as typed; empty: the service's default. */
  minutes: string;
  /** The stored check with fields that the form lacks; null: a new one. */
  stored: RepoCheck | null;
};

/** The service's own limit. */
export const MAX_CHECKS = 20;
const MINUTE_MS = 60_000;

/** The drafts with another one at the end, new or a copy of a stored check. */
export function addDraft(drafts: readonly CheckDraft[], stored: RepoCheck | null): CheckDraft[] {
  const key = Math.max(0, ...drafts.map((draft) => draft.key)) + 1;
  const { name = '', command = '' } = stored ?? {};
  return [...drafts, { key, name, command, minutes: minutesOf(stored), stored }];
}

export function draftsOf({ checks = [] }: Pick<RepoRoute, 'checks'>): CheckDraft[] {
  return checks.reduce<CheckDraft[]>(addDraft, []);
}

/** The check in the service's format. An unchanged timeout keeps its exact value. */
export function checkFrom({ name, command, minutes, stored }: CheckDraft): RepoCheck {
  const check = { ...stored, name: name.trim(), command: command.trim() };
  if (minutes === minutesOf(stored)) return check;
  const { timeout_ms: _before, ...others } = check;
  if (minutes.trim() === '') return others;
  return { ...others, timeout_ms: Math.round(Number(minutes) * MINUTE_MS) };
}

/** The route with these checks; everything else is kept. */
export function withChecks(route: RepoRoute, drafts: readonly CheckDraft[]): RepoRoute {
  const { checks: _before, ...others } = route;
  return drafts.length === 0 ? others : { ...others, checks: drafts.map(checkFrom) };
}

/** The drafts with one of them moved to another position. */
export function moveDraft(
  drafts: readonly CheckDraft[],
  from: number,
  to: number,
): readonly CheckDraft[] {
  const moved = drafts[from];
  if (moved === undefined || to < 0 || to >= drafts.length) return drafts;
  return drafts.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** Why fields of checks were refused, by `fieldKey`; `rest` belongs to no field. */
export type RefusedChecks = { fields: ReadonlyMap<string, string>; rest: unknown };

export type CheckFieldName = 'name' | 'command' | 'minutes';

export const fieldKey = ({ key }: CheckDraft, field: CheckFieldName) => `${key}.${field}`;

/** Assigns an error of a route to the checks that were sent with it. */
export function refusedChecks(error: unknown, sent: readonly CheckDraft[]): RefusedChecks {
  if (!(error instanceof ApiError)) return { fields: new Map(), rest: error };
  const placed = error.details.map(({ path, message }) => [fieldsOf(path, sent), message] as const);
  const fields = new Map<string, string>();
  for (const [keys, message] of placed) {
    for (const key of keys) if (!fields.has(key)) fields.set(key, wordsOf(key, message));
  }
  const isAll = placed.length > 0 && placed.every(([keys]) => keys.length > 0);
  return { fields, rest: isAll ? null : error };
}

function fieldsOf(path: string, sent: readonly CheckDraft[]): string[] {
  // An error of the complete list is shown at each name that an earlier check already has.
  if (path === 'checks') {
    const names = sent.map(({ name }) => name.trim());
    return sent
      .filter((draft, index) => names.indexOf(draft.name.trim()) < index)
      .map((draft) => fieldKey(draft, 'name'));
  }
  const [, index, field] = /^checks\.(\d+)\.(name|command|timeout_ms)$/.exec(path) ?? [];
  const draft = sent[Number(index)];
  if (draft === undefined) return [];
  return [fieldKey(draft, field === 'timeout_ms' ? 'minutes' : (field as 'name' | 'command'))];
}

/** The service's messages use milliseconds and characters, unlike the form. */
function wordsOf(key: string, message: string): string {
  if (key.endsWith('.minutes')) return 'From 1 second (0.02) to 60 minutes.';
  return key.endsWith('.command') && /small/i.test(message) ? 'A command is needed.' : message;
}

function minutesOf(stored: RepoCheck | null): string {
  const ms = stored?.timeout_ms;
  return ms === undefined ? '' : String(Number((ms / MINUTE_MS).toFixed(3)));
}
