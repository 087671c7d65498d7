import type { ReasonCode } from '../api/work/reason-code.ts';
import { codeSpan } from '../text/code-fence.ts';
import { asSentence } from './as-sentence.ts';

/** The reader of a text, by the name in the audit log; null: everybody, as in a comment. */
export type Reader = string | null;

/** Actions of people that are reasons, each with the verb that is used everywhere. */
const VERBS = {
  stopped_by_person: 'stopped',
  retry_requested: 'retried',
  plan_approved: 'approved',
  plan_sent_back: 'sent back',
  merge_removed: 'taken out of the merge queue',
} as const;
type ActCode = keyof typeof VERBS;

/** The stored form of such a reason; former versions wrote other verbs. */
const WRITTEN =
  /^(?:stopped|aborted|retried|retry requested|approved|sent back|taken out of the merge queue) by (?<who>.+)$/s;

/** Actors without a personal name. */
const NAMES: Readonly<Record<string, string>> = {
  local: 'the local user',
  'write-token': 'the holder of the write token',
  anonymous: 'somebody without a token',
  service: 'this service',
};
const FORMER_NAMES: Readonly<Record<string, string>> = {
  'a person at the computer of this service': 'local',
  'somebody with the write token': 'write-token',
};
const ACTORS: Readonly<Record<string, string>> = {
  ...FORMER_NAMES,
  ...Object.fromEntries(Object.entries(NAMES).map(([actor, name]) => [name, actor])),
};

/** The actor of an action as others read it; names of people and tokens are not changed. */
export function actorText(actor: string, reader: Reader = null): string {
  // Anonymous actors may be different people, so `you` could be wrong.
  if (actor === reader && actor !== 'anonymous') return 'you';
  return Object.hasOwn(NAMES, actor) ? (NAMES[actor] ?? actor) : actor;
}

/**
 * The stored reason of a person's action: `stopped by Ada`. Names from the tracker are marked as
 * such, since anybody can choose any name there.
 */
export function actReason(code: ActCode, actor: string, place?: 'tracker'): string {
  const who = place === 'tracker' ? `${actor} in the tracker` : actorText(actor);
  return `${VERBS[code]} by ${who}`;
}

/** The person's action in a reason; null where it describes none. */
export function actOfPerson(
  code: ReasonCode | null,
  reason: string | null,
): { verb: string; actor: string } | null {
  if (code === null || !Object.hasOwn(VERBS, code)) return null;
  const who = WRITTEN.exec(reason ?? '')?.groups?.['who'];
  if (who === undefined) return null;
  const actor = Object.hasOwn(ACTORS, who) ? (ACTORS[who] ?? who) : who;
  return { verb: VERBS[code as ActCode], actor };
}

/** The action for its reader: `stopped by you`; null where the reason describes none. */
export function actText(
  code: ReasonCode | null,
  reason: string | null,
  reader: Reader,
): string | null {
  const act = actOfPerson(code, reason);
  return act === null ? null : `${act.verb} by ${actorText(act.actor, reader)}`;
}

/**
 * A text that this service wrote for everybody, with `you` for the reader where a line names that
 * actor.
 */
export function textForReader(text: string, reader: Reader): string {
  if (reader === null) return text;
  const names = [actorText(reader), codeSpan(actorText(reader))];
  const replacements = new Map(
    Object.values(VERBS).flatMap((verb) => {
      const act = `${asSentence(verb)} by`;
      return names.map((name) => [`${act} ${name}.`, `${act} ${actorText(reader, reader)}.`]);
    }),
  );
  return text
    .split('\n')
    .map((line) => replacements.get(line) ?? line)
    .join('\n');
}
