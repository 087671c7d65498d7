import type { ReasonCode } from '../api/work/reason-code.ts';
import { codeSpan } from '../text/code-fence.ts';
import { asSentence } from './as-sentence.ts';

/** Who reads, by the name that the audit has for them; null: everybody, as in a comment. */
export type Reader = string | null;

/** The acts of people that are reasons; the verb is the one word for the act in every place. */
const VERBS = { stopped_by_person: 'stopped', retry_requested: 'retried' } as const;
type ActCode = keyof typeof VERBS;

/** How a reason tells of an act; former versions wrote other verbs. */
const WRITTEN = /^(?:stopped|aborted|retried|retry requested) by (?<who>.+)$/s;

/** Actors that are nobody's name. */
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

/** Who did something, as others are told: names of people and tokens stand as they are. */
export function actorText(actor: string, reader: Reader = null): string {
  // Whoever has no token may be anybody.
  if (actor === reader && actor !== 'anonymous') return 'you';
  return Object.hasOwn(NAMES, actor) ? (NAMES[actor] ?? actor) : actor;
}

/**
 * The reason that is stored of an act: `stopped by Ada`. Whom only the tracker names is told apart from
 * who signs in here: everybody chooses a name there.
 */
export function actReason(code: ActCode, actor: string, place?: 'tracker'): string {
  const who = place === 'tracker' ? `${actor} in the tracker` : actorText(actor);
  return `${VERBS[code]} by ${who}`;
}

/** The act that a reason tells of; null where it tells of none. */
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

/** `stopped by you`; null where the reason tells of no act. */
export function actText(
  code: ReasonCode | null,
  reason: string | null,
  reader: Reader,
): string | null {
  const act = actOfPerson(code, reason);
  return act === null ? null : `${act.verb} by ${actorText(act.actor, reader)}`;
}

/** Text that this service wrote for everybody, for who did what a line of it tells. */
export function textForReader(text: string, reader: Reader): string {
  if (reader === null) return text;
  const names = [actorText(reader), codeSpan(actorText(reader))];
  const mine = new Map(
    Object.values(VERBS).flatMap((verb) => {
      const act = `${asSentence(verb)} by`;
      return names.map((name) => [`${act} ${name}.`, `${act} ${actorText(reader, reader)}.`]);
    }),
  );
  return text
    .split('\n')
    .map((line) => mine.get(line) ?? line)
    .join('\n');
}
