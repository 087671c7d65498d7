import { asReasonCode, isUnfinished } from '@switchyard/shared/reasons/explain-reason';
import { REASON_CATALOGUE } from '@switchyard/shared/reasons/reason-catalogue';
import { formatDuration } from '../../../format/time.ts';
import { plural } from '../../../format/number.ts';
import { failureWords, outcomeWords, phaseWords, triggerWords } from '../../../format/words.ts';

export type Tone = 'quiet' | 'info' | 'good' | 'warning' | 'bad' | 'ask';

/** A line of the log that is no engine item: a phase, a notice, an end. */
export type Mark = {
  tone: Tone;
  label: string;
  text: string;
  /** Longer output below the line. */
  body: string | null;
  /** Marks with the same value that follow each other become one. */
  merge: string | null;
};

type Payload = Record<string, unknown>;
type Reader = (payload: Payload) => Mark;

const READERS: Record<string, Reader> = {
  phase: phaseMark,
  'attempt.phase': phaseMark,
  workspace: (p) =>
    mark(
      'quiet',
      'Workspace',
      `${p['created'] === true ? 'created' : 'reused'} · ${str(p['branch'])} from ${str(p['baseBranch'])}@${str(p['baseCommit']).slice(0, 9)} · ${formatDuration(Number(p['durationMs'] ?? 0))}`,
    ),
  container: containerMark,
  isolation: (p) =>
    mark('quiet', 'Isolation', `${str(p['level'])}, network ${str(p['network']) || 'as it is'}`),
  thread: (p) =>
    mark(
      'quiet',
      'Engine',
      `${str(p['engineVersion'])} · thread ${p['resumed'] === true ? 'resumed' : 'started'}`,
    ),
  request: (p) => mark('ask', 'Question', questionText(p['questions'])),
  request_resolved: () => mark('good', 'Answered', 'agent resumed'),
  notice: (p) => mark(noticeTone(p['level']), noticeLabel(p['level']), str(p['message'])),
  log: (p) => ({
    ...mark('quiet', sourceLabel(p['source']), ''),
    body: str(p['text']),
    merge: `log:${str(p['source'])}`,
  }),
  egress_allowed: (p) => mark('quiet', 'Network', hostsText(p['hosts'])),
  egress_refused: (p) => mark('warning', 'Network', str(p['message'])),
  write_refused: (p) => mark('warning', 'Push rejected', str(p['message'])),
  limit_exceeded: (p) => mark('bad', 'Limit', str(p['message'])),
  snapshot: snapshotMark,
  'attempt.checkpoint': checkpointMark,
  'attempt.ended': endedMark,
  'request.expired': () => mark('warning', 'Expired', 'no answer in time'),
};

/** The mark for an event kind. Unknown kinds are shown as they are. */
export function markOf(kind: string, payload: Payload): Mark {
  const read = READERS[kind];
  if (read !== undefined) return read(payload);
  return { ...mark('quiet', kind || 'event', ''), body: JSON.stringify(payload, null, 2) };
}

function mark(tone: Tone, label: string, text: string): Mark {
  return { tone, label, text, body: null, merge: null };
}

/** At most five hosts, by name. */
function hostsText(hosts: unknown): string {
  const all: readonly Payload[] = Array.isArray(hosts) ? hosts : [];
  const named = all
    .slice(0, 5)
    .map((one) => `${str(one['host'])} ×${Number(one['requests'] ?? 0)}${withSecrets(one)}`);
  return (
    named.join(', ') + (all.length > named.length ? ` and ${all.length - named.length} more` : '')
  );
}

/** Names only: nobody but the runner's proxy sees a value. */
function withSecrets({ secrets }: Payload): string {
  const names: readonly unknown[] = Array.isArray(secrets) ? secrets : [];
  return names.length === 0 ? '' : ` with ${names.map(str).join(', ')}`;
}

function phaseMark(payload: Payload): Mark {
  return mark('info', 'Phase', phaseWords(str(payload['phase'])));
}

function containerMark(payload: Payload): Mark {
  if (payload['state'] === 'started') {
    return mark(
      'quiet',
      'Sandbox',
      `${str(payload['isolation'])} ${str(payload['containerId']).slice(0, 12)} started`,
    );
  }
  if (payload['oom'] === true) return mark('bad', 'Sandbox', 'ran out of memory and was killed');
  const exitCode = payload['exitCode'];
  return mark(
    'quiet',
    'Sandbox',
    typeof exitCode === 'number' ? `ended with exit code ${exitCode}` : 'ended',
  );
}

function snapshotMark(payload: Payload): Mark {
  const stat = (payload['diffStat'] ?? {}) as Record<string, number>;
  const commit = str(payload['commitSha']).slice(0, 9);
  const change = `${plural(stat['files'] ?? 0, 'file')} +${stat['insertions'] ?? 0} −${stat['deletions'] ?? 0}`;
  return mark(
    'info',
    'Snapshot',
    commit === '' ? 'no changes' : `${commit} on ${str(payload['branch'])} · ${change}`,
  );
}

function checkpointMark(payload: Payload): Mark {
  const commit = str(payload['commitSha']).slice(0, 9);
  const saved = `saved ${triggerWords(str(payload['trigger']))}`;
  return mark('quiet', 'Checkpoint', commit === '' ? saved : `${saved} · ${commit}`);
}

function endedMark(payload: Payload): Mark {
  const outcome = str(payload['outcome']);
  const kind = payload['failureKind'];
  const code = asReasonCode(payload['reasonCode']);
  const failure = typeof kind === 'string' ? failureWords(kind) : '';
  const reason = code === null ? failure : REASON_CATALOGUE[code].cause;
  const tone: Tone =
    outcome === 'completed'
      ? isUnfinished(code)
        ? 'warning'
        : 'good'
      : outcome === 'cancelled'
        ? 'quiet'
        : 'bad';
  const sentence = [outcomeWords(outcome), reason, str(payload['message'])].filter(
    (part) => part !== '',
  );
  const words = sentence.map((part) => part.replace(/\.$/, ''));
  return mark(tone, 'Ended', words.join(' · '));
}

function questionText(questions: unknown): string {
  if (!Array.isArray(questions)) return 'the agent asked a question';
  return questions
    .map((question: Payload) => str(question['question']) || str(question['header']))
    .join(' · ');
}

function noticeTone(level: unknown): Tone {
  return level === 'error' ? 'bad' : level === 'warning' ? 'warning' : 'info';
}

function noticeLabel(level: unknown): string {
  return level === 'error' ? 'Error' : level === 'warning' ? 'Warning' : 'Notice';
}

function sourceLabel(source: unknown): string {
  const name = str(source) || 'log';
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function str(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
