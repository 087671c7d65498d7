import type { RepoRoute } from '@switchyard/shared/api/admin/repo-route';
import { ApiError } from '../../../api/api.ts';

export type RepoCheck = NonNullable<RepoRoute['checks']>[number];

/** One declared check while it is filled in. */
export type CheckDraft = {
  /** For the page alone: which of them it is. */
  key: number;
  name: string;
  command: string;
  /** The limit as typed; empty: the default of the service. */
  minutes: string;
  /** As it is stored, with what the form does not know; null: a new one. */
  stored: RepoCheck | null;
};

/** As many as the service takes. */
export const MAX_CHECKS = 20;
const MINUTE_MS = 60_000;

/** A further one behind those that are there, or a copy of a stored one. */
export function addDraft(drafts: readonly CheckDraft[], stored: RepoCheck | null): CheckDraft[] {
  const key = Math.max(0, ...drafts.map((draft) => draft.key)) + 1;
  const { name = '', command = '' } = stored ?? {};
  return [...drafts, { key, name, command, minutes: minutesOf(stored), stored }];
}

export function draftsOf({ checks = [] }: Pick<RepoRoute, 'checks'>): CheckDraft[] {
  return checks.reduce<CheckDraft[]>(addDraft, []);
}

/** As the service takes it. A limit that nobody has changed stays as it is, to the last digit. */
export function checkFrom({ name, command, minutes, stored }: CheckDraft): RepoCheck {
  const check = { ...stored, name: name.trim(), command: command.trim() };
  if (minutes === minutesOf(stored)) return check;
  const { timeout_ms: _before, ...others } = check;
  if (minutes.trim() === '') return others;
  return { ...others, timeout_ms: Math.round(Number(minutes) * MINUTE_MS) };
}

/** The route with these checks; all else about it stays. */
export function withChecks(route: RepoRoute, drafts: readonly CheckDraft[]): RepoRoute {
  const { checks: _before, ...others } = route;
  return drafts.length === 0 ? others : { ...others, checks: drafts.map(checkFrom) };
}

/** The drafts with the one at a position in another place. */
export function moveDraft(
  drafts: readonly CheckDraft[],
  from: number,
  to: number,
): readonly CheckDraft[] {
  const moved = drafts[from];
  if (moved === undefined || to < 0 || to >= drafts.length) return drafts;
  return drafts.toSpliced(from, 1).toSpliced(to, 0, moved);
}

/** Why fields of checks were refused, by `fieldKey`; `rest` belongs to none of them. */
export type RefusedChecks = { fields: ReadonlyMap<string, string>; rest: unknown };

export type CheckFieldName = 'name' | 'command' | 'minutes';

export const fieldKey = ({ key }: CheckDraft, field: CheckFieldName) => `${key}.${field}`;

/** Where an answer about a route concerns the checks that were sent with it. */
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
  // What is wrong with the list as a whole is said at the names that stand there before.
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

/** The service counts in milliseconds and characters, which is not what stands in the form. */
function wordsOf(key: string, message: string): string {
  if (key.endsWith('.minutes')) return 'From 1 second (0.02) to 60 minutes.';
  return key.endsWith('.command') && /small/i.test(message) ? 'A command is needed.' : message;
}

function minutesOf(stored: RepoCheck | null): string {
  const ms = stored?.timeout_ms;
  return ms === undefined ? '' : String(Number((ms / MINUTE_MS).toFixed(3)));
}
